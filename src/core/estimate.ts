import { counted } from './presentation/amounts.ts';

/** What running something will take, about. */
export interface Estimate {
  /** To judges and to the models of `chat` targets. */
  readonly requests: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Without what a prompt cache saves; null where the price of a model is not known. */
  readonly cost: number | null;
  /** Models without a price, as `provider:model`. */
  readonly unpriced: readonly string[];
  /**
   * True where replies are still to come: each is taken for some 80 tokens without retrieved context,
   * so what only the replies decide is not counted.
   */
  readonly live: boolean;
}

export const NO_ESTIMATE: Estimate = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cost: 0,
  unpriced: [],
  live: false,
};

export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return {
    requests: a.requests + b.requests,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cost: a.cost === null || b.cost === null ? null : a.cost + b.cost,
    unpriced: [...new Set([...a.unpriced, ...b.unpriced])],
    live: a.live || b.live,
  };
}

/** `about 12 requests, 14k tokens, 0.031` */
export function estimateWords(estimate: Estimate): string {
  const { requests, inputTokens, outputTokens } = estimate;
  if (requests === 0) return 'no requests';
  const asked = counted(requests, 'request');
  const price = estimate.cost === null ? '' : `, ${priceWords(estimate)}`;
  return `about ${asked}, ${shortNumber(inputTokens + outputTokens)} tokens${price}`;
}

/** In the currency of the prices; `price unknown` where one is. */
export function priceWords({ cost }: Pick<Estimate, 'cost'>): string {
  if (cost === null) return 'price unknown';
  if (cost === 0) return 'free';
  return cost < 0.001 ? '< 0.001' : String(Number(cost.toPrecision(2)));
}

function shortNumber(value: number): string {
  if (value < 1_000) return String(value);
  const thousands = value / 1_000;
  return `${thousands < 10 ? thousands.toFixed(1) : Math.round(thousands)}k`;
}
