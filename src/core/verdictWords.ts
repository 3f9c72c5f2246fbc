import * as z from 'zod';
import type { Verdict } from './verdict.ts';

/** Two digits, and never `1.00` for a score that is below 1. */
export function scoreText(score: number): string {
  const rounded = score.toFixed(2);
  return rounded === '1.00' && score < 1 ? '0.99' : rounded;
}

/** The score that was needed, in the scale of the verdict's value: `0.50`, `3 of 1–5`. */
export function neededText({ threshold, scale }: Pick<Verdict, 'threshold' | 'scale'>): string {
  if (!scale) return scoreText(threshold);
  const [low, high] = scale;
  return `${shortest(low + threshold * (high - low))} of ${low}–${high}`;
}

/** `asked 3 times, spread 0.50, unstable`; undefined where it was asked once. */
export function samplesText({ judge }: Pick<Verdict, 'judge'>): string | undefined {
  if (!judge || judge.samples < 2) return undefined;
  const spread = judge.spread === null ? '' : `, spread ${scoreText(judge.spread)}`;
  return `asked ${judge.samples} times${spread}${judge.unstable ? ', unstable' : ''}`;
}

const stepSchema = z.object({
  node: z.string(),
  asked: z.string(),
  answer: z.string(),
  why: z.string(),
});

export type PathStep = z.infer<typeof stepSchema>;

/** The way that a decision graph took; empty for any other verdict. */
export function pathOf({ details }: Pick<Verdict, 'details'>): readonly PathStep[] {
  const path = z.array(stepSchema).safeParse(details.path);
  return path.success ? path.data : [];
}

/** At most two digits behind the point, and none that say nothing. */
export function shortest(value: number): string {
  return String(Math.round(value * 100) / 100);
}
