import type { Scale } from '../../core/scoring.ts';
import type { ScoredToken } from '../contract.ts';

export type Weighed =
  | {
      readonly mean: number;
      /** By whole number. */
      readonly probabilities: Readonly<Record<string, number>>;
    }
  | { readonly why: string };

/**
 * The mean of the whole numbers of a scale, weighted by the probability that the judge gave each at
 * the place of its `score`: Σ p × value ÷ Σ p over the alternatives that are numbers of the scale (G-Eval, Liu et al. 2023).
 *
 * @param text the answer as written, an object whose last `score` counts
 */
export function weighScore(
  text: string,
  tokens: readonly ScoredToken[] | undefined,
  written: number,
  [low, high]: Scale,
): Weighed {
  if (!tokens) return { why: 'the endpoint returned no log-probabilities' };
  const token = tokenOfScore(text, tokens);
  if (token?.text.trim() !== String(written)) {
    return { why: 'the score is no token of its own' };
  }
  const probabilities: Record<string, number> = {};
  let sum = 0;
  let weights = 0;
  for (const { text: alternative, logprob } of token.top) {
    const value = Number(alternative.trim());
    const weight = Math.exp(logprob);
    if (!/^\d+$/.test(alternative.trim()) || value < low || value > high) continue;
    if (weight > 1 + TOLERANCE) return { why: 'a log-probability is above 0' };
    if (!Number.isFinite(weight)) continue;
    probabilities[value] = (probabilities[value] ?? 0) + weight;
    sum += weight * value;
    weights += weight;
  }
  if (weights === 0) return { why: 'no alternative was a score' };
  if (weights > 1 + TOLERANCE) return { why: 'the probabilities come to more than 1' };
  return { mean: sum / weights, probabilities };
}

/** Endpoints round. */
const TOLERANCE = 0.01;

/** The token that begins the value of the last `"score":`. */
function tokenOfScore(text: string, tokens: readonly ScoredToken[]): ScoredToken | undefined {
  if (tokens.map((token) => token.text).join('') !== text) return undefined;
  const key = [...text.matchAll(/"score"\s*:\s*/g)].at(-1);
  if (!key) return undefined;
  const place = key.index + key[0].length;
  let offset = 0;
  for (const token of tokens) {
    offset += token.text.length;
    if (offset > place) return token;
  }
  return undefined;
}
