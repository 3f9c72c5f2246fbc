import * as z from 'zod';
import { groupBy, memoize } from '../data/data.ts';
import { formatList } from '../text/format.ts';
import type { Verdict } from '../verdict.ts';
import { scoreText, thresholdText, valueText } from './score.ts';
import { STATUS_WORDS } from './words.ts';

export type VerdictWords = Pick<
  Verdict,
  'status' | 'score' | 'threshold' | 'label' | 'value' | 'scale' | 'reason'
>;

/** A verdict in one word: its label if it has one; otherwise, its value, score, or reason. */
export function verdictText(verdict: VerdictWords): string {
  const { status, score, threshold, label, value, reason } = verdict;
  if (score === null) return (status === 'error' && reason) || STATUS_WORDS[status];
  const outcome = label ?? value ?? score;
  if (typeof outcome === 'string') return outcome;
  return outcome === score ? scoreText(score, threshold) : valueText(outcome, verdict);
}

/** After the verdict's text: ` (threshold 0.50)`, ` (score 0.25, threshold 3 of 1–5)`. */
export function thresholdNote(verdict: Verdict): string {
  if (verdict.score === null) return '';
  const score = scoreText(verdict.score, verdict.threshold);
  const shown = verdictText(verdict) === score ? '' : `score ${score}, `;
  return ` (${shown}threshold ${thresholdText(verdict)})`;
}

/** `asked 3 times, spread 0.50, unstable`; undefined for one sample. */
export function samplesText({ judge }: Pick<Verdict, 'judge'>): string | undefined {
  if (!judge || judge.samples < 2) return undefined;
  const spread = judge.spread === null ? '' : `, spread ${scoreText(judge.spread)}`;
  return `asked ${judge.samples} times${spread}${judge.unstable ? ', unstable' : ''}`;
}

/** Maximum number of assertions to name. */
const MAX_NAMED = 3;

/** `asked together with role-adherence`; undefined for an ordinary single question. */
export function togetherText({ details }: Pick<Verdict, 'details'>): string | undefined {
  const alone = z.string().safeParse(details.asked_alone);
  if (alone.success) return `asked by itself: ${alone.data}`;
  const { data: others = [] } = z.array(z.string()).safeParse(details.asked_with);
  if (others.length === 0) return undefined;
  // Repeated types have a hash, which is meaningless to people.
  const named = others.slice(0, MAX_NAMED).map((key) => key.replace(/#[0-9a-f]{8}$/, ''));
  const more = others.length - named.length;
  return `asked together with ${formatList(more > 0 ? [...named, `${more} more`] : named)}`;
}

const stepSchema = z.object({
  node: z.string(),
  asked: z.string(),
  answer: z.string(),
  why: z.string(),
});

export type PathStep = z.infer<typeof stepSchema>;

/** The path through a decision graph; empty for other verdicts. */
export function pathOf({ details }: Pick<Verdict, 'details'>): readonly PathStep[] {
  const path = z.array(stepSchema).safeParse(details.path);
  return path.success ? path.data : [];
}

export function missesIn(turn: number, { misses }: Pick<Verdict, 'misses'>): readonly string[] {
  return missesByTurn(misses).get(String(turn)) ?? [];
}

/** Misses that aren't about the given turns and whose text differs from the rationale. */
export function otherMisses(turns: readonly number[], { misses, rationale }: Verdict): string[] {
  const shown = new Set(turns.map(String));
  const others = misses.filter((miss) => !shown.has(turnOf(miss) ?? ''));
  return others.filter((miss) => `${miss}.` !== rationale);
}

const missesByTurn = memoize((misses: readonly string[]) => groupBy(misses, turnOf));

function turnOf(miss: string): string | undefined {
  return /^Turn (\d+):/.exec(miss)?.[1];
}
