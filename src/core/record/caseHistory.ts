import { counted } from '../presentation/amounts.ts';
import type { Status } from '../verdict.ts';

/** As many runs are looked back. */
export const HISTORY_RUNS = 10;

/** How a case came out over its last runs. Runs that could not judge it say nothing of it. */
export interface CaseHistory {
  /** That passed or failed it. */
  readonly runs: number;
  readonly failed: number;
  /** How many of the newest failed without a break. */
  readonly failing: number;
  /** `flaky`: it changed more than once, or the repetitions of one run differ; `broken`: it fails and did not before. */
  readonly kind: 'passing' | 'failing' | 'broken' | 'mended' | 'flaky';
}

/**
 * Tells what is flaky from what is broken: who broke it changes the outcome once, chance changes it again and again.
 *
 * @param runs the newest first, each with the status of every repetition
 * @returns undefined for fewer than two runs that passed or failed
 */
export function historyOf(runs: readonly (readonly Status[])[]): CaseHistory | undefined {
  const outcomes = runs.flatMap((statuses) => outcomeOf(statuses) ?? []).slice(0, HISTORY_RUNS);
  if (outcomes.length < 2) return undefined;
  const failed = outcomes.filter((one) => one !== 'pass').length;
  const changes = outcomes.filter((one, index) => index > 0 && one !== outcomes[index - 1]).length;
  const streak = outcomes.indexOf('pass');
  const failing = streak < 0 ? outcomes.length : streak;
  return { runs: outcomes.length, failed, failing, kind: kindOf(outcomes, changes) };
}

type RunOutcome = 'pass' | 'fail' | 'mixed';

function outcomeOf(statuses: readonly Status[]): RunOutcome | undefined {
  const decided = statuses.filter((one) => one === 'pass' || one === 'fail');
  if (decided.length === 0) return undefined;
  if (decided.every((one) => one === decided[0])) return decided[0];
  return 'mixed';
}

function kindOf(outcomes: readonly RunOutcome[], changes: number): CaseHistory['kind'] {
  if (outcomes.includes('mixed') || changes > 1) return 'flaky';
  const fails = outcomes[0] === 'fail';
  if (changes === 0) return fails ? 'failing' : 'passing';
  return fails ? 'broken' : 'mended';
}

/** `Failed 3 of the last 10 runs, on and off: flaky.` */
export function historyText({ runs, failed, failing, kind }: CaseHistory): string {
  const some = `Failed ${failed} of the last ${counted(runs, 'run')}`;
  switch (kind) {
    case 'passing':
      return `Passed all of the last ${counted(runs, 'run')}.`;
    case 'failing':
      return `Failed all of the last ${counted(runs, 'run')}: broken, not flaky.`;
    case 'broken':
      return `${some}, ${failing === 1 ? 'the newest one' : `the newest ${failing}`}: broken.`;
    case 'mended':
      return `${some}, and not since: mended.`;
    case 'flaky':
      return `${some}, on and off: flaky.`;
  }
}
