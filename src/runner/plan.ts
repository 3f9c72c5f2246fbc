import type { Suite, SuiteCase } from '../core/suite.ts';
import type { PlannedCase } from './caseRunner.ts';
import { RunRefusedError } from './refused.ts';
import type { RunOptions } from './runOptions.ts';

/** Of cases, or of what stands for them, those that say `only`; all where none does. */
export function onlyOf<One>(
  all: readonly One[],
  caseOf: (one: One) => Pick<SuiteCase, 'only'>,
): readonly One[] {
  const only = all.filter((one) => caseOf(one).only);
  return only.length > 0 ? only : all;
}

/** The cases of suites that are selected; all by default. */
export function selectedCases(
  suites: readonly Suite[],
  select: NonNullable<RunOptions['select']> = () => true,
): Pick<PlannedCase, 'suite' | 'case'>[] {
  return suites.flatMap((suite) =>
    suite.cases.filter((one) => select(suite, one)).map((one) => ({ suite, case: one })),
  );
}

/**
 * What will run, in the order of the suites and their cases. Cases that say `only` leave out the
 * others.
 *
 * @throws RunRefusedError
 */
export function planRun({
  suites,
  select,
  forbidOnly,
}: Pick<RunOptions, 'suites' | 'select' | 'forbidOnly'>): PlannedCase[] {
  const narrowed = onlyOf(selectedCases(suites, select), (one) => one.case);
  if (forbidOnly && narrowed[0]?.case.only) {
    const ids = narrowed.map((one) => one.case.id).join(', ');
    const message = `\`only\` is not allowed in this run. Remove it from these cases: ${ids}.`;
    throw new RunRefusedError('only-forbidden', message);
  }
  return narrowed.flatMap(({ suite, case: suiteCase }) =>
    Array.from({ length: suiteCase.repeat.times }, (_, index) => ({
      suite,
      case: suiteCase,
      ref: {
        suite: suite.path,
        id: suiteCase.id,
        ...(suiteCase.variant !== undefined && { variant: suiteCase.variant }),
        repetition: index + 1,
      },
    })),
  );
}
