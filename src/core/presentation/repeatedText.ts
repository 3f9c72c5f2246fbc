import type { RepeatedOutcome } from '../record/outcome.ts';
import type { CaseLine } from '../record/runRecord.ts';
import { counted } from './amounts.ts';
import { scoreText } from './score.ts';
import { STATUS_WORDS } from './status.ts';

/** `2 of 3 repetitions passed, scores 0.40 to 1.00`; undefined of fewer than two. */
export function repeatedText(
  lines: readonly Pick<CaseLine, 'status' | 'score' | 'threshold'>[],
): string | undefined {
  if (lines.length < 2) return undefined;
  const passed = lines.filter(({ status }) => status === 'pass').length;
  const scores = lines.flatMap(({ score }) => score ?? []);
  const limits = lines.flatMap(({ threshold }) => threshold ?? []);
  const told = `${passed} of ${lines.length} repetitions ${STATUS_WORDS.pass}`;
  if (scores.length < 2) return told;
  const ends = [Math.min(...scores), Math.max(...scores)].map((one) => scoreText(one, ...limits));
  return ends[0] === ends[1] ? told : `${told}, scores ${ends.join(' to ')}`;
}

/** `2/3 0.80 (0.40–1.00)`, each part by itself. @param thresholds that the scores are shown on their side of */
export function repeatedGlance(
  { passed, finished, range }: RepeatedOutcome,
  score: number | null,
  thresholds: readonly number[],
): string[] {
  return [
    `${passed}/${finished}`,
    ...(score === null ? [] : [scoreText(score, ...thresholds)]),
    ...(range ? [`(${range.map((one) => scoreText(one, ...thresholds)).join('–')})`] : []),
  ];
}

/** What a table shows of a case. */
interface Row {
  readonly scored?: string | undefined;
  readonly repeated?:
    | {
        readonly passed: number;
        readonly finished: number;
        readonly planned: number;
        readonly range?: string | undefined;
      }
    | undefined;
}

/** `0.80`, or `2/3 0.80 (0.40–1.00)` where it is repeated, each part by itself. */
export function rowGlance({ scored, repeated }: Row): string[] {
  const ran = ranText(repeated);
  const parts = [
    repeated && `${repeated.passed}/${repeated.finished}`,
    scored,
    repeated?.range === undefined ? undefined : `(${repeated.range})`,
    ran && `(${ran})`,
  ];
  return parts.filter((part) => part !== undefined);
}

/** The same for a screen reader: `2 of 3 passed`, `score 0.80`, `0.40 to 1.00`. */
export function rowWords({ scored, repeated }: Row): string[] {
  const parts = [
    repeated && passedOf(repeated),
    ranText(repeated),
    scored === undefined ? undefined : `score ${scored}`,
    repeated?.range === undefined ? undefined : repeated.range.replace('–', ' to '),
  ];
  return parts.filter((part) => part !== undefined);
}

/** `1 of 3 ran`; undefined once all did. */
function ranText(repeated: Row['repeated']): string | undefined {
  if (!repeated || repeated.finished >= repeated.planned) return undefined;
  return `${repeated.finished} of ${repeated.planned} ran`;
}

/** `2 of 3 passed` */
export function passedOf({
  passed,
  finished,
}: Pick<RepeatedOutcome, 'passed' | 'finished'>): string {
  return `${passed} of ${finished} ${STATUS_WORDS.pass}`;
}

/** `24 cases`, `24 cases, run 30 times` where some are repeated. */
export function runTimes(cases: number, executions: number): string {
  const size = counted(cases, 'case');
  return executions === cases ? size : `${size}, run ${executions} times`;
}
