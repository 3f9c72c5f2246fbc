import { combineVerdicts, scoreRangeOf } from '../record/repetitions.ts';
import type { CaseLine } from '../record/runRecord.ts';
import type { Status } from '../verdict.ts';
import { scoreText } from './score.ts';
import { type VerdictWords, verdictText } from './verdictText.ts';
import { type ComparedWords, STATUS_WORDS } from './words.ts';

/** A verdict without its question and rationale. */
export interface VerdictResult {
  readonly status: Status;
  readonly score: number | null;
  readonly threshold: number;
  /** The judge's label, or its value on its own scale, if any. */
  readonly label?: string | undefined;
  /** If there is no score, a stable name such as `timeout`. */
  readonly reason?: string | undefined;
  /** Highest minus lowest score of the samples, if they differ. */
  readonly spread?: number | undefined;
  /** Set if there are several repetitions; the score is then their mean. */
  readonly repeated?: RepeatedResult | undefined;
  /** Set if two runs are compared. Everything else is from the second run, if possible. */
  readonly compared?: ComparedWords | undefined;
}

interface RepeatedResult {
  readonly passed: number;
  readonly finished: number;
  /** Lowest and highest score, if they differ. */
  readonly range?: readonly [number, number] | undefined;
}

/** Combines an assertion's results across repetitions. Keeps the label if it is the same in all of them. */
export function combineResults(
  outcomes: readonly [VerdictResult, ...VerdictResult[]],
): VerdictResult {
  const [first] = outcomes;
  if (outcomes.length === 1) return first;
  const { status, score } = combineVerdicts(outcomes);
  const { label, threshold } = first;
  const reason = outcomes.find((one) => one.status === status)?.reason;
  const passed = outcomes.filter((one) => one.status === 'pass').length;
  const range = scoreRangeOf(outcomes);
  return {
    ...{ status, score, threshold },
    ...(label !== undefined && outcomes.every((one) => one.label === label) && { label }),
    ...(reason !== undefined && { reason }),
    repeated: { passed, finished: outcomes.length, ...(range && { range }) },
  };
}

export function verdictResultOf(
  verdict: VerdictWords & { readonly judge?: { readonly spread: number | null } | undefined },
): VerdictResult {
  const { status, score, threshold, label, value, reason } = verdict;
  const spread = verdict.judge?.spread ?? 0;
  const isMore = label !== undefined || (value !== undefined && value !== score);
  return {
    ...{ status, score, threshold },
    ...(score !== null && isMore && { label: verdictText(verdict) }),
    ...(reason !== undefined && { reason }),
    ...(spread > 0 && { spread }),
  };
}

/**
 * A verdict in a cell: `0.85 resolved`, `0.75 · 4` if the label is a number, `0.40 ↕0.30` if samples differ, `2/3 0.80
 * (0.40–1.00)` for repetitions, `timeout`.
 */
export function verdictResultText(outcome: VerdictResult): string {
  const { status, score, threshold, label, reason, spread, repeated } = outcome;
  if (repeated) {
    const why =
      status === 'error' || score === null ? (reason ?? STATUS_WORDS[status]) : labelText(label);
    return repeatedSummaryOf(repeated, score, [threshold])
      .concat(why ?? [])
      .join(' ');
  }
  if (score === null) return (status === 'error' && reason) || STATUS_WORDS[status];
  const between = spread === undefined ? '' : ` ↕${scoreText(spread)}`;
  const shown = `${scoreText(score, threshold)}${between}`;
  return label === undefined ? shown : `${shown} ${labelText(label)}`;
}

/** A leading number would look like another score. */
function labelText(label: string | undefined): string | undefined {
  return label !== undefined && /^[-+.\d]/.test(label) ? `· ${label}` : label;
}

/** `2 of 3 repetitions passed, scores 0.40 to 1.00`; undefined for fewer than two. */
export function repeatedText(
  lines: readonly Pick<CaseLine, 'status' | 'score' | 'threshold'>[],
): string | undefined {
  if (lines.length < 2) return undefined;
  const passed = lines.filter(({ status }) => status === 'pass').length;
  const scores = lines.flatMap(({ score }) => score ?? []);
  const limits = lines.flatMap(({ threshold }) => threshold ?? []);
  const text = `${passed} of ${lines.length} repetitions ${STATUS_WORDS.pass}`;
  if (scores.length < 2) return text;
  const ends = [Math.min(...scores), Math.max(...scores)].map((one) => scoreText(one, ...limits));
  return ends[0] === ends[1] ? text : `${text}, scores ${ends.join(' to ')}`;
}

/** The parts of `2/3 0.80 (0.40–1.00)`. @param thresholds as for `scoreText` */
export function repeatedSummaryOf(
  { passed, finished, range }: RepeatedResult,
  score: number | null,
  thresholds: readonly number[],
): string[] {
  return [
    `${passed}/${finished}`,
    ...(score === null ? [] : [scoreText(score, ...thresholds)]),
    ...(range ? [`(${range.map((one) => scoreText(one, ...thresholds)).join('–')})`] : []),
  ];
}

interface RepeatedRow extends Omit<RepeatedResult, 'range'> {
  readonly planned: number;
  readonly range?: string | undefined;
}

interface ResultRow {
  readonly scored?: string | undefined;
  readonly repeated?: RepeatedRow | undefined;
}

/** The parts of `0.80`, or of `2/3 0.80 (0.40–1.00)` if the result is repeated. */
export function rowSummaryOf({ scored, repeated }: ResultRow): string[] {
  const ran = ranText(repeated);
  const parts = [
    repeated && `${repeated.passed}/${repeated.finished}`,
    scored,
    repeated?.range === undefined ? undefined : `(${repeated.range})`,
    ran && `(${ran})`,
  ];
  return parts.filter((part) => part !== undefined);
}

/** The row's summary for a screen reader: `2 of 3 passed`, `score 0.80`, `0.40 to 1.00`. */
export function rowWords({ scored, repeated }: ResultRow): string[] {
  const parts = [
    repeated && passedOf(repeated),
    ranText(repeated),
    scored === undefined ? undefined : `score ${scored}`,
    repeated?.range === undefined ? undefined : repeated.range.replace('–', ' to '),
  ];
  return parts.filter((part) => part !== undefined);
}

/** `1 of 3 ran`; undefined if all did. */
function ranText(repeated: ResultRow['repeated']): string | undefined {
  if (!repeated || repeated.finished >= repeated.planned) return undefined;
  return `${repeated.finished} of ${repeated.planned} ran`;
}

/** `2 of 3 passed` */
export function passedOf(repeated: Pick<RepeatedResult, 'passed' | 'finished'>): string {
  return `${repeated.passed} of ${repeated.finished} ${STATUS_WORDS.pass}`;
}
