import { randomBytes } from 'node:crypto';
import type { Job, Queue, QueueEvents } from 'bullmq';
import { turnsOf } from '../core/conversation.ts';
import { executionKey } from '../core/identity.ts';
import type { Logger } from '../core/logger.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { mapCasePaths } from '../node/paths.ts';
import { lostLine, openCase } from '../runner/case/caseLine.ts';
import { answersCase } from '../runner/earlierRun.ts';
import type { RunEvent } from '../runner/events.ts';
import type { CaseRunner, PlannedCase } from '../runner/runOptions.ts';
import {
  type CaseJob,
  type Manifest,
  readLine,
  readWorkerStatus,
  staysInside,
  type WorkerStatus,
} from './messages.ts';
import {
  type Connection,
  connect,
  keysOf,
  PREFIX,
  QueueError,
  RUN_TTL,
  RUNS,
  waitAtMost,
} from './redis.ts';
import { localPath, type SuiteWithFiles, sharedPath, sharedSuite } from './sharedFiles.ts';

const HEARTBEAT_INTERVAL = 1_000;

/** Milliseconds that an unreachable Redis may delay the end of a run. */
const CLOSE_TIMEOUT = 10_000;

/** Heartbeats between two checks for results without an event. */
const BEATS_PER_SWEEP = 5;

/** Maximum number of attempts if a worker fails a case because of a bug. */
const MAX_ATTEMPTS = 2;

/** Maximum number of events in Redis, including results; the sweep finds results whose events were dropped. */
const MAX_EVENTS = 2_000;

