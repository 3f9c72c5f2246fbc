import * as z from 'zod';

/**
 * The four outcomes: `error` could not be judged or run, `skipped` did not apply or was not
 * reached. Only `pass` and `fail` carry a score into a mean.
 */
export const statusSchema = z.enum(['pass', 'fail', 'error', 'skipped']);

/** What was decided has a score in 0..1, what was not has none. */
const scored = { status: statusSchema.extract(['pass', 'fail']), score: z.number().min(0).max(1) };

const unscored = { status: statusSchema.extract(['error', 'skipped']), score: z.null() };

/** A verbatim piece of the turn. `verified` is false where the turn does not hold it. */
export const quoteSchema = z.object({ text: z.string(), verified: z.boolean() });

const turnKeys = {
  turn: z.int().min(1),
  rationale: z.string(),
  evidence: quoteSchema.optional(),
};

/** What one assertion says about one turn. */
export const turnVerdictSchema = z.discriminatedUnion('status', [
  z.object({ ...turnKeys, ...scored }),
  z.object({ ...turnKeys, ...unscored }),
]);

/** What it cost. Tokens as the endpoint counted them; `cost` in the price's currency, where a price is known. */
export const usageSchema = z.object({
  calls: z.int().min(0),
  input_tokens: z.int().min(0),
  cached_tokens: z.int().min(0),
  output_tokens: z.int().min(0),
  cost: z.number().min(0).nullable(),
});

const verdictKeys = z.object({
  assertion: z.object({
    /** Its identity in the case; absent in records of version 1. */
    key: z.string().optional(),
    /** Place in the case's list of assertions, from 0: defaults first, then the case's, then the turns'. */
    index: z.int().min(0),
    type: z.string(),
    name: z.string(),
    /** Absolute path of the file that holds the assertion. */
    path: z.string(),
    /** From 1. */
    line: z.int().min(1),
    required: z.boolean(),
    weight: z.number().min(0),
  }),
  /** What the field calls the outcome: `yes`, `unresolved`. */
  label: z.string().optional(),
  /** The outcome on its own scale, such as 4 of 1..5. */
  value: z.union([z.string(), z.number()]).optional(),
  /** Lowest and highest `value`, where the scale is not 0..1; the threshold is shown in it. */
  scale: z.tuple([z.number(), z.number()]).optional(),
  threshold: z.number().min(0).max(1),
  rationale: z.string(),
  turns: z.array(turnVerdictSchema),
  /** `Turn 2: recalled the name`. Always cite a turn where one is known. */
  hits: z.array(z.string()),
  misses: z.array(z.string()),
  details: z.record(z.string(), z.unknown()),
  /** Of the assertions that decided this one, in their order. */
  get nested(): z.ZodOptional<z.ZodArray<typeof verdictSchema>> {
    return z.array(verdictSchema).optional();
  },
  judge: z
    .object({
      /** As configured, `provider:model`. */
      model: z.string(),
      /** As the endpoint reported it. */
      version: z.string().optional(),
      /** SHA-256 of the request's texts, hexadecimal. */
      prompt_hash: z.string(),
      samples: z.int().min(1),
      /** Highest less lowest score of the samples; null of one. */
      spread: z.number().min(0).nullable(),
      /** True where some samples pass and others do not. */
      unstable: z.boolean().optional(),
    })
    .optional(),
  /** SHA-256 of what was asked, hexadecimal, as in `questionHash`; absent in records of version 1. */
  question_hash: z.string().optional(),
  usage: usageSchema,
});

const scoredSchema = verdictKeys.extend({ ...scored, reason: z.never().optional() });

const unscoredSchema = verdictKeys.extend({
  ...unscored,
  /** Stable and kebab-case: `quota`, `cut-off`, `not-applicable`. */
  reason: z.string(),
});

export const verdictSchema = z.discriminatedUnion('status', [scoredSchema, unscoredSchema]);

export type Status = z.infer<typeof statusSchema>;
export type Quote = z.infer<typeof quoteSchema>;
export type TurnVerdict = z.infer<typeof turnVerdictSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type ScoredVerdict = z.infer<typeof scoredSchema>;
export type UnscoredVerdict = z.infer<typeof unscoredSchema>;
export type Verdict = ScoredVerdict | UnscoredVerdict;

/** A status with the score that belongs to it. */
export type Standing =
  | Pick<ScoredVerdict, 'status' | 'score'>
  | Pick<UnscoredVerdict, 'status' | 'score'>;

/** @param score left out where the status is one without */
export function standing(status: Status, score: number | null): Standing {
  if (status === 'error' || status === 'skipped') return { status, score: null };
  if (score === null) throw new Error(`Internal error: what is ${status} has a score.`);
  return { status, score };
}

export const NO_USAGE: Usage = {
  calls: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost: null,
};

/** Sums usage; a cost is known where any part's is. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    input_tokens: a.input_tokens + b.input_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
  };
}
