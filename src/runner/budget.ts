import type { ModelSpec } from '../core/suite.ts';
import type { Usage } from '../core/verdict.ts';
import { type Model, ModelError, type ModelRequest } from '../models/model.ts';
import { type Price, priceOf } from '../models/openai.ts';

/** Tokens that an answer is counted with beforehand where its model sets no `max_tokens`. */
const LIKELY_ANSWER = 2_000;

/** The run was refused before it began: what it would cost cannot be known. */
export class NoPriceError extends Error {
  override readonly name = 'NoPriceError';
  readonly reason = 'no-price';
}

/** What a run may still spend, in the currency of the prices. */
export class Budget {
  readonly #max: number;
  #spent = 0;
  #reserved = 0;
  /** True once a request was refused: nothing new is begun. */
  exhausted = false;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Does what is likely to cost `likely` at most.
   *
   * @throws ModelError `over-budget` where that could pass the limit, before anything is spent
   */
  async spend<Paid extends { readonly usage: Usage }>(
    likely: number,
    work: () => Promise<Paid>,
  ): Promise<Paid> {
    if (this.#spent + this.#reserved + likely > this.#max) {
      this.exhausted = true;
      throw new ModelError(
        'over-budget',
        `Not asked: ${this.#spent.toFixed(4)} of the ${this.#max} that the run may cost is spent, and this request could take more than is left. Raise the limit (\`--max-cost\`, or the setting turnlight.maxCost).`,
      );
    }
    this.#reserved += likely;
    try {
      const paid = await work();
      // An endpoint that reports no usage is no free one.
      this.#spent += paid.usage.cost ?? likely;
      return paid;
    } finally {
      this.#reserved -= likely;
    }
  }
}

/** What a model costs; undefined where it costs nothing. @throws NoPriceError */
export function priceForBudget(spec: ModelSpec): Price | undefined {
  if (spec.provider === 'replay') return undefined;
  const price = priceOf(spec.params);
  if (price) return price;
  throw new NoPriceError(
    `A limit of the cost is set, but the price of ${spec.id} is not known. Give the model a \`price\` in \`models\`, or run without the limit.`,
  );
}

/** The model, asked only as long as the budget allows. */
export function budgetedModel(
  model: Model,
  price: Price,
  maxTokens: number | undefined,
  budget: Budget,
): Model {
  const { embed } = model;
  const likely = async (texts: readonly string[], output: number) => {
    const { countTokens } = await import('../models/tokens.ts');
    const input = texts.reduce((sum, text) => sum + countTokens(text), 0);
    return (input * price.input + output * price.output) / 1_000_000;
  };
  const outputOf = (request: ModelRequest) => request.maxTokens ?? maxTokens ?? LIKELY_ANSWER;
  return {
    id: model.id,
    async complete(request, signal) {
      const cost = await likely(textsOf(request), outputOf(request));
      return budget.spend(cost, () => model.complete(request, signal));
    },
    ...(embed && {
      async embed(texts, signal) {
        return budget.spend(await likely(texts, 0), () => embed.call(model, texts, signal));
      },
    }),
  };
}

function textsOf({ messages, answer, tools }: ModelRequest): string[] {
  return [JSON.stringify(messages), JSON.stringify(answer ?? ''), JSON.stringify(tools ?? '')];
}
