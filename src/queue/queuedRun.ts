import { randomBytes } from 'node:crypto';
import type { Job, Queue, QueueEvents } from 'bullmq';
import type { Logger } from '../core/logger.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { CaseRunner, PlannedCase } from '../runner/caseRunner.ts';
import { Members } from './members.ts';
import type { CaseJob, Manifest } from './messages.ts';
import { QueueError } from './queueError.ts';
import { ALIVE, type Connection, connect, keysOf, PREFIX, RUNS, within } from './redis.ts';
import { Returned, type Telling } from './returned.ts';
import { type FiledSuite, sharedPath, sharedSuite } from './sharedFiles.ts';

/** Milliseconds between two signs of life. */
const BEAT = 1_000;

/** Milliseconds that a Redis which went away may hold up the end of a run. */
const CLOSING = 10_000;

/** Beats between two looks for results of which no event came. */
const SWEEP = 5;

/** So often a case is begun on a worker that fails it by a mistake of ours. */
const ATTEMPTS = 2;

/** Events that Redis keeps: results are among them, and the sweep finds what was forgotten. */
const EVENTS = 2_000;

export interface QueuedRunOptions extends Telling {
  readonly url: string;
  /** Of Turnlight. */
  readonly version: string;
  readonly suites: readonly FiledSuite[];
  readonly timeout: number;
  readonly maxCost?: number;
  /** Whether answers that a worker has kept will do. */
  readonly cache: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface Waiting {
  readonly planned: PlannedCase;
  readonly resolve: (line: CaseLine | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Hands the cases of a run to the workers of a queue, and takes what they made of them. */
export class QueuedRun implements CaseRunner {
  readonly #options: QueuedRunOptions;
  readonly #connection: Connection;
  readonly #id: string;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #returned: Returned;
  readonly #members: Members;
  readonly #waiting = new Map<string, Waiting>();
  readonly #timer: NodeJS.Timeout;
  #isBeating = false;
  #beats = 0;
  #count = 0;
  #failure: unknown;
  /** How many run of these is up to the workers. */
  readonly atOnce = 500;
  stopped = false;

  private constructor(options: QueuedRunOptions, connection: Connection, id: string) {
    this.#options = options;
    this.#connection = connection;
    this.#id = id;
    this.#returned = new Returned(options);
    this.#members = new Members(options.log);
    const { bullmq, redis } = connection;
    const shared = { connection: redis, prefix: PREFIX };
    this.#queue = new bullmq.Queue(id, { ...shared, streams: { events: { maxLen: EVENTS } } });
    this.#events = new bullmq.QueueEvents(id, { ...shared, lastEventId: '0-0' });
    // What goes wrong with the connection is told by the connection.
    this.#queue.on('error', () => {});
    this.#events.on('error', () => {});
    this.#events.on('active', ({ jobId }) => this.#began(jobId));
    this.#events.on('completed', ({ jobId, returnvalue }) => this.#came(jobId, returnvalue));
    this.#events.on('failed', ({ jobId }) => this.#lost(jobId));
    this.#timer = setInterval(() => void this.#beat(), BEAT);
    options.signal.addEventListener('abort', () => this.#fail(options.signal.reason), {
      once: true,
    });
  }

  /** @throws QueueError */
  static async open(options: QueuedRunOptions): Promise<QueuedRun> {
    const { url, version, root, timeout, maxCost, cache, suites } = options;
    const manifest: Manifest = {
      version,
      timeout,
      cache,
      ...(maxCost !== undefined && { maxCost }),
      suites: await Promise.all(suites.map((one) => sharedSuite(one, root))),
    };
    const connection = await connect(url, options.scrubber, options.log);
    const { redis } = connection;
    const id = randomBytes(8).toString('hex');
    const run = new QueuedRun(options, connection, id);
    await run.#events.waitUntilReady();
    await redis.set(keysOf(id).manifest, JSON.stringify(manifest), 'EX', ALIVE);
    await redis.zadd(RUNS, Date.now(), id);
    return run;
  }

  async run(planned: PlannedCase): Promise<CaseLine | undefined> {
    this.#options.signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    const { suite, ...ref } = planned.ref;
    const job: CaseJob = { suite: sharedPath(suite, this.#options.root), ...ref };
    this.#count += 1;
    const jobId = `case-${this.#count}`;
    return new Promise((resolve, reject) => {
      this.#waiting.set(jobId, { planned, resolve, reject });
      this.#queue.add('case', job, { jobId, attempts: ATTEMPTS }).catch(reject);
    });
  }

  /** Leaves nothing behind; workers give up what they still run. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await within(CLOSING, this.#clean());
    await within(CLOSING, Promise.allSettled([this.#events.close(), this.#queue.close()]));
    await this.#connection.close();
  }

  async #clean(): Promise<void> {
    const { redis } = this.#connection;
    const { manifest, workers, cost, held, limits } = keysOf(this.#id);
    await redis.del(manifest, workers, cost, held, limits);
    await redis.zrem(RUNS, this.#id);
    await this.#queue.obliterate({ force: true });
  }

  #began(jobId: string): void {
    const waiting = this.#waiting.get(jobId);
    if (waiting) void this.#returned.began(waiting.planned);
  }

  async #came(jobId: string, text: unknown): Promise<void> {
    const waiting = this.#waiting.get(jobId);
    if (!waiting) return;
    this.#waiting.delete(jobId);
    try {
      await this.#lookAtCost();
      // Nothing where the limit of the cost kept it from beginning.
      waiting.resolve(text === '' ? undefined : await this.#returned.came(waiting.planned, text));
    } catch (error) {
      waiting.reject(error);
    }
    this.#queue.remove(jobId).catch(() => {});
  }

  async #lost(jobId: string): Promise<void> {
    const waiting = this.#waiting.get(jobId);
    if (!waiting) return;
    this.#waiting.delete(jobId);
    const job: Job | undefined = await this.#queue.getJob(jobId).catch(() => undefined);
    waiting.resolve(await this.#returned.lost(waiting.planned, job?.failedReason));
    this.#queue.remove(jobId).catch(() => {});
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#look();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isBeating = false;
    }
  }

  async #look(): Promise<void> {
    const { redis } = this.#connection;
    const { manifest, workers } = keysOf(this.#id);
    if ((await redis.expire(manifest, ALIVE)) === 0) {
      const message =
        'The queue has forgotten this run: its Redis was emptied, or this computer slept too long.';
      throw new QueueError('lost', message);
    }
    if ((await redis.hlen(workers)) < 1_000) {
      this.#members.heard(await redis.hvals(workers), performance.now());
    }
    await this.#lookAtCost();
    this.#beats += 1;
    if (this.#beats % SWEEP === 0) await this.#sweep();
  }

  async #lookAtCost(): Promise<void> {
    if (this.stopped || this.#options.maxCost === undefined) return;
    const { cost } = keysOf(this.#id);
    this.stopped ||= (await this.#connection.redis.hget(cost, 'exhausted')) === '1';
  }

  /** Events may be lost; results are not. */
  async #sweep(): Promise<void> {
    const ended: Job[] = await this.#queue.getJobs(['completed', 'failed'], 0, 99);
    for (const { id = '', failedReason, returnvalue } of ended) {
      await (failedReason === undefined ? this.#came(id, returnvalue) : this.#lost(id));
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
