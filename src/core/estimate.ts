import { counted } from './text/format.ts';

export interface Estimate {
  /** Number of requests to judges, models of `chat` targets, and simulated users. */
  readonly requests: number;
  /** Number of calls to `module` and `command` targets. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost without savings from prompt caches; null if a model's price is unknown. */
  readonly cost: number | null;
  /** Models without a price, as `provider:model`. */
  readonly unpriced: readonly string[];
  /** True if no judge is set. */
  readonly noJudge: boolean;
  /** True if replies are still missing: each is counted as about 80 tokens, without retrieved context. */
  readonly live: boolean;
}

export const NO_ESTIMATE: Estimate = {
  requests: 0,
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  unpriced: [],
  noJudge: false,
  live: false,
};

export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return {
    requests: a.requests + b.requests,
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
    unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
    noJudge: a.noJudge || b.noJudge,
    live: a.live || b.live,
  };
}

/** `2 calls to the target, about 12 requests, 14k tokens, 0.031` */
export function estimateWords(estimate: Estimate): string {
  const { requests, calls, inputTokens, outputTokens } = estimate;
  const words = calls === 0 ? [] : [`${counted(calls, 'call')} to the target`];
  if (requests > 0) {
    const tokens = shortNumber(inputTokens + outputTokens);
    words.push(`about ${counted(requests, 'request')}`, `${tokens} tokens`);
    if (estimate.cost !== null || estimate.noJudge) words.push(priceWords(estimate));
  }
  return words.join(', ') || 'no requests';
}

/** The cost, in the currency of the prices, or why it's unknown. */
export function priceWords({ cost, noJudge }: Pick<Estimate, 'cost' | 'noJudge'>): string {
  if (noJudge) return 'no judge set';
  if (cost === null) return 'price unknown';
  if (cost === 0) return 'free';
  return cost < 0.001 ? '< 0.001' : String(Number(cost.toPrecision(2)));
}

function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  const thousands = value / 1_000;
  return `${thousands < 10 ? thousands.toFixed(1) : Math.round(thousands)}k`;
}
