import type { EditorModels } from '../core/editorModels.ts';
import type { AllowedHost } from '../core/environment.ts';
import { ReasonedError } from '../core/errors.ts';
import type { CaseRef } from '../core/identity.ts';
import type { Logger } from '../core/logger.ts';
import type { CaseLine, EndLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { UnwritableError } from '../disk/fileErrors.ts';
import type { SharedLimitsFactory } from '../models/endpoint/endpoints.ts';
import type { ModelRequest } from '../models/model.ts';
import type { EarlierRun } from '../store/records/list.ts';
import type { Attach } from '../targets/programs/programs.ts';
import type { RunEvent } from './events.ts';

export const DEFAULT_CONCURRENCY = 4;

/** Milliseconds. */
export const DEFAULT_TIMEOUT = 60_000;

/** The port for spans from services that were started earlier. OpenTelemetry's collectors use 4317 and 4318. */
export const DEFAULT_TRACES_PORT = 43_180;

interface CacheOptions {
  /** See `answersFolder`. */
  readonly folder: string;
  /** Whether to ignore stored answers. */
  readonly fresh: boolean;
}

export interface RunOptions {
  readonly suites: readonly Suite[];
  /** Which cases to run; all by default. */
  readonly select?: (suite: Suite, suiteCase: SuiteCase) => boolean;
  /**
   * Maximum number of cases being run or written at the same time, and maximum number of requests in flight per
   * endpoint; at least 1.
   */
  readonly concurrency: number;
  /** Default time limit for a target's reply, in milliseconds. */
  readonly timeout: number;
  /** Whether to refuse to run if a case has `only`. */
  readonly forbidOnly: boolean;
  readonly keepRecord: boolean;
  /** The run to resume, in its own record. Finished cases don't run again if their results are still valid. */
  readonly resume?: EarlierRun;
  /** The run whose conversations to judge again with the current files, without calling a target. */
  readonly judgeAgain?: EarlierRun;
  /** The recording to write all exchanges with models and targets to. */
  readonly record?: string;
  /** The recording to answer requests to models and targets from. */
  readonly replay?: string;
  /** Stores answers from models, and from targets that set `cache`, for later runs. Default: none. */
  readonly cache?: CacheOptions;
  /**
   * See `answersFolder`. The folder for judges' answers that all cases share, stored for later runs. Default: not
   * stored.
   */
  readonly answersFolder?: string;
  /** Cost limit for the run, in the currency of the prices. Default: none. */
  readonly maxCost?: number;
  /** Enforces the cost limit if other processes also spend money. */
  readonly budget?: SpendingLimit;
  /** Enforces endpoints' limits if other processes also call them. */
  readonly sharedLimits?: SharedLimitsFactory;
  /** The options to write to the record's `run` line. */
  readonly described: Readonly<Record<string, unknown>>;
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: (name: string) => string | undefined;
  /** Environment variables for targets' programs, in addition to those of this process. Default: none. */
  readonly programVariables?: Readonly<Record<string, string>> | undefined;
  /** The editor's models; absent on the command line. */
  readonly editorModels?: EditorModels;
  /** Hosts that may receive keys, in addition to the default ones. Default: none. */
  readonly allowedHosts?: readonly AllowedHost[];
  /** The port that receives services' spans. Default: `DEFAULT_TRACES_PORT`. */
  readonly tracesPort?: number;
  /** See `traceSecretFile`. Default: services can't send spans. */
  readonly traceSecretFile?: string;
  /** Whether to stream replies, and report them while they arrive. Default: false. */
  readonly follow?: boolean;
  /** Runs the cases elsewhere, and reports all of their events except `case-finished`. */
  readonly elsewhere?: CaseRunner;
  /** Attaches a debugger to the user's functions, which then have no time limit. */
  readonly attach?: Attach;
  /** Removes secrets from everything that is reported, sent, or written. */
  readonly scrubber: Scrubber;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

export interface RunResult {
  /** Why cases of the earlier run, which is judged again or resumed, may be missing. */
  readonly damage: readonly string[];
  /** Number of executions without a result. */
  readonly unfinished: number;
  readonly end: EndLine;
  /** Paths of the records, absolute. */
  readonly records: readonly string[];
  /** Files that couldn't be written; the run continued without them. */
  readonly writeErrors: readonly UnwritableError[];
}

/** One repetition of one case. */
export interface PlannedCase {
  readonly suite: Suite;
  readonly case: SuiteCase;
  readonly ref: CaseRef;
}

/** Runs a run's cases, either in this process or on a queue's workers. */
export interface CaseRunner {
  /** @returns undefined if the cost limit prevented the case from starting @throws the signal's reason when aborted */
  run(planned: PlannedCase): Promise<CaseLine | undefined>;
  /** Maximum number of cases to run at the same time. */
  readonly concurrency: number;
  /** Whether the cost limit ended the run. */
  readonly stopped: boolean;
}

/**
 * Thrown if a run is refused. `only-forbidden`: a case has `only`; `no-price`: its cost is limited, but a price is
 * unknown; `too-many`: a record can't contain all of its executions.
 */
export class RunRefusedError extends ReasonedError<'only-forbidden' | 'no-price' | 'too-many'> {
  override readonly name = 'RunRefusedError';
}

/** Minimum and maximum cost of a request. */
export interface CostBounds {
  readonly least: number;
  readonly most: number;
}

/** The cost limit for a run, in the currency of the prices. */
export interface SpendingLimit {
  /**
   * Reserves an amount from `least` to `most`, and does the work with it. Waits if work in progress has reserved what
   * is left.
   * @throws ModelError `over-budget` if less than `least` is left, before anything is spent
   */
  spend<Paid>(
    bounds: CostBounds,
    work: (allowed: number) => Promise<Paid>,
    costOf: (paid: Paid) => number | null,
    waits?: ModelRequest['onWait'],
  ): Promise<Paid>;
  /** Whether the limit was reached, so that nothing new starts. */
  readonly exhausted: boolean;
}
