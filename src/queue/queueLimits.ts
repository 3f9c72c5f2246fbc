import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  EndpointLimits,
  type SharedLimits,
  type SpentQuota,
} from '../models/endpoint/rateLimiter.ts';
import { readLimits } from './messages.ts';
import { keysOf } from './redis.ts';

/** Seconds until the limits are forgotten that a killed run left behind. */
const KEPT = 3_600;

/** All workers go by the clock of Redis. */
const LOOK = `
local time = redis.call('TIME')
local now = string.format('%.3f', time[1] * 1000 + time[2] / 1000)
return {redis.call('HGET', KEYS[1], ARGV[1]) or '', now}
`;

const SWAP = `
local line, before, after, kept = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if (redis.call('HGET', KEYS[1], line) or '') ~= before then return 0 end
redis.call('HSET', KEYS[1], line, after)
redis.call('EXPIRE', KEYS[1], kept)
return 1
`;

/**
 * The limits of one line of a run, for all its workers. A change is taken only if nobody made another meanwhile.
 * What a killed worker took comes back as all that is spent does: with time.
 */
export class QueueLimits implements SharedLimits {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #line: string;

  /** @param line whom it leads to; only its digest is sent */
  constructor(redis: Redis, run: string, line: string) {
    this.#redis = redis;
    this.#key = keysOf(run).limits;
    this.#line = createHash('sha256').update(line).digest('hex');
  }

  take(tokens: number): Promise<SpentQuota | number> {
    return this.#change((limits, now) => {
      const wait = limits.waitFor(tokens, now);
      return wait > 0 ? wait : limits.spend(tokens);
    });
  }

  async learnFrom(spent: SpentQuota, status: number, headers: Headers): Promise<void> {
    await this.#change((limits, now) => limits.learnFrom(spent, status, headers, now));
  }

  async #change<Result>(change: (limits: EndpointLimits, now: number) => Result): Promise<Result> {
    for (;;) {
      const looked = await this.#redis.eval(LOOK, 1, this.#key, this.#line);
      const [before, now] = looked as [string, string];
      const limits = new EndpointLimits(readLimits(before));
      const result = change(limits, Number(now));
      const after = JSON.stringify(limits.state);
      if (after === before) return result;
      const swapped = await this.#redis.eval(SWAP, 1, this.#key, this.#line, before, after, KEPT);
      if (swapped === 1) return result;
    }
  }
}
