import { IMAGE_TOKENS } from '../core/image.ts';
import { imagesOf } from '../core/message.ts';
import type { ModelSpec } from '../core/suite.ts';
import { costText } from '../core/text/format.ts';
import { usageOf } from '../core/verdict.ts';
import { type Model, ModelError, type ModelRequest } from '../models/model.ts';
import { costOf, outputTokensFor, type Price, priceOf } from '../models/price.ts';
import { type CostBounds, RunRefusedError, type SpendingLimit } from './runOptions.ts';

/** Number of tokens to reserve for an answer if its model has no `max_tokens`. */
const LIKELY_ANSWER = 2_000;

/** Maximum number of tokens in an answer if its model has no `max_tokens`. */
const MAX_ANSWER = 16_000;

/** The cost limit for a run in a single process. */
export class Budget implements SpendingLimit {
  readonly #max: number;
  #spent = 0;
  #reserved = 0;
  #waiting: (() => void)[] = [];
  exhausted = false;

  constructor(max: number) {
    this.#max = max;
  }

  async spend<Paid>(
    { least, most }: CostBounds,
    work: (allowed: number) => Promise<Paid>,
    costOf: (paid: Paid) => number | null,
    waits: ModelRequest['onWait'] = () => {},
  ): Promise<Paid> {
    let left = this.#max - this.#spent - this.#reserved;
    while (left < least && this.#reserved > 0) {
      waits(true);
      await new Promise<void>((done) => this.#waiting.push(done));
      waits(false);
      left = this.#max - this.#spent - this.#reserved;
    }
    if (left < least) {
      this.exhausted = true;
      throw overBudget(this.#spent, this.#max);
    }
    const allowed = Math.min(most, left);
    this.#reserved += allowed;
    try {
      const paid = await work(allowed);
      // An endpoint that reports no usage isn't necessarily free.
      this.#spent += costOf(paid) ?? allowed;
      if (this.#spent > this.#max) this.exhausted = true;
      return paid;
    } finally {
      this.#reserved -= allowed;
      for (const go of this.#waiting.splice(0)) go();
    }
  }
}

export function overBudget(spent: number, max: number): ModelError {
  return new ModelError(
    'over-budget',
    `Not sent: ${costText(spent)} of the cost limit ${max} is spent, and this request could exceed the rest. Raise the limit with \`--max-cost\` or the setting turnlight.maxCost.`,
  );
}

/** The price of a model; undefined if it is free. @throws RunRefusedError */
export function priceForBudget(spec: ModelSpec): Price | undefined {
  if (spec.provider === 'replay') return undefined;
  const price = priceOf(spec.params);
  if (price) return price;
  throw new RunRefusedError(
    'no-price',
    `A cost limit is set, but the price of ${spec.id} is unknown. Add a \`price\` to the model under \`models\`, or run without the limit.`,
  );
}

/**
 * Keeps a model's calls within the budget, and limits the length of its answers accordingly.
 *
 * @throws RunRefusedError
 */
export function budgetedModel(model: Model, spec: ModelSpec, budget: SpendingLimit): Model {
  const price = priceForBudget(spec);
  if (!price) return model;
  const { max_tokens } = spec.params;
  const maxTokens = typeof max_tokens === 'number' ? max_tokens : undefined;
  const { embed } = model;
  const inputCost = async (texts: readonly string[]) => {
    const { countTokens } = await import('../models/tokens.ts');
    const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0);
    return costOf({ input: tokens, output: 0 }, price);
  };
  return {
    id: model.id,
    async complete(request, count, signal) {
      const limit = request.maxTokens ?? maxTokens;
      const { messages, answer = '', tools = '', questions = 1 } = request;
      const images = messages.flatMap(imagesOf).length * IMAGE_TOKENS;
      const texts = [messages, answer, tools].map((one) => JSON.stringify(one));
      const input = (await inputCost(texts)) + costOf({ input: images, output: 0 }, price);
      const costWith = (output: number) =>
        input + costOf({ input: 0, output: count * output }, price);
      const bounds = {
        least: costWith(limit ?? questions * LIKELY_ANSWER),
        most: costWith(limit ?? Math.max(MAX_ANSWER, questions * LIKELY_ANSWER)),
      };
      const ask = (allowed: number) => {
        const affordable = Math.floor(outputTokensFor(allowed - input, price) / count);
        const capped = price.output === 0 ? limit : Math.max(1, affordable);
        const limited = capped === undefined ? request : { ...request, maxTokens: capped };
        return model.complete(limited, count, signal);
      };
      return budget.spend(bounds, ask, (replies) => usageOf(replies).cost, request.onWait);
    },
    ...(embed && {
      async embed(texts, signal) {
        const cost = await inputCost(texts);
        const work = () => embed.call(model, texts, signal);
        return budget.spend({ least: cost, most: cost }, work, ({ usage }) => usage.cost);
      },
    }),
  };
}
