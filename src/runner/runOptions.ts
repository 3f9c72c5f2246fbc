import type { Logger } from '../core/logger.ts';
import type { EndLine } from '../core/runRecord.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { RunEvent } from './events.ts';

export interface RunOptions {
  readonly suites: readonly Suite[];
  /** Which cases to run; all unless given. */
  readonly select?: (suite: Suite, suiteCase: SuiteCase) => boolean;
  /** How many cases go on side by side. */
  readonly concurrency: number;
  /** Milliseconds one reply of a target may take, unless the target says otherwise. */
  readonly timeout: number;
  /** Refuse to run while a case says `only`. */
  readonly forbidOnly: boolean;
  /** The folder that paths in targets may not leave. */
  readonly workspace: string;
  /** False keeps no record of the run. */
  readonly keepRecord: boolean;
  /** Writes every model and target exchange to this recording. */
  readonly record?: string;
  /** Answers models and targets from this recording. */
  readonly replay?: string;
  /** Most that the run may cost, in the currency of the prices; no limit unless given. */
  readonly maxCost?: number;
  /** Kept in the record's `run` line. */
  readonly described: Readonly<Record<string, unknown>>;
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: (name: string) => string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
}

export interface RunResult {
  readonly end: EndLine;
  /** The files of the records, absolute; none where none are kept. */
  readonly records: readonly string[];
}
