import * as z from 'zod';

/** The unit of every price. */
export const PRICE_UNIT = 'Per million tokens, in any one currency.';

/** Price per million tokens. */
export const priceSchema = z.strictObject({
  input: z
    .number()
    .min(0)
    .meta({ description: `${PRICE_UNIT} What the model reads.` }),
  cached_input: z
    .number()
    .min(0)
    .optional()
    .meta({
      description: `${PRICE_UNIT} What the provider's prompt cache held; \`input\` unless given.`,
    }),
  output: z
    .number()
    .min(0)
    .meta({ description: `${PRICE_UNIT} What the model writes.` }),
});

export type Price = z.infer<typeof priceSchema>;

/** What a model's keys say of its price, whatever the provider. */
export function priceOf(params: Readonly<Record<string, unknown>>): Price | undefined {
  const price = priceSchema.safeParse(params.price);
  return price.success ? price.data : undefined;
}
