import type { CaseRef } from '../core/identity.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';

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
  readonly atOnce: number;
  /** True once the limit of the cost ended the run. */
  readonly stopped: boolean;
}
