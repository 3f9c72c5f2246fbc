import type { Suite, SuiteCase } from '../core/suite.ts';
import { UnwritableError } from '../disk/fileErrors.ts';
import { rootOfRecord } from '../node/paths.ts';
import { findHomes } from '../store/home.ts';
import { priceForBudget } from './budget.ts';
import { modelsOf } from './modelsOf.ts';
import { RunRefusedError } from './refused.ts';

/** A suite, and the cases of it that will run. */
export interface ChosenSuite {
  readonly suite: Suite;
  readonly cases: readonly SuiteCase[];
}

/** The suites that are to blame where a run was refused: the others can run without them. */
export function refusedSuites(
  error: unknown,
  suites: readonly ChosenSuite[],
): readonly ChosenSuite[] {
  if (error instanceof UnwritableError && error.path !== undefined) {
    const root = rootOfRecord(error.path);
    const homes = findHomes(suites.map(({ suite }) => suite));
    return suites.filter(({ suite }) => homes.get(suite.path)?.root === root);
  }
  if (error instanceof RunRefusedError) return suites.filter(lacksPrice);
  return suites;
}

function lacksPrice({ cases }: ChosenSuite): boolean {
  try {
    modelsOf(cases).forEach(priceForBudget);
    return false;
  } catch {
    return true;
  }
}