interface QueuedRunOptions extends RemoteOptions {
  readonly url: string;
  /** Of Turnlight. */
  readonly version: string;
  readonly suites: readonly SuiteWithFiles[];
  readonly timeout: number;
  readonly maxCost?: number;
  /** Whether workers may use their caches. */
  readonly cache: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface PendingCase {
  readonly planned: PlannedCase;
  readonly resolve: (line: CaseLine | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs the cases of a run on the workers of a queue. */
export class QueuedRun implements CaseRunner {
  readonly #options: QueuedRunOptions;
  readonly #connection: Connection;
  readonly #id: string;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #results: RemoteResults;
  readonly #workers: Workers;
  readonly #waiting = new Map<string, PendingCase>();
  readonly #timer: NodeJS.Timeout;
  #isBeating = false;
  #beats = 0;
  #count = 0;
  #failure: unknown;
  /** The workers decide how many of these run. */
  readonly concurrency = 500;
  stopped = false;

  private constructor(options: QueuedRunOptions, connection: Connection, id: string) {
    this.#options = options;
    this.#connection = connection;
    this.#id = id;
    this.#results = new RemoteResults(options);
    this.#workers = new Workers(options.log);
    const { bullmq, redis } = connection;
    const shared = { connection: redis, prefix: PREFIX };
    this.#queue = new bullmq.Queue(id, { ...shared, streams: { events: { maxLen: MAX_EVENTS } } });
    this.#events = new bullmq.QueueEvents(id, { ...shared, lastEventId: '0-0' });
    // The connection reports its errors.
    this.#queue.on('error', () => {});
    this.#events.on('error', () => {});
    this.#events.on('active', ({ jobId }) => this.#onStarted(jobId));
    this.#events.on('completed', ({ jobId, returnvalue }) => this.#onCompleted(jobId, returnvalue));
    this.#events.on('failed', ({ jobId }) => this.#onFailed(jobId));
    this.#timer = setInterval(() => void this.#beat(), HEARTBEAT_INTERVAL);
    options.signal.addEventListener('abort', () => this.#fail(options.signal.reason));
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
    await redis.set(keysOf(id).manifest, JSON.stringify(manifest), 'EX', RUN_TTL);
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
      this.#queue.add('case', job, { jobId, attempts: MAX_ATTEMPTS }).catch(reject);
    });
  }

  /** Removes the run from Redis; workers stop its cases. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await waitAtMost(CLOSE_TIMEOUT, this.#clean());
    await waitAtMost(
      CLOSE_TIMEOUT,
      Promise.allSettled([this.#events.close(), this.#queue.close()]),
    );
    await this.#connection.close();
  }

  async #clean(): Promise<void> {
    const { redis } = this.#connection;
    const { manifest, workers, cost, held, limits } = keysOf(this.#id);
    await redis.del(manifest, workers, cost, held, limits);
    await redis.zrem(RUNS, this.#id);
    await this.#queue.obliterate({ force: true });
  }

  #onStarted(jobId: string): void {
    const waiting = this.#waiting.get(jobId);
    if (waiting) void this.#results.started(waiting.planned);
  }

  async #onCompleted(jobId: string, text: unknown): Promise<void> {
    const waiting = this.#waiting.get(jobId);
    if (!waiting) return;
    this.#waiting.delete(jobId);
    try {
      await this.#checkCost();
      // Empty if the cost limit prevented its start.
      const isUnstarted = text === '' && this.stopped;
      waiting.resolve(
        isUnstarted ? undefined : await this.#results.finished(waiting.planned, text),
      );
    } catch (error) {
      waiting.reject(error);
    }
    this.#queue.remove(jobId).catch(() => {});
  }

  async #onFailed(jobId: string): Promise<void> {
    const waiting = this.#waiting.get(jobId);
    if (!waiting) return;
    this.#waiting.delete(jobId);
    const job: Job | undefined = await this.#queue.getJob(jobId).catch(() => undefined);
    waiting.resolve(await this.#results.lost(waiting.planned, job?.failedReason));
    this.#queue.remove(jobId).catch(() => {});
  }

  async #beat(): Promise<void> {
    if (this.#isBeating) return;
    this.#isBeating = true;
    try {
      await this.#check();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isBeating = false;
    }
  }

  async #check(): Promise<void> {
    const { redis } = this.#connection;
    const { manifest, workers } = keysOf(this.#id);
    if ((await redis.expire(manifest, RUN_TTL)) === 0) {
      const message =
        'The queue has forgotten this run: its Redis was emptied, or this computer slept too long.';
      throw new QueueError('lost', message);
    }
    if ((await redis.hlen(workers)) < 1_000) {
      this.#workers.update(await redis.hvals(workers), performance.now());
    }
    await this.#checkCost();
    this.#beats += 1;
    if (this.#beats % BEATS_PER_SWEEP === 0) await this.#sweep();
  }

  async #checkCost(): Promise<void> {
    if (this.stopped || this.#options.maxCost === undefined) return;
    const { cost } = keysOf(this.#id);
    this.stopped ||= (await this.#connection.redis.hget(cost, 'exhausted')) === '1';
  }

  /** Events may be lost, but not results. */
  async #sweep(): Promise<void> {
    const ended: Job[] = await this.#queue.getJobs(['completed', 'failed'], 0, 99);
    for (const { id = '', failedReason, returnvalue } of ended) {
      await (failedReason === undefined ? this.#onCompleted(id, returnvalue) : this.#onFailed(id));
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

interface RemoteOptions {
  /** The folder that paths are relative to. */
  readonly root: string;
  readonly scrubber: Scrubber;
  readonly onEvent: (event: RunEvent) => void;
}

/** Reports the cases of workers like local ones. */
export class RemoteResults {
  readonly #options: RemoteOptions;
  readonly #started = new Map<string, Promise<void>>();

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** A worker started the case; another one may start it again. */
  started({ ref, case: suiteCase }: PlannedCase): Promise<void> {
    const key = executionKey(ref);
    const known = this.#started.get(key);
    if (known) return known;
    const reporting = openCase(suiteCase).then((opened) =>
      this.#options.onEvent({ kind: 'case-started', ref, case: opened.suiteCase }),
    );
    this.#started.set(key, reporting);
    return reporting;
  }

  /** @param text the line from the worker */
  async finished(planned: PlannedCase, text: unknown): Promise<CaseLine> {
    const line = this.#lineOf(planned, text);
    if (!line || !(await isValidResult(line, planned)))
      return this.lost(planned, 'The worker returned an invalid result for this case.');
    await this.started(planned);
    const { onEvent } = this.#options;
    const { ref } = planned;
    for (const turn of turnsOf(line.conversation)) onEvent({ kind: 'turn', ref, turn });
    for (const verdict of line.verdicts) onEvent({ kind: 'verdict', ref, verdict });
    this.#started.delete(executionKey(ref));
    return line;
  }

  async lost(planned: PlannedCase, why = 'Its worker failed.'): Promise<CaseLine> {
    await this.started(planned);
    this.#started.delete(executionKey(planned.ref));
    const { scrubber } = this.#options;
    return scrubber.data(lostLine(planned, `worker-lost: ${scrubber.text(why).slice(0, 1_000)}`));
  }

  #lineOf({ ref, case: suiteCase }: PlannedCase, text: unknown): CaseLine | undefined {
    const { root, scrubber } = this.#options;
    const line = readLine(text);
    if (!line || line.suite !== sharedPath(ref.suite, root)) return undefined;
    let leadsOut = false;
    const absolute = mapCasePaths(line, (path) => {
      leadsOut ||= !staysInside(path);
      return localPath(path, root);
    });
    const isIt = executionKey(absolute) === executionKey(ref);
    if (leadsOut || !isIt || line.source.hash !== suiteCase.source.hash) return undefined;
    return scrubber.data(absolute);
  }
}

/** Whether a line from a worker answers the questions of its case, and its status follows from its verdicts. */
async function isValidResult(line: CaseLine, { case: suiteCase }: PlannedCase): Promise<boolean> {
  if (line.status === 'error') return true;
  return answersCase(line, (await openCase(suiteCase)).suiteCase);
}

/** Milliseconds without a heartbeat after which a worker is gone. */
const WORKER_TIMEOUT = 10_000;

/** Milliseconds that other workers have to join after one refused. */
const JOIN_TIMEOUT = 2_000;

interface KnownWorker extends WorkerStatus {
  readonly heard: number;
}

/** Tracks the workers of a run, and logs changes. */
class Workers {
  readonly #known = new Map<string, KnownWorker>();
  readonly #log: Logger;
  #refusedSince: number | undefined;
  #hasServed = false;
  #isWaiting = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param texts from the workers
   * @throws QueueError if every worker refuses the run
   */
  update(texts: readonly string[], now: number): void {
    for (const text of texts) {
      const member = readWorkerStatus(text);
      if (member) this.#note(member, now);
    }
    const there = [...this.#known.values()].filter(({ heard }) => now - heard < WORKER_TIMEOUT);
    const isServed = there.some(({ state }) => state === 'serves');
    this.#hasServed ||= isServed;
    if (isServed) this.#isWaiting = false;
    else if (there.every(({ state }) => state === 'refuses')) this.#withoutWorkers(now);
  }

  #note(member: WorkerStatus, now: number): void {
    const before = this.#known.get(member.name);
    if (before?.beat === member.beat && before.state === member.state) return;
    this.#known.set(member.name, { ...member, heard: now });
    if (member.state !== 'refuses' || before?.state === 'refuses') return;
    this.#refusedSince ??= now;
    this.#log.warn(`The worker ${member.name} doesn't join: ${member.why ?? 'it gave no reason.'}`);
  }

  #withoutWorkers(now: number): void {
    const refusals = [...this.#known.values()].filter(({ state }) => state === 'refuses');
    const since = this.#refusedSince;
    if (!this.#hasServed && since !== undefined && now - since > JOIN_TIMEOUT) {
      const each = refusals.map(({ name, why = '' }) => `${name}: ${why}`).join('\n');
      throw new QueueError('no-worker', `No worker can run these files.\n${each}`);
    }
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const none = this.#hasServed ? 'No worker is left' : 'No worker has come yet';
    this.#log.warn(`${none}. The run waits for one: turnlight worker --queue.`);
  }
}
