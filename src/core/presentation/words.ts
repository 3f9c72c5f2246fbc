import type { CaseIdentity } from '../identity.ts';
import type { LabelValidity, Opinion } from '../record/label.ts';
import type { CaseLine, OriginKind, StopReason } from '../record/runRecord.ts';
import { visibleLine } from '../text/visibleText.ts';
import type { Status } from '../verdict.ts';

/** No status may rely on color alone. */
export const STATUS_ICONS: Readonly<Record<Status, string>> = {
  pass: '✓',
  fail: '✗',
  error: '⚠',
  skipped: '○',
};

export const STATUS_WORDS: Readonly<Record<Status, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'errored',
  skipped: 'skipped',
};

/**
 * How a case or an assertion changed between two runs. `undecided`: in one run, it couldn't be judged or didn't apply.
 * An error never counts as unchanged.
 */
export const OUTCOMES = ['worse', 'better', 'undecided', 'unchanged', 'new', 'gone'] as const;

export type ComparedOutcome = (typeof OUTCOMES)[number];

/** A case or an assertion in two runs, as a table shows it. */
export interface ComparedWords {
  readonly change: ComparedOutcome;
  /** Text for a table cell: `✓ 1.00 → ✗ 0.40`. */
  readonly shown: string;
  /** Text for screen readers. */
  readonly spoken: string;
}

export const OUTCOME_ICONS: Readonly<Record<ComparedOutcome, string>> = {
  worse: '↓',
  better: '↑',
  undecided: '?',
  unchanged: '=',
  new: '+',
  gone: '−',
};

export const OUTCOME_WORDS: Readonly<Record<ComparedOutcome, string>> = {
  worse: 'worse',
  better: 'better',
  undecided: 'could not be judged in one of the runs, or did not apply',
  unchanged: 'unchanged',
  new: 'only in the second run',
  gone: 'only in the first run',
};

export const ORIGIN_WORDS: Readonly<Record<OriginKind, string>> = {
  turns: 'live conversation',
  simulate: 'simulated conversation',
  transcript: 'transcript',
};

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  'stop-on-failure': 'stopped at a failing turn',
  'goal-reached': 'goal reached',
  'goal-refused': 'goal refused',
  'max-turns': 'maximum number of user turns reached',
  'stop-condition': 'stop condition met',
  repetition: 'the target repeated itself',
  'empty-reply': 'the target said nothing',
  'target-error': 'cut short by an error',
  'simulator-error': 'cut short by an error in the simulated user',
  cancelled: 'cancelled',
};

/** Why a simulated conversation ended: `goal reached: The return is booked.` */
export function stopText(
  line: Pick<CaseLine, 'origin' | 'stop_reason' | 'stop_rationale'>,
): string | undefined {
  if (line.origin !== 'simulate' || !line.stop_reason) return undefined;
  const words = STOP_WORDS[line.stop_reason];
  return line.stop_rationale === undefined ? words : `${words}: ${line.stop_rationale}`;
}

/** `order-status`, `order-status/line-7` for a variant, or `order-status 2/3` for a repetition. */
export function executionTitle(
  given: Pick<CaseLine, 'id' | 'variant' | 'repetition' | 'repetitions'>,
): string {
  const title = caseTitle(given);
  return given.repetitions > 1 ? `${title} ${given.repetition}/${given.repetitions}` : title;
}

export function caseTitle({ id, variant }: Pick<CaseIdentity, 'id' | 'variant'>): string {
  return visibleLine(caseName({ id, variant }));
}

/** `order-status`, or `order-status/line-7`, as on the command line. Ids never contain a slash. */
export function caseName({ id, variant }: Pick<CaseIdentity, 'id' | 'variant'>): string {
  return variant === undefined ? id : `${id}/${variant}`;
}

/** Maximum number of problems in a view; the command line shows all. */
const MAX_SHOWN = 20;

/** `shop.labels/ann.jsonl:3: This line is not JSON. …` @param place the path to show */
export function labelProblemText(
  place: string,
  { line, message }: { readonly line?: number; readonly message: string },
): string {
  return visibleLine(`${line === undefined ? place : `${place}:${line}`}: ${message}`);
}

/** @param shownPath returns the path to show */
export function labelProblemTexts(
  problems: readonly { readonly path: string; readonly line?: number; readonly message: string }[],
  shownPath: (path: string) => string,
): string[] {
  return problems.slice(0, MAX_SHOWN).map((one) => labelProblemText(shownPath(one.path), one));
}

/** Words to append to a label; empty if the label is current. */
export const VALIDITY_WORDS: Readonly<Record<LabelValidity, string>> = {
  current: '',
  'other-question': 'the question has changed since then',
  'earlier-text': 'the label is for an earlier version of the text',
};

export const LABEL_WORDS: Readonly<Record<Opinion['status'], string>> = {
  ...STATUS_WORDS,
  skipped: 'does not apply',
};
