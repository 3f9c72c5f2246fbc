import type { CaseRef } from '../core/identity.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { RunRefusedError } from './refused.ts';
import type { RunOptions } from './runOptions.ts';

/** One repetition of one case. */
export interface PlannedCase {
  readonly suite: Suite;
  readonly case: SuiteCase;
  readonly ref: CaseRef;
}

/**
 * What will run, in the order of the suites and their cases. Cases that say `only` leave out the
 * others.
 *
 * @throws RunRefusedError
 */
export function planRun({
  suites,
  select = () => true,
  forbidOnly,
}: Pick<RunOptions, 'suites' | 'select' | 'forbidOnly'>): PlannedCase[] {
  const selected = suites.flatMap((suite) =>
    suite.cases.filter((one) => select(suite, one)).map((one) => ({ suite, case: one })),
  );
  const only = selected.filter((one) => one.case.only);
  if (forbidOnly && only.length > 0) {
    const ids = only.map((one) => one.case.id).join(', ');
    const message = `\`only\` is not allowed in this run. Remove it from these cases: ${ids}.`;
    throw new RunRefusedError('only-forbidden', message);
  }
  return (only.length > 0 ? only : selected).flatMap(({ suite, case: suiteCase }) =>
    Array.from({ length: suiteCase.repeat.times }, (_, index) => ({
      suite,
      case: suiteCase,
      ref: { suite: suite.path, id: suiteCase.id, repetition: index + 1 },
    })),
  );
}
