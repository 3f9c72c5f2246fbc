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
  MAX_WORKER_BYTES,
  type Manifest,
  readLine,
  readWorkerStatus,
  staysInside,
  type WorkerStatus,
} from './messages.ts';
import { connect, keysOf, PREFIX, QueueError, RUN_TTL, RUNS, waitAtMost } from './redis.ts';
import { localPath, type SuiteWithFiles, sharedPath, sharedSuite } from './sharedFiles.ts';

const HEARTBEAT_INTERVAL = 1_000;

/** Maximum milliseconds that an unreachable Redis may delay the end of a run. */
const CLOSE_TIMEOUT = 10_000;

/** Number of heartbeats between checks for results without an event. */
const BEATS_PER_SWEEP = 5;

/** Returns the values of a hash, except values longer than allowed, because others may write to the hash. */
const SHORT_VALUES = `
local short = {}
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if redis.call('HSTRLEN', KEYS[1], field) <= tonumber(ARGV[1]) then
    short[#short + 1] = redis.call('HGET', KEYS[1], field)
  end
end
return short
`;

/** Maximum number of attempts if a case fails because of a bug in a worker. */
const MAX_ATTEMPTS = 2;

/** Maximum number of events to keep in Redis, including results. The sweep finds results whose events were dropped. */
const MAX_EVENTS = 2_000;

interface QueuedRunOptions extends RemoteOptions {
  readonly url: string;
  /** The version of Turnlight. */
  readonly version: string;
  readonly suites: readonly SuiteWithFiles[];
  readonly timeout: number;
  readonly maxCost?: number;
  /** Whether workers may use their own caches. */
  readonly cache: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

interface PendingCase {
  readonly planned: PlannedCase;
  readonly resolve: (line: CaseLine | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Starts a run whose cases are executed by a queue's workers. @throws QueueError */
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
  const { bullmq, redis, use } = connection;
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
    stopped ||= (await use(redis.hget(keys.cost, 'exhausted'))) === '1';
  };
  const onCompleted = async (jobId: string, text: unknown) => {
    const found = pending.get(jobId);
    if (!found) return;
    pending.delete(jobId);
    try {
      await checkCost();
      // Empty if the cost limit prevented the case from starting.
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
        'The queue no longer has this run: Redis was cleared, or this computer was asleep too long.';
      throw new QueueError('lost', message);
    }
    if ((await redis.hlen(keys.workers)) < 1_000) {
      const found = await redis.eval(SHORT_VALUES, 1, keys.workers, MAX_WORKER_BYTES);
      workers.update(found as string[], performance.now());
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
  const removeRun = async () => {
    await redis.del(keys.manifest, keys.workers, keys.cost, keys.held, keys.limits);
    await redis.zrem(RUNS, id);
    await queue.obliterate({ force: true });
  };
  let timer: NodeJS.Timeout | undefined;
  /** Removes the run, which makes workers stop its cases. */
  const close = async () => {
    clearInterval(timer);
    await waitAtMost(CLOSE_TIMEOUT, removeRun());
    await waitAtMost(CLOSE_TIMEOUT, Promise.allSettled([events.close(), queue.close()]));
    await connection.close();
  };
  try {
    await use(events.waitUntilReady());
    await use(redis.set(keys.manifest, JSON.stringify(manifest), 'EX', RUN_TTL));
    await use(redis.zadd(RUNS, Date.now(), id));
  } catch (error) {
    await close();
    throw error;
  }

  // A heartbeat before the manifest exists would report that Redis has lost the run.
  let isBeating = false;
  timer = setInterval(async () => {
    if (isBeating) return;
    isBeating = true;
    await use(beat()).catch(fail);
    isBeating = false;
  }, HEARTBEAT_INTERVAL);

  let count = 0;
  return {
    // The workers decide how many of these run at the same time.
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
        use(queue.add('case', job, { jobId, attempts: MAX_ATTEMPTS })).catch(fail);
      });
    },
    close,
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

  /** Reports that a worker started the case. Another worker may start it again later. */
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

/** Whether a worker's line answers its case's questions, and has the status that its verdicts imply. */
async function isValidResult(line: CaseLine, { case: suiteCase }: PlannedCase): Promise<boolean> {
  if (line.status === 'error') return true;
  return answersCase(line, (await openCase(suiteCase)).suiteCase);
}

/** Milliseconds without a heartbeat after which a worker counts as gone. */
const WORKER_TIMEOUT = 10_000;

/** Milliseconds that other workers have to join after one has refused the run. */
const JOIN_TIMEOUT = 2_000;

interface KnownWorker extends WorkerStatus {
  readonly heard: number;
}

/** Tracks a run's workers, and logs changes. */
class Workers {
  readonly #known = new Map<string, KnownWorker>();
  readonly #log: Logger;
  #refusedSince: number | undefined;
  #hasServed = false;
  #isWaiting = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param texts messages from the workers @throws QueueError if every worker refuses the run */
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
    this.#log.warn(
      `The worker ${member.name} can't join this run: ${member.why ?? 'it gave no reason.'}`,
    );
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
    const none = this.#hasServed ? 'No worker is left' : 'No worker has joined yet';
    this.#log.warn(`${none}. The run is waiting for one. Start one with: turnlight worker --queue`);
  }
}
