import type { Job, Worker } from 'bullmq';
import type { LimitFunction } from 'p-limit';
import { caseKey, executionKey } from '../core/identity.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Suite } from '../core/suite.ts';
import { mapCasePaths } from '../node/paths.ts';
import { lostLine } from '../runner/case/caseLine.ts';
import type { PlannedCase } from '../runner/caseRunner.ts';
import { type OpenRunner, openRunner } from '../runner/here.ts';
import type { RunOptions } from '../runner/runOptions.ts';
import { type Manifest, readJob } from './messages.ts';
import { QueueLimits } from './queueLimits.ts';
import { type Connection, LEAVING, PREFIX, within } from './redis.ts';
import { SharedBudget } from './sharedBudget.ts';
import { sharedPath } from './sharedFiles.ts';

/** Milliseconds after which a case is another worker's whose own does not say any more that it runs it. */
const LOCK = 8_000;
const STALLED = 4_000;

/** So many workers may die of a case before it is given up. */
const DEATHS = 2;

/** What a worker gives to the cases of every run. */
export interface Host
  extends Pick<RunOptions, 'secret' | 'env' | 'programVariables' | 'scrubber' | 'log'> {
  readonly allowedHosts: NonNullable<RunOptions['allowedHosts']>;
  /** The folder from which files are named. */
  readonly root: string;
  readonly concurrency: number;
  /** Where answers of models are kept. */
  readonly answersFolder: string;
  /** A case has ended. */
  readonly onCase: (line: CaseLine) => void;
}

/** A run whose cases this worker takes. */
export class ServedRun {
  readonly #host: Host;
  readonly #limit: LimitFunction;
  readonly #cases: ReadonlyMap<string, Pick<PlannedCase, 'suite' | 'case'>>;
  readonly #runner: OpenRunner;
  readonly #budget: SharedBudget | undefined;
  readonly #worker: Worker;
  readonly #leaving: AbortController;
  /** Cases that were taken and have not ended. */
  #inHand = 0;

  private constructor(
    host: Host,
    limit: LimitFunction,
    suites: readonly Suite[],
    opened: { readonly runner: OpenRunner; readonly leaving: AbortController },
    budget: SharedBudget | undefined,
    { bullmq, redis }: Connection,
    run: string,
  ) {
    this.#host = host;
    this.#limit = limit;
    this.#runner = opened.runner;
    this.#leaving = opened.leaving;
    this.#budget = budget;
    this.#cases = new Map(
      suites.flatMap((suite) =>
        suite.cases.map((one) => {
          const path = sharedPath(suite.path, host.root);
          return [caseKey({ suite: path, id: one.id, variant: one.variant }), { suite, case: one }];
        }),
      ),
    );
    this.#worker = new bullmq.Worker(run, (job) => this.#take(job), {
      connection: redis,
      prefix: PREFIX,
      concurrency: opened.runner.atOnce,
      lockDuration: LOCK,
      stalledInterval: STALLED,
      maxStalledCount: DEATHS,
    });
    // What goes wrong with the connection is told by the connection, and a lost lock is another's case.
    this.#worker.on('error', () => {});
  }

  /** @throws RunRefusedError */
  static async begin(
    run: string,
    { timeout, maxCost, cache }: Manifest,
    suites: readonly Suite[],
    host: Host,
    limit: LimitFunction,
    connection: Connection,
  ): Promise<ServedRun> {
    const leaving = new AbortController();
    const budget =
      maxCost === undefined ? undefined : new SharedBudget(connection.redis, run, maxCost);
    const runner = await openRunner({
      suites,
      timeout,
      ...(budget && { budget }),
      sharedLimits: (line) => new QueueLimits(connection.redis, run, line),
      ...(cache && { cache: { folder: host.answersFolder, fresh: false } }),
      concurrency: host.concurrency,
      forbidOnly: false,
      keepRecord: true,
      described: {},
      secret: host.secret,
      env: host.env,
      programVariables: host.programVariables,
      allowedHosts: host.allowedHosts,
      scrubber: host.scrubber,
      log: host.log,
      signal: leaving.signal,
      onEvent() {},
    });
    return new ServedRun(host, limit, suites, { runner, leaving }, budget, connection, run);
  }

  /** Takes no more cases, and ends those that it has. */
  async finish(): Promise<void> {
    const closing = this.#worker.close();
    // Only what it has is worth waiting for a Redis that is away.
    await (this.#inHand > 0 ? closing : within(LEAVING, closing));
    await this.#runner.close();
  }

  /** The run is over: what still runs is for nobody. */
  async leave(): Promise<void> {
    this.#leaving.abort(new Error('The run is over.'));
    await this.#worker.close(true);
    await this.#runner.close();
  }

  /** @returns the case's line as JSON; nothing where the limit of the cost kept it from beginning */
  async #take(job: Job): Promise<string> {
    this.#inHand += 1;
    try {
      return await this.#limit(() => this.#run(job));
    } finally {
      this.#inHand -= 1;
    }
  }

  async #run(job: Job): Promise<string> {
    if (await this.#budget?.look()) return '';
    const planned = this.#planned(job.data);
    const line = await this.#runner.run(planned);
    if (!line) return '';
    this.#host.onCase(line);
    return this.#text(planned, line);
  }

  /** @throws Error for what is no case of this run */
  #planned(data: unknown): PlannedCase {
    const asked = readJob(data);
    const found = asked && this.#cases.get(caseKey(asked));
    if (!found || asked.repetition > found.case.repeat.times) {
      throw new Error('The queue asks for a case that the eval files do not have.');
    }
    const { repetition } = asked;
    const ref = { suite: found.suite.path, id: found.case.id, repetition };
    const { variant } = found.case;
    return { ...found, ref: { ...ref, ...(variant !== undefined && { variant }) } };
  }

  #text(planned: PlannedCase, line: CaseLine): string {
    const { root } = this.#host;
    const shared = (one: CaseLine) =>
      JSON.stringify(mapCasePaths(one, (path) => sharedPath(path, root)));
    const text = shared(line);
    if (text.length <= LIMITS.recordLine) return text;
    const why = `The result of ${executionKey(planned.ref)} exceeds ${readable(LIMITS.recordLine)} bytes.`;
    return shared(lostLine(planned, `too-large: ${why}`));
  }
}
