import { caseKey } from '../core/identity.ts';
import { combineRepetitions } from '../core/record/repetitions.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import type { Status } from '../core/verdict.ts';
import { LatestRuns } from '../store/latest.ts';
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
      const own = statuses.get(caseKey({ suite: suite.path, ...one })) ?? [];
      const status = own.length > 1 ? await statusOf(suite, one, latest) : own[0];
      if ((onlyFailed && status === 'fail') || (onlyErrors && status === 'error')) found.add(one);
    }
  }
  return found;
}

/** Its repetitions taken together. */
async function statusOf(suite: Suite, one: SuiteCase, latest: LatestRuns): Promise<Status> {
  const found = await latest.find(suite.path, one.id, { variant: one.variant });
  return combineRepetitions(
    found.map(({ line }) => line),
    one.repeat.pass,
  ).status;
}

export function nothingEnded({ onlyFailed, onlyErrors }: Wanted): string {
  const words = [...(onlyFailed ? ['failed'] : []), ...(onlyErrors ? ['errored'] : [])];
  return `No case ${words.join(' or ')} when it last ran. Nothing was run.\n`;
}
