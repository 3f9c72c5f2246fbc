import { caseKey } from '../core/identity.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { LatestRuns } from '../store/records/latest.ts';
import type { RunCommandOptions } from './commands/runCommandOptions.ts';

type Wanted = Pick<RunCommandOptions, 'onlyFailed' | 'onlyErrors'>;

/** The cases whose last run ended as the options want it; undefined where they want none in particular. */
export async function lastEnded(
  suites: readonly Suite[],
  { onlyFailed, onlyErrors }: Wanted,
): Promise<ReadonlySet<SuiteCase> | undefined> {
  if (!onlyFailed && !onlyErrors) return undefined;
  const latest = new LatestRuns();
  const found = new Set<SuiteCase>();
  for (const suite of suites) {
    const statuses = await latest.statuses(suite.path, suite.cases);
    for (const one of suite.cases) {
      const status = statuses.get(caseKey({ suite: suite.path, ...one }));
      if ((onlyFailed && status === 'fail') || (onlyErrors && status === 'error')) found.add(one);
    }
  }
  return found;
}

export function nothingEnded({ onlyFailed, onlyErrors }: Wanted): string {
  const words = [...(onlyFailed ? ['failed'] : []), ...(onlyErrors ? ['errored'] : [])];
  return `No case ${words.join(' or ')} when it last ran. Nothing was run.\n`;
}
