import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { errorText } from '../core/errors.ts';
import { caseKey, executionKey } from '../core/identity.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Suite } from '../core/suite.ts';
import { mapCasePaths } from '../node/paths.ts';
import { lostLine } from '../runner/case/caseLine.ts';
import { openRunner } from '../runner/run.ts';
import type { PlannedCase, RunOptions } from '../runner/runOptions.ts';
import {
  isRunId,
  MAX_MANIFEST_BYTES,
  type Manifest,
  readJob,
  readManifest,
  type WorkerStatus,
} from './messages.ts';
import {
  type Connection,
  connect,
  DISCONNECT_TIMEOUT,
  keysOf,
  PREFIX,
  RUN_TTL,
  RUNS,
  waitAtMost,
} from './redis.ts';
import {
  describeDifference,
  localPath,
  type SuiteWithFiles,
  sharedPath,
  sharedSuite,
} from './sharedFiles.ts';
import { QueueLimits, sharedBudget } from './sharedLimits.ts';

/** Milliseconds between checks for new and finished runs. */
const POLL_INTERVAL = 250;

const MAX_RUNS = 100;

interface ServeOptions extends WorkerHost {
  readonly url: string;
  /** The version of Turnlight. */
  readonly version: string;
  /** Reads an eval file. @returns a reason if it can't run here */
  readonly load: (path: string) => Promise<SuiteWithFiles | string>;
  /** When aborted, the worker takes no more cases. */
  readonly signal: AbortSignal;
  readonly report: (text: string) => void;
}

/** Runs cases for other machines until the signal is aborted and all started cases have ended. @throws QueueError */
export async function serveQueue(options: ServeOptions): Promise<void> {
  const connection = await connect(options.url, options.scrubber, options.log);
  const server = new Server(options, connection);
  try {
    await server.serve();
  } finally {
    await connection.close();
  }
}

interface JoinedRun {
  readonly member: Omit<WorkerStatus, 'beat'>;
  readonly served?: ServedRun;
}

class Server {
  readonly #options: ServeOptions;
  readonly #connection: Connection;
  readonly #name = `${hostname()}:${process.pid}`;
  readonly #limit;
  readonly #answers = new Map<string, JoinedRun>();
  /** The runs that failed in the last poll. */
  #skipped: ReadonlySet<string> = new Set();
  #beat = 0;
  #polling: Promise<void> | undefined;

  constructor(options: ServeOptions, connection: Connection) {
    this.#options = options;
    this.#connection = connection;
    this.#limit = pLimit(options.concurrency);
  }

  async serve(): Promise<void> {
    const { signal, report, concurrency } = this.#options;
    report(`Serving ${this.#connection.shown}. Concurrency: ${concurrency}.`);
    while (!signal.aborted) {
      await untilAborted(this.#poll(), signal);
      await setTimeout(POLL_INTERVAL, undefined, { signal }).catch(() => {});
    }
    let isOver = false;
    const finishing = this.#finish().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([this.#poll(), finishing]);
      await waitAtMost(POLL_INTERVAL, finishing);
    }
  }

