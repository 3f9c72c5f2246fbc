import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Bounds, overBudget, type Spending } from '../runner/budget.ts';
import { keysOf } from './redis.ts';

/** Milliseconds that a reservation lasts of whoever does not renew it. */
const HELD = 30_000;
const RENEWED = 10_000;

/** Milliseconds between two looks whether others have given back what they held. */
const LOOK = 100;

/**
 * What a reservation holds counts as spent at once, so that nothing that a killed worker had under way is spent
 * a second time.
 */
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

/** The limit of a run's cost, for all its workers. */
export class SharedBudget implements Spending {
  readonly #redis: Redis;
  readonly #max: number;
  readonly #cost: string;
  readonly #held: string;
  exhausted = false;

  constructor(redis: Redis, run: string, max: number) {
    this.#redis = redis;
    this.#max = max;
    const { cost, held } = keysOf(run);
    this.#cost = cost;
    this.#held = held;
  }

  /** Learns what other workers have found. */
  async look(): Promise<boolean> {
    this.exhausted ||= (await this.#redis.hget(this.#cost, 'exhausted')) === '1';
    return this.exhausted;
  }

  async spend<Paid>(
    bounds: Bounds,
    work: (allowed: number) => Promise<Paid>,
    costOf: (paid: Paid) => number | null,
    waits: Parameters<Spending['spend']>[3] = () => {},
  ): Promise<Paid> {
    const member = randomUUID();
    waits(true);
    const allowed = await this.#reserve(bounds, member).finally(() => waits(false));
    const renewing = setInterval(() => this.#renew(member), RENEWED);
    let cost = 0;
    try {
      const paid = await work(allowed);
      cost = costOf(paid) ?? allowed;
      return paid;
    } finally {
      clearInterval(renewing);
      const change = String(cost - allowed);
      await this.#redis.eval(SETTLE, 2, this.#cost, this.#held, this.#max, change, member);
    }
  }

  async #reserve({ least, most }: Bounds, member: string): Promise<number> {
    for (;;) {
      const [said, amount] = (await this.#redis.eval(
        RESERVE,
        2,
        this.#cost,
        this.#held,
        this.#max,
        least,
        most,
        HELD,
        member,
      )) as [string, string];
      if (said === 'go') return Number(amount);
      if (said === 'over') {
        this.exhausted = true;
        throw overBudget(Number(amount), this.#max);
      }
      await setTimeout(LOOK);
    }
  }

  #renew(member: string): void {
    this.#redis.eval(RENEW, 1, this.#held, HELD, member).catch(() => {});
  }
}
