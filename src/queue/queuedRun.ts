import { randomBytes } from 'node:crypto';
import type { Job, Queue } from 'bullmq';
import { turnsOf } from '../core/conversation.ts';
import { executionKey } from '../core/identity.ts';
import type { Logger } from '../core/logger.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { mapCasePaths } from '../node/paths.ts';
import { lostLine, openCase } from '../runner/case/caseLine.ts';
import { answersCase } from '../runner/earlierRun.ts';
import type { RunEvent } from '../runner/events.ts';
import type { OpenRunner } from '../runner/run.ts';
import type { PlannedCase } from '../runner/runOptions.ts';
import {
  type CaseJob,
  type Manifest,
  readLine,
  readWorkerStatus,
  staysInside,
  type WorkerStatus,
} from './messages.ts';
import { connect, keysOf, PREFIX, QueueError, RUN_TTL, RUNS, waitAtMost } from './redis.ts';
import { localPath, type SuiteWithFiles, sharedPath, sharedSuite } from './sharedFiles.ts';

const HEARTBEAT_INTERVAL = 1_000;

/** Milliseconds that an unreachable Redis may delay the end of a run. */
const CLOSE_TIMEOUT = 10_000;

/** Number of heartbeats between checks for results without an event. */
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

/** Starts a run whose cases run on the workers of a queue. @throws QueueError */
export async function openQueuedRun(options: QueuedRunOptions): Promise<OpenRunner> {
  const { url, version, root, timeout, maxCost, cache, log, signal } = options;
  const manifest: Manifest = {
    version,
    timeout,
    cache,
    ...(maxCost !== undefined && { maxCost }),
    suites: await Promise.all(options.suites.map((one) => sharedSuite(one, root))),
  };
  const connection = await connect(url, options.scrubber, log);
  const { bullmq, redis } = connection;
  const id = randomBytes(8).toString('hex');
  const keys = keysOf(id);
  const results = new RemoteResults(options);
  const workers = new Workers(log);
  const pending = new Map<string, PendingCase>();
  let stopped = false;
  let failure: unknown;
  const shared = { connection: redis, prefix: PREFIX };
  const queue: Queue = new bullmq.Queue(id, {
    ...shared,
    streams: { events: { maxLen: MAX_EVENTS } },
  });
  const events = new bullmq.QueueEvents(id, { ...shared, lastEventId: '0-0' });
  // The connection reports its errors.
  queue.on('error', () => {});
  events.on('error', () => {});

  const fail = (error: unknown) => {
    failure ??= error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  const checkCost = async () => {
    if (stopped || maxCost === undefined) return;
    stopped ||= (await redis.hget(keys.cost, 'exhausted')) === '1';
  };
  const onCompleted = async (jobId: string, text: unknown) => {
    const found = pending.get(jobId);
    if (!found) return;
    pending.delete(jobId);
    try {
      await checkCost();
      // Empty if the cost limit prevented its start.
      const isUnstarted = text === '' && stopped;
      found.resolve(isUnstarted ? undefined : await results.finished(found.planned, text));
    } catch (error) {
      found.reject(error);
    }
    queue.remove(jobId).catch(() => {});
  };
  const onFailed = async (jobId: string) => {
    const found = pending.get(jobId);
    if (!found) return;
    pending.delete(jobId);
    const job: Job | undefined = await queue.getJob(jobId).catch(() => undefined);
    found.resolve(await results.lost(found.planned, job?.failedReason));
    queue.remove(jobId).catch(() => {});
  };
  events.on('active', ({ jobId }) => {
    const found = pending.get(jobId);
    if (found) void results.started(found.planned);
  });
  events.on('completed', ({ jobId, returnvalue }) => onCompleted(jobId, returnvalue));
  events.on('failed', ({ jobId }) => onFailed(jobId));

  let beats = 0;
  const beat = async () => {
    if ((await redis.expire(keys.manifest, RUN_TTL)) === 0) {
      const message =
        'The queue has forgotten this run: its Redis was emptied, or this computer slept too long.';
      throw new QueueError('lost', message);
    }
    if ((await redis.hlen(keys.workers)) < 1_000) {
      workers.update(await redis.hvals(keys.workers), performance.now());
    }
    await checkCost();
    beats += 1;
    if (beats % BEATS_PER_SWEEP > 0) return;
    const ended: Job[] = await queue.getJobs(['completed', 'failed'], 0, 99);
    for (const { id: jobId = '', failedReason, returnvalue } of ended) {
      await (failedReason === undefined ? onCompleted(jobId, returnvalue) : onFailed(jobId));
    }
  };
  signal.addEventListener('abort', () => fail(signal.reason));
  await events.waitUntilReady();
  await redis.set(keys.manifest, JSON.stringify(manifest), 'EX', RUN_TTL);
  await redis.zadd(RUNS, Date.now(), id);

  // A beat before the manifest is there would report that Redis has lost the run.
  let isBeating = false;
  const timer = setInterval(async () => {
    if (isBeating) return;
    isBeating = true;
    await beat().catch(fail);
    isBeating = false;
  }, HEARTBEAT_INTERVAL);

  const removeRun = async () => {
    await redis.del(keys.manifest, keys.workers, keys.cost, keys.held, keys.limits);
    await redis.zrem(RUNS, id);
    await queue.obliterate({ force: true });
  };
  let count = 0;
  return {
    // The workers decide how many of these run.
    concurrency: 500,
    get stopped() {
      return stopped;
    },
    async run(planned) {
      signal.throwIfAborted();
      if (failure) throw failure;
      const { suite, ...ref } = planned.ref;
      const job: CaseJob = { suite: sharedPath(suite, root), ...ref };
      count += 1;
      const jobId = `case-${count}`;
      return new Promise((resolve, reject) => {
        pending.set(jobId, { planned, resolve, reject });
        queue.add('case', job, { jobId, attempts: MAX_ATTEMPTS }).catch(reject);
      });
    },
    /** Workers stop the cases of a removed run. */
    async close() {
      clearInterval(timer);
      await waitAtMost(CLOSE_TIMEOUT, removeRun());
      await waitAtMost(CLOSE_TIMEOUT, Promise.allSettled([events.close(), queue.close()]));
      await connection.close();
    },
  };
}

interface RemoteOptions {
  /** The folder that paths are relative to. */
  readonly root: string;
  readonly scrubber: Scrubber;
  readonly onEvent: (event: RunEvent) => void;
}

/** Reports workers' cases like local ones. */
export class RemoteResults {
  readonly #options: RemoteOptions;
  readonly #started = new Map<string, Promise<void>>();

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** A worker started the case; another worker may start it again. */
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

/** Whether a line from a worker answers its case's questions and has the status that its verdicts imply. */
async function isValidResult(line: CaseLine, { case: suiteCase }: PlannedCase): Promise<boolean> {
  if (line.status === 'error') return true;
  return answersCase(line, (await openCase(suiteCase)).suiteCase);
}

/** Milliseconds without a heartbeat after which a worker counts as gone. */
const WORKER_TIMEOUT = 10_000;

/** Milliseconds that other workers have to join after one has refused. */
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

  /** @param texts from the workers @throws QueueError if every worker refuses the run */
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
