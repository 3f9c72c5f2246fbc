import type { EditorModels } from '../core/editorModels.ts';
import type { AllowedHost } from '../core/environment.ts';
import type { Logger } from '../core/logger.ts';
import type { EndLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { UnwritableError } from '../disk/fileErrors.ts';
import type { SharedLimitsFactory } from '../models/endpoint/endpoints.ts';
import type { EarlierRun } from '../store/records/list.ts';
import type { Attach } from '../targets/programs/programs.ts';
import type { Spending } from './budget.ts';
import type { CaseRunner } from './caseRunner.ts';
import type { RunEvent } from './events.ts';

/** Default of `concurrency`. */
export const DEFAULT_CONCURRENCY = 4;

/** Default of `timeout`, in milliseconds. */
export const DEFAULT_TIMEOUT = 60_000;

export interface CacheOptions {
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
  readonly budget?: Spending;
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
  readonly unwritten: readonly UnwritableError[];
}
