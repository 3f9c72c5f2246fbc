import { createHash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import {
  EndpointLimits,
  type SharedLimits,
  type SpentQuota,
} from '../models/endpoint/rateLimiter.ts';
import { overBudget } from '../runner/budget.ts';
import type { CostBounds, SpendingLimit } from '../runner/runOptions.ts';
import { readLimits } from './messages.ts';
import { keysOf } from './redis.ts';

/** Milliseconds after which a reservation that isn't renewed expires. */
const RESERVATION_TTL = 30_000;
const RENEW_INTERVAL = 10_000;

const POLL_INTERVAL = 100;

/** Reserves part of the budget. A reservation counts as spent immediately, even if its worker dies. */
const RESERVE = `
local max, least, most, held, member = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local spent = tonumber(redis.call('HGET', KEYS[1], 'spent') or '0')
local left = max - spent
if left < least then
  if redis.call('ZCARD', KEYS[2]) > 0 then return {'wait', tostring(spent)} end
  redis.call('HSET', KEYS[1], 'exhausted', '1')
  return {'over', tostring(spent)}
end
local allowed = string.format('%.17g', math.min(most, left))
redis.call('HINCRBYFLOAT', KEYS[1], 'spent', allowed)
redis.call('ZADD', KEYS[2], now + held, member)
return {'go', allowed}
`;

const SETTLE = `
local max, change, member = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local spent = tonumber(redis.call('HINCRBYFLOAT', KEYS[1], 'spent', change))
redis.call('ZREM', KEYS[2], member)
if spent > max then redis.call('HSET', KEYS[1], 'exhausted', '1') end
`;

const RENEW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now + ARGV[1], ARGV[2])
`;

export interface SharedBudget extends SpendingLimit {
  /** Whether this worker or another one reached the limit. */
  check(): Promise<boolean>;
}

/** A run's cost limit, which applies to all of its workers together. */
export function sharedBudget(redis: Redis, run: string, max: number): SharedBudget {
  const { cost: key, held } = keysOf(run);
  let exhausted = false;
  const reserve = async ({ least, most }: CostBounds, member: string): Promise<number> => {
    for (;;) {
      const given = [max, least, most, RESERVATION_TTL, member];
      const [answer, amount] = (await redis.eval(RESERVE, 2, key, held, ...given)) as [
        string,
        string,
      ];
      if (answer === 'go') return Number(amount);
      if (answer === 'over') {
        exhausted = true;
        throw overBudget(Number(amount), max);
      }
      await setTimeout(POLL_INTERVAL);
    }
  };
  return {
    get exhausted() {
      return exhausted;
    },
    async check() {
      exhausted ||= (await redis.hget(key, 'exhausted')) === '1';
      return exhausted;
    },
    async spend(bounds, work, costOf, waits = () => {}) {
      const member = randomUUID();
      waits(true);
      const allowed = await reserve(bounds, member).finally(() => waits(false));
      const renewing = setInterval(() => {
        redis.eval(RENEW, 1, held, RESERVATION_TTL, member).catch(() => {});
      }, RENEW_INTERVAL);
      let cost = 0;
      try {
        const paid = await work(allowed);
        cost = costOf(paid) ?? allowed;
        return paid;
      } finally {
        clearInterval(renewing);
        await redis.eval(SETTLE, 2, key, held, max, String(cost - allowed), member);
      }
    },
  };
}

/** Seconds after which a killed run's limits expire. */
const LIMITS_TTL = 3_600;

/** Reads the limits using Redis's clock, so that all workers use the same one. */
const READ = `
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

/** One endpoint's limits, for all workers of a run. A killed worker's reservations expire. */
export class QueueLimits implements SharedLimits {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #line: string;

  /** @param line identifies the endpoint; only its digest is sent */
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
      const read = await this.#redis.eval(READ, 1, this.#key, this.#line);
      const [before, now] = read as [string, string];
      const limits = new EndpointLimits(readLimits(before));
      const result = change(limits, Number(now));
      const after = JSON.stringify(limits.state);
      if (after === before) return result;
      const given = [this.#line, before, after, LIMITS_TTL];
      const swapped = await this.#redis.eval(SWAP, 1, this.#key, ...given);
      if (swapped === 1) return result;
    }
  }
}
