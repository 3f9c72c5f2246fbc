import type { Logger } from '../core/logger.ts';
import { type Member, readMember } from './messages.ts';
import { QueueError } from './queueError.ts';

/** Milliseconds after which a worker that was not heard of is gone. */
const GONE = 10_000;

/** Milliseconds that other workers have to come once one has refused. */
const COMING = 2_000;

interface Known extends Member {
  readonly heard: number;
}

/** The workers that have answered a run, and what its user is told of them. */
export class Members {
  readonly #known = new Map<string, Known>();
  readonly #log: Logger;
  #refusedSince: number | undefined;
  #hasServed = false;
  #isWaiting = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param texts as the workers wrote them
   * @throws QueueError where there are workers, and each of them refuses
   */
  heard(texts: readonly string[], now: number): void {
    for (const text of texts) {
      const member = readMember(text);
      if (member) this.#note(member, now);
    }
    const there = [...this.#known.values()].filter(({ heard }) => now - heard < GONE);
    const isServed = there.some(({ state }) => state === 'serves');
    this.#hasServed ||= isServed;
    if (isServed) this.#isWaiting = false;
    else if (there.every(({ state }) => state === 'refuses')) this.#without(now);
  }

  #note(member: Member, now: number): void {
    const before = this.#known.get(member.name);
    if (before?.beat === member.beat && before.state === member.state) return;
    this.#known.set(member.name, { ...member, heard: now });
    if (member.state !== 'refuses' || before?.state === 'refuses') return;
    this.#refusedSince ??= now;
    this.#log.warn(
      `The worker ${member.name} does not join: ${member.why ?? 'it does not say why.'}`,
    );
  }

  #without(now: number): void {
    const refusals = [...this.#known.values()].filter(({ state }) => state === 'refuses');
    const since = this.#refusedSince;
    if (!this.#hasServed && since !== undefined && now - since > COMING) {
      const each = refusals.map(({ name, why = '' }) => `${name}: ${why}`).join('\n');
      throw new QueueError('no-worker', `No worker can run these files.\n${each}`);
    }
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const none = this.#hasServed ? 'No worker is left' : 'No worker has come yet';
    this.#log.warn(`${none}. The run waits for one: turnlight worker --queue.`);
  }
}
