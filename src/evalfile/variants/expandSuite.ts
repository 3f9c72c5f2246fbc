import type { Suite, SuiteCase } from '../../core/suite.ts';
import type { LoadedSuite } from '../loadedSuite.ts';

/**
 * The suite with each conversation of its cases as a case of its own, and what is wrong with finding them.
 *
 * @param wants which cases are looked into; all by default
 */
export async function expandSuite(
  loaded: LoadedSuite,
  wants: (suiteCase: SuiteCase) => boolean = () => true,
): Promise<LoadedSuite> {
  const { suite } = loaded;
  if (!suite?.cases.some(({ expand }) => expand)) return loaded;
  const cases: SuiteCase[] = [];
  const problems = [...loaded.problems];
  for (const one of suite.cases) {
    const expanded = wants(one) ? await one.expand?.() : undefined;
    cases.push(...(expanded?.cases ?? [one]));
    problems.push(...(expanded?.problems ?? []));
  }
  const whole: Suite = { ...suite, cases };
  return { ...loaded, problems, suite: whole };
}
