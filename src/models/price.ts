import * as z from 'zod';

export const priceSchema = z
  .strictObject({
    input: z.number().min(0).describe('Price per million input tokens.'),
    cached_input: z.number().min(0).optional().meta({
      description: "Price per million tokens from the provider's prompt cache. Default: `input`.",
    }),
    output: z.number().min(0).describe('Price per million output tokens.'),
  })
  .describe(
    'Prices per million tokens, in the same currency for all models. Needed to report and limit the cost.',
  );

export type Price = z.infer<typeof priceSchema>;

/** Billed tokens. `cached` is the part of `input` that came from the provider's prompt cache. */
interface PaidTokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** Cost = (input − cached) × input price + cached × cached price + output × output price, ÷ 10⁶. */
export function costOf({ input, output, cached = 0 }: PaidTokens, price: Price): number {
  const read = (input - cached) * price.input + cached * (price.cached_input ?? price.input);
  return (read + output * price.output) / 1_000_000;
}

export function outputTokensFor(amount: number, price: Price): number {
  return price.output === 0 ? Infinity : Math.floor((amount * 1_000_000) / price.output);
}

export function priceOf(params: Readonly<Record<string, unknown>>): Price | undefined {
  return priceSchema.safeParse(params.price).data;
}
