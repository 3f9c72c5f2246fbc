import type { ExpandedCase, Suite, SuiteCase } from '../../core/suite.ts';
import type { LoadedSuite } from '../loadedSuite.ts';

/**
 * The suite with each conversation of its cases as a case of its own, and what is wrong with finding them.
 *
 * @param expand gives the conversations of a case; undefined where it stays as it is
 */
export async function expandSuite(
  loaded: LoadedSuite,
  expand: (suiteCase: SuiteCase) => Promise<ExpandedCase | undefined> = expandCase,
): Promise<LoadedSuite> {
  const { suite } = loaded;
  if (!suite?.cases.some((one) => one.expand)) return loaded;
  const cases: SuiteCase[] = [];
  const problems = [...loaded.problems];
  const dependencies = new Set(loaded.dependencies);
  for (const one of suite.cases) {
    const expanded = await expand(one);
    cases.push(...(expanded?.cases ?? [one]));
    problems.push(...(expanded?.problems ?? []));
    for (const file of expanded?.files ?? []) dependencies.add(file);
  }
  const whole: Suite = { ...suite, cases };
  return { ...loaded, problems, dependencies: [...dependencies], suite: whole };
}

async function expandCase(suiteCase: SuiteCase): Promise<ExpandedCase | undefined> {
  return suiteCase.expand?.();
}
