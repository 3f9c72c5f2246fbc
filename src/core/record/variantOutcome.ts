import type { Change } from '../presentation/changes.ts';
import { type Status, WORST_FIRST } from '../verdict.ts';

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
