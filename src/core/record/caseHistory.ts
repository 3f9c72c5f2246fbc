import { counted } from '../text/format.ts';
import { type Status, WORST_FIRST } from '../verdict.ts';
import type { RepeatedCase } from './repetitions.ts';

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
  readonly kind: 'passing' | 'failing' | 'broken' | 'fixed' | 'flaky';
}

/**
 * Tells what is flaky from what is broken: who broke it changes the outcome once, chance changes it again and again.
 *
 * @param runs the newest first, the repetitions of each taken together
 * @returns undefined for fewer than two runs that passed or failed
 */
export function historyOf(runs: readonly RunOfCase[]): CaseHistory | undefined {
  const decided = runs
    .filter(({ status }) => status === 'pass' || status === 'fail')
    .slice(0, HISTORY_RUNS);
  if (decided.length < 2) return undefined;
  const outcomes = decided.map(({ status }) => status);
  const failed = outcomes.filter((one) => one === 'fail').length;
  const changes = outcomes.filter((one, index) => index > 0 && one !== outcomes[index - 1]).length;
  const streak = outcomes.indexOf('pass');
  const failing = streak < 0 ? outcomes.length : streak;
  const differs = decided.some(({ passRate }) => passRate !== 0 && passRate !== 1);
  const kind = differs || changes > 1 ? 'flaky' : steadyKind(outcomes[0] === 'fail', changes);
  return { runs: outcomes.length, failed, failing, kind };
}

/** How a case came out in one run. */
type RunOfCase = Pick<RepeatedCase, 'status' | 'passRate'>;

function steadyKind(fails: boolean, changes: number): CaseHistory['kind'] {
  if (changes === 0) return fails ? 'failing' : 'passing';
  return fails ? 'broken' : 'fixed';
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
    case 'fixed':
      return `${some}, and not since: fixed.`;
    case 'flaky':
      if (failed > 0 && failed < runs) return `${some}, on and off: flaky.`;
      return `${failed === 0 ? 'Passed' : 'Failed'} all of the last ${counted(runs, 'run')}, but not in every repetition: flaky.`;
  }
}

/** How a conversation of a case that stands for several ended last, its repetitions taken together. */
export interface VariantOutcome {
  readonly variant: string;
  readonly status: Status;
  /** Of its case's text when it ran. */
  readonly hash: string;
  /** Of what each repetition was made from, as `shortHash` has it; of older records none. */
  readonly inputs?: readonly string[];
  /** How it differs now from what ran. */
  readonly change?: Change;
}

/** Those that need looking at come first, and of these `line-9` before `line-10`. */
export function worstFirst(outcomes: readonly VariantOutcome[]): VariantOutcome[] {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return [...outcomes].sort(
    (a, b) =>
      WORST_FIRST.indexOf(a.status) - WORST_FIRST.indexOf(b.status) ||
      compare(a.variant, b.variant),
  );
}

/** `38 of 40 passed` */
export function passedText(outcomes: readonly VariantOutcome[]): string {
  const passed = outcomes.filter(({ status }) => status === 'pass').length;
  return `${passed} of ${outcomes.length} passed`;
}

/** How a case can differ from what was recorded of it, told to whoever reads the record. */
export const CHANGES = {
  case: 'The case has changed since this run.',
  input: 'What the case reads has changed since this run: its data, what was said, or its target.',
  questions: 'Its assertions have changed since this run.',
  gone: 'This conversation is not in its file any more.',
} as const;

export type Change = keyof typeof CHANGES;
