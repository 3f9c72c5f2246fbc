import { WORST_FIRST } from '../scoring.ts';
import { counted } from '../text/format.ts';
import type { Status } from '../verdict.ts';
import type { RepeatedCase } from './repetitions.ts';

export const HISTORY_RUNS = 10;

/** A case's results in recent runs, excluding runs that couldn't judge it. */
export interface CaseHistory {
  readonly runs: number;
  readonly failed: number;
  /** Number of consecutive failed runs, up to the newest. */
  readonly failing: number;
  /**
   * `flaky`: it changed more than once without an edit, or repetitions within a run differ. `broken`: it fails now but
   * passed before.
   */
  readonly kind: 'passing' | 'failing' | 'broken' | 'fixed' | 'flaky';
}

export interface PastRun extends Pick<RepeatedCase, 'status' | 'passRate'> {
  /** Identifies the case and its inputs, if known. */
  readonly source?: string | undefined;
}

/**
 * Distinguishes flaky from broken cases: a defect changes the result once, whereas chance changes it repeatedly. A
 * change after an edit isn't chance.
 *
 * @param runs newest first, with combined repetitions
 * @returns undefined for fewer than two runs that passed or failed
 */
export function historyOf(runs: readonly PastRun[]): CaseHistory | undefined {
  const decided = runs
    .filter(({ status }) => status === 'pass' || status === 'fail')
    .slice(0, HISTORY_RUNS);
  if (decided.length < 2) return undefined;
  const outcomes = decided.map(({ status }) => status);
  const failed = outcomes.filter((one) => one === 'fail').length;
  const changed = decided.flatMap((run, index) => {
    const newer = decided[index - 1];
    return newer && newer.status !== run.status ? [{ newer, run }] : [];
  });
  const unexplained = changed.filter(({ newer, run }) => !isEdited(newer, run));
  const streak = outcomes.indexOf('pass');
  const failing = streak < 0 ? outcomes.length : streak;
  const differs = decided.some(({ passRate }) => passRate !== 0 && passRate !== 1);
  const isFlaky = differs || unexplained.length > 1;
  const [steady, other] = failing > 0 ? KINDS.fails : KINDS.passes;
  const kind = isFlaky ? 'flaky' : changed.length === 0 ? steady : other;
  return { runs: outcomes.length, failed, failing, kind };
}

function isEdited({ source }: PastRun, other: PastRun): boolean {
  return source !== undefined && other.source !== undefined && source !== other.source;
}

/** Kinds by the newest run's status: first if the result never changed, then if it did. */
const KINDS = { fails: ['failing', 'broken'], passes: ['passing', 'fixed'] } as const;

/** `Failed 3 of the last 10 runs, on and off: flaky.` */
export function historyText({ runs, failed, failing, kind }: CaseHistory): string {
  const some = `Failed ${failed} of the last ${counted(runs, 'run')}`;
  switch (kind) {
    case 'passing':
      return `Passed all of the last ${counted(runs, 'run')}.`;
    case 'failing':
      return `Failed all of the last ${counted(runs, 'run')}: broken, not flaky.`;
    case 'broken':
      return `${some}, including the newest${failing === 1 ? '' : ` ${failing}`}: broken.`;
    case 'fixed':
      return `${some}, and has passed since then: fixed.`;
    case 'flaky':
      if (failed > 0 && failed < runs) return `${some}, on and off: flaky.`;
      return `${failed === 0 ? 'Passed' : 'Failed'} all of the last ${counted(runs, 'run')}, but not in every repetition: flaky.`;
  }
}

/** A variant's last result, with its repetitions combined. */
export interface VariantOutcome {
  readonly variant: string;
  readonly status: Status;
  /** Hash of the case's text when it ran. */
  readonly hash: string;
  /** Short input hash of each repetition; absent in older records. */
  readonly inputs?: readonly string[];
  /** How the case has changed since this run; absent if it hasn't. */
  readonly change?: Change;
}

/** Sorts the worst results first, and `line-9` before `line-10`. */
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

/** Ways in which a case can differ from its record. */
export const CHANGES = {
  case: 'The case has changed since this run.',
  input:
    'The inputs of the case have changed since this run: its data, its conversation, or its target.',
  questions: 'The assertions of the case have changed since this run.',
  gone: 'This conversation is no longer in its file.',
} as const;

export type Change = keyof typeof CHANGES;
