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

/** Default of `concurrency`. */
export const DEFAULT_CONCURRENCY = 4;

/** Default of `timeout`, in milliseconds. */
export const DEFAULT_TIMEOUT = 60_000;

interface CacheOptions {
  /** As of `answersFolder`. */
  readonly folder: string;
  /** Asks anew, whatever is kept. */
  readonly fresh: boolean;
}

export interface RunOptions {
  readonly suites: readonly Suite[];
  /** Which cases to run; all by default. */
  readonly select?: (suite: Suite, suiteCase: SuiteCase) => boolean;
  /** Maximum number of cases that are begun and not yet written down, and of requests in flight per endpoint; at least 1. */
  readonly concurrency: number;
  /** Milliseconds one reply of a target may take, unless the target says otherwise. */
  readonly timeout: number;
  /** Refuse to run while a case says `only`. */
  readonly forbidOnly: boolean;
  /** False keeps no record of the run. */
  readonly keepRecord: boolean;
  /** The run that goes on, in its own record: what finished and still stands is not run again. */
  readonly resume?: EarlierRun;
  /** The run whose conversations are judged as the files now say, without asking a target. */
  readonly judgeAgain?: EarlierRun;
  /** Writes every model and target exchange to this recording. */
  readonly record?: string;
  /** Answers models and targets from this recording. */
  readonly replay?: string;
  /** Keeps answers of models there, and those of targets that ask for it, for later runs. Default: none. */
  readonly cache?: CacheOptions;
  /** Cost limit of the run, in the currency of the prices. Default: none. */
  readonly maxCost?: number;
  /** Holds the limit where others spend as well. */
  readonly budget?: SpendingLimit;
  /** Holds the limits of endpoints where others ask them as well. */
  readonly sharedLimits?: SharedLimitsFactory;
  /** Kept in the record's `run` line. */
  readonly described: Readonly<Record<string, unknown>>;
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: (name: string) => string | undefined;
  /** Variables that programs of targets get besides those of this process. Default: none. */
  readonly programVariables?: Readonly<Record<string, string>> | undefined;
  /** The models of the editor; absent on the command line. */
  readonly editorModels?: EditorModels;
  /** Hosts beside the usual ones that may have keys. Default: none. */
  readonly allowedHosts?: readonly AllowedHost[];
  /** Tells replies while they arrive, so that models are asked to stream them. Default: false. */
  readonly follow?: boolean;
  /** Runs the cases instead of this process, and tells all of each but its end. */
  readonly elsewhere?: CaseRunner;
  /** Attaches a debugger to the functions of the user's, which then have no time limit. */
  readonly attach?: Attach;
  /** Keeps secrets out of all that is told, sent on and written. */
  readonly scrubber: Scrubber;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

export interface RunResult {
  readonly end: EndLine;
  /** The files of the records, absolute; none where none are kept. */
  readonly records: readonly string[];
  /** Files of ours that could not be written. The run went on without them. */
  readonly writeErrors: readonly UnwritableError[];
}

/** One repetition of one case. */
export interface PlannedCase {
  readonly suite: Suite;
  readonly case: SuiteCase;
  readonly ref: CaseRef;
}

/** Who runs the cases of a run: this process, or others far away. */
export interface CaseRunner {
  /** @returns undefined if the limit of the cost kept it from beginning @throws the signal's reason when aborted */
  run(planned: PlannedCase): Promise<CaseLine | undefined>;
  /** How many cases it is given at once. */
  readonly concurrency: number;
  /** True once the limit of the cost ended the run. */
  readonly stopped: boolean;
}

/**
 * The run was refused before it began. `only-forbidden`: a case says `only`, and that is forbidden;
 * `no-price`: its cost is limited, and what it would cost cannot be known.
 */
export class RunRefusedError extends ReasonedError<'only-forbidden' | 'no-price'> {
  override readonly name = 'RunRefusedError';
}

/** What work may cost. */
export interface CostBounds {
  readonly least: number;
  readonly most: number;
}

/** What a run may still spend, in the currency of the prices. */
export interface SpendingLimit {
  /**
   * Does what may cost up to `most`, or up to what is left, but needs `least`. Where others under way
   * hold what is left, it waits for them.
   *
   * @param work is told what it may cost
   * @throws ModelError `over-budget` where less than `least` is left, before anything is spent
   */
  spend<Paid>(
    bounds: CostBounds,
    work: (allowed: number) => Promise<Paid>,
    costOf: (paid: Paid) => number | null,
    waits?: ModelRequest['onWait'],
  ): Promise<Paid>;
  /** True once a request was refused, or cost more than it could: nothing new is begun. */
  readonly exhausted: boolean;
}