  async #finish(): Promise<void> {
    // A run that is being joined may have cases soon; an unreachable Redis doesn't have any.
    await waitAtMost(DISCONNECT_TIMEOUT, this.#polling ?? Promise.resolve());
    const served = [...this.#answers.values()].flatMap((one) => one.served ?? []);
    await Promise.all(served.map((one) => one.finish()));
  }

  /** Polls for work. Only one poll runs at a time. */
  #poll(): Promise<void> {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #pollOnce(): Promise<void> {
    const runs = await this.#listRuns();
    const skipped = new Set<string>();
    this.#beat += 1;
    for (const run of new Set([...runs, ...this.#answers.keys()])) {
      try {
        await this.#connection.use(this.#visit(run));
      } catch (error) {
        skipped.add(run);
        if (!this.#skipped.has(run))
          this.#options.report(`Skipped run ${run}. ${errorText(error)}`);
      }
    }
    this.#skipped = skipped;
  }

  /** @throws QueueError if there is no run to finish either */
  async #listRuns(): Promise<string[]> {
    const { redis, use } = this.#connection;
    try {
      return (await use(redis.zrange(RUNS, 0, `${MAX_RUNS - 1}`))).filter(isRunId);
    } catch (error) {
      if (this.#answers.size === 0) throw error;
      return [];
    }
  }

  async #visit(run: string): Promise<void> {
    const isAlive = (await this.#connection.redis.exists(keysOf(run).manifest)) === 1;
    if (!isAlive) await this.#leave(run);
    else if (!this.#options.signal.aborted || this.#answers.has(run)) await this.#answer(run);
  }

  async #answer(run: string): Promise<void> {
    const known = this.#answers.get(run);
    if (!known) await this.#reportStatus(run, { name: this.#name, state: 'reads' });
    const answer = known ?? (await this.#join(run));
    this.#answers.set(run, answer);
    await this.#reportStatus(run, answer.member);
    if (known) return;
    const { state, why } = answer.member;
    this.#options.report(
      state === 'serves' ? `Joined run ${run}.` : `Did not join run ${run}. ${why}`,
    );
  }

  async #reportStatus(run: string, member: JoinedRun['member']): Promise<void> {
    const { redis } = this.#connection;
    const { workers } = keysOf(run);
    const status: WorkerStatus = { ...member, beat: this.#beat };
    await redis.hset(workers, this.#name, JSON.stringify(status));
    await redis.expire(workers, RUN_TTL);
  }

  async #join(run: string): Promise<JoinedRun> {
    const name = this.#name;
    const refuses = (why: string): JoinedRun => ({
      member: { name, state: 'refuses', why: this.#options.scrubber.text(why).slice(0, 2_000) },
    });
    const { redis } = this.#connection;
    const key = keysOf(run).manifest;
    if ((await redis.strlen(key)) > MAX_MANIFEST_BYTES) return refuses('The run is too large.');
    const manifest = readManifest((await redis.get(key)) ?? '');
    if (!manifest) return refuses('The run was started by an incompatible version of Turnlight.');
    try {
      const suites = await this.#suites(manifest);
      if (typeof suites === 'string') return refuses(suites);
      const [options, limit, connection] = [this.#options, this.#limit, this.#connection];
      const served = await joinRun(run, manifest, suites, options, limit, connection);
      return { member: { name, state: 'serves' }, served };
    } catch (error) {
      return refuses(errorText(error));
    }
  }

  /** @returns the local suites, or how they differ from the suites of the run */
  async #suites({ version, suites }: Manifest): Promise<Suite[] | string> {
    const { root, load } = this.#options;
    if (version !== this.#options.version) {
      return `The run uses Turnlight ${version}, but this worker uses ${this.#options.version}.`;
    }
    const found: Suite[] = [];
    for (const asked of suites) {
      const loaded = await load(localPath(asked.path, root));
      if (typeof loaded === 'string') return loaded;
      const differs = describeDifference(await sharedSuite(loaded, root), asked);
      if (differs !== undefined) return differs;
      found.push(loaded.suite);
    }
    return found;
  }

  /** Leaves a run. If the run was killed, also removes its cases. */
  async #leave(run: string): Promise<void> {
    const { redis, bullmq } = this.#connection;
    const known = this.#answers.get(run);
    this.#answers.delete(run);
    if (known) this.#options.report(`Run ${run} ended.`);
    await known?.served?.leave();
    if ((await redis.zrem(RUNS, run)) === 0) return;
    const queue = new bullmq.Queue(run, { connection: redis, prefix: PREFIX });
    queue.on('error', () => {});
    await queue.obliterate({ force: true }).catch(() => {});
    await queue.close();
    const { workers, cost, held, limits } = keysOf(run);
    await redis.del(workers, cost, held, limits);
  }
}

/** Stops waiting for the work when the signal is aborted. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const aborted = once(signal, 'abort', { signal: stop.signal }).catch(() => {});
  await Promise.race([work, aborted]).finally(() => stop.abort());
}

/** Milliseconds after which another worker gets a case if its worker stops renewing the lock. */
const LOCK_DURATION = 8_000;
const STALLED_INTERVAL = 4_000;

/** Maximum number of workers that may die while they run the same case. */
const MAX_DEATHS = 2;

interface WorkerHost
  extends Pick<
    RunOptions,
    'secret' | 'env' | 'programVariables' | 'traceSecretFile' | 'scrubber' | 'log'
  > {
  readonly allowedHosts: NonNullable<RunOptions['allowedHosts']>;
  /** The folder that paths are relative to. */
  readonly root: string;
  readonly concurrency: number;
  /** See `answersFolder` in `store/answers`. */
  readonly answersFolder: string;
  readonly onCase: (line: CaseLine) => void;
}

interface ServedRun {
  /** Takes no more cases, and waits for cases that have already started. */
  finish(): Promise<void>;
  /** Stops all cases, because the run is over. */
  leave(): Promise<void>;
}

/** @param limit limits the number of concurrent cases across all runs @throws RecordingError, UnwritableError */
async function joinRun(
  run: string,
  { timeout, maxCost, cache }: Manifest,
  suites: readonly Suite[],
  host: WorkerHost,
  limit: LimitFunction,
  { bullmq, redis }: Connection,
): Promise<ServedRun> {
  const { root, answersFolder, traceSecretFile, concurrency } = host;
  const { secret, env, programVariables, allowedHosts, scrubber, log } = host;
  const leaving = new AbortController();
  const budget = maxCost === undefined ? undefined : sharedBudget(redis, run, maxCost);
  const runner = await openRunner({
    suites,
    timeout,
    ...(budget && { budget }),
    sharedLimits: (line) => new QueueLimits(redis, run, line),
    answersFolder,
    ...(traceSecretFile !== undefined && { traceSecretFile }),
    ...(cache && { cache: { folder: answersFolder, fresh: false } }),
    concurrency,
    forbidOnly: false,
    keepRecord: true,
    described: {},
    ...{ secret, env, programVariables, allowedHosts, scrubber, log },
    signal: leaving.signal,
    onEvent() {},
  });
  const cases = new Map(
    suites.flatMap((suite) =>
      suite.cases.map((one) => {
        const path = sharedPath(suite.path, root);
        return [caseKey({ suite: path, id: one.id, variant: one.variant }), { suite, case: one }];
      }),
    ),
  );
  /** @returns the case's line as JSON; empty if the cost limit prevented the case from starting */
  const runJob = async ({ data }: Job): Promise<string> => {
    if (await budget?.check()) return '';
    const asked = readJob(data);
    const found = asked && cases.get(caseKey(asked));
    if (!found || asked.repetition > found.case.repeat.times) {
      throw new Error('The queue requested a case that is not in the eval files.');
    }
    const { id, variant } = found.case;
    const { repetition } = asked;
    const ref = {
      suite: found.suite.path,
      id,
      ...(variant !== undefined && { variant }),
      repetition,
    };
    const planned = { ...found, ref };
    const line = await runner.run(planned);
    if (!line) return '';
    host.onCase(line);
    return lineText(planned, line, root);
  };
  /** Number of cases that have started but not ended. */
  let started = 0;
  const countJob = async (job: Job) => {
    started += 1;
    return limit(() => runJob(job)).finally(() => {
      started -= 1;
    });
  };
  const worker = new bullmq.Worker(run, countJob, {
    connection: redis,
    prefix: PREFIX,
    concurrency: runner.concurrency,
    lockDuration: LOCK_DURATION,
    stalledInterval: STALLED_INTERVAL,
    maxStalledCount: MAX_DEATHS,
  });
  // The connection reports its errors, and a case with a lost lock belongs to another worker.
  worker.on('error', () => {});
  return {
    async finish() {
      const closing = worker.close();
      // If no case has started, an unreachable Redis isn't worth waiting for.
      await (started > 0 ? closing : waitAtMost(DISCONNECT_TIMEOUT, closing));
      await runner.close();
    },
    async leave() {
      leaving.abort(new Error('The run has ended.'));
      await worker.close(true);
      await runner.close();
    },
  };
}

function lineText(planned: PlannedCase, line: CaseLine, root: string): string {
  const shared = (one: CaseLine) =>
    JSON.stringify(mapCasePaths(one, (path) => sharedPath(path, root)));
  const text = shared(line);
  if (text.length <= LIMITS.recordLine) return text;
  const why = `The result of ${executionKey(planned.ref)} exceeds ${readable(LIMITS.recordLine)} bytes.`;
  return shared(lostLine(planned, `too-large: ${why}`));
}
