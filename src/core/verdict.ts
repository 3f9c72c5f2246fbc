import * as z from 'zod';
import { groupBy } from './data/data.ts';
import { listOf } from './data/listOf.ts';

/** `error`: it could not be judged or run. `skipped`: it did not apply or was not reached. */
export const statusSchema = z.enum(['pass', 'fail', 'error', 'skipped']);

const scored = {
  status: statusSchema.extract(['pass', 'fail']).meta({ description: 'The outcome.' }),
  score: z.number().min(0).max(1).meta({ description: 'The score.' }),
};

const unscored = {
  status: statusSchema
    .extract(['error', 'skipped'])
    .meta({ description: 'Could not be judged, or did not apply.' }),
  score: z.null().meta({ description: 'No score.' }),
};

const quoteSchema = z.object({
  text: z.string().meta({ description: 'The quoted text.' }),
  verified: z.boolean().meta({ description: 'False if the turn does not contain the quote.' }),
});

const turnKeys = {
  turn: z.int().min(1).meta({ description: 'The number of the turn.' }),
  rationale: z.string().meta({ description: 'The reason for the verdict.' }),
  evidence: quoteSchema.optional().meta({ description: 'A quote from the turn.' }),
  label: z.string().optional().meta({ description: 'The label, if the judge picks one.' }),
};

export const turnVerdictSchema = z.discriminatedUnion('status', [
  z.object({ ...turnKeys, ...scored }),
  z.object({ ...turnKeys, ...unscored }),
]);

export const usageSchema = z.object({
  calls: z.int().min(0).meta({ description: 'Number of requests.' }),
  input_tokens: z.int().min(0).meta({ description: 'Input tokens, as counted by the endpoint.' }),
  cached_tokens: z
    .int()
    .min(0)
    .meta({ description: "Input tokens from the provider's prompt cache." }),
  output_tokens: z.int().min(0).meta({ description: 'Output tokens.' }),
  cost: z.number().min(0).nullable().meta({
    description: "Cost in the currency of the models' `price`; null if there is no price.",
  }),
  from_cache: z.int().min(1).exactOptional().meta({
    description: 'Additional requests that were answered from the cache, at no cost.',
  }),
});

/** Declared because the recursive type wouldn't resolve otherwise. */
interface Verdicts extends Array<Verdict> {}

const verdictKeys = z.object({
  assertion: z
    .object({
      key: z.string().optional().meta({
        description: 'Identifies the assertion in its case; absent in records of version 1.',
      }),
      index: z.int().min(0).meta({
        description:
          "Index in the case's assertions: `defaults` first, then the case's, then those of its turns.",
      }),
      type: z.string().meta({ description: 'Its type.' }),
      name: z.string().meta({ description: 'Its display name.' }),
      path: z.string().meta({ description: 'The file that contains it.' }),
      line: z.int().min(1).meta({ description: 'Its line, from 1.' }),
      required: z.boolean().meta({ description: 'As in the eval file.' }),
      weight: z.number().min(0).meta({ description: 'As in the eval file.' }),
    })
    .meta({ description: 'What was checked.' }),
  label: z
    .string()
    .optional()
    .meta({ description: 'The outcome in one word, such as `yes` or `unresolved`.' }),
  value: z.union([z.string(), z.number()]).optional().meta({
    description: 'The outcome on its own scale, such as 4 on a scale of 1 to 5, or its label.',
  }),
  scale: z.tuple([z.number(), z.number()]).optional().meta({
    description: 'Lowest and highest `value`, if the scale is not 0 to 1.',
  }),
  threshold: z.number().min(0).max(1).meta({ description: 'The score needed to pass.' }),
  rationale: z.string().meta({ description: 'The reason for the verdict.' }),
  turns: listOf(turnVerdictSchema).meta({ description: 'Verdicts on single turns.' }),
  hits: listOf(z.string()).meta({
    description: 'What went well, such as `Turn 2: recalled the name`.',
  }),
  misses: listOf(z.string()).meta({ description: 'What went wrong.' }),
  details: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Additional data specific to the assertion type.' }),
  get nested(): z.ZodOptional<z.ZodType<Verdicts>> {
    return listOf(verdictSchema)
      .optional()
      .meta({ description: 'Verdicts of the nested assertions that decided this one, in order.' });
  },
  judge: z
    .object({
      model: z.string().meta({ description: 'As configured, `provider:model`.' }),
      version: z
        .string()
        .optional()
        .meta({ description: "The model's version, as reported by the endpoint." }),
      prompt_hash: z.string().meta({ description: "SHA-256 of the request's texts." }),
      samples: z.int().min(1).meta({ description: 'How many times the judge was asked.' }),
      spread: z.number().min(0).nullable().meta({
        description: 'Highest minus lowest score of the samples; null if there is only one.',
      }),
      unstable: z.boolean().optional().meta({
        description: "True if some samples pass and others don't.",
      }),
    })
    .optional()
    .meta({ description: 'The judge; absent if no model judged.' }),
  question_hash: z.string().optional().meta({
    description: 'SHA-256 of the question; absent in records of version 1.',
  }),
  usage: usageSchema.meta({ description: 'Usage for the verdict.' }),
});

/** The part of a verdict shown in a table. */
export const shownVerdictSchema = z.object({
  assertion: z.object({ name: z.string(), required: z.boolean() }),
  status: statusSchema,
  score: z.number().min(0).max(1).nullable(),
  reason: z.string().optional(),
  judge: z
    .object({
      samples: z.int().min(1),
      spread: z.number().min(0).nullable(),
      unstable: z.boolean().optional(),
    })
    .optional(),
  ...verdictKeys.pick({ label: true, value: true, scale: true, threshold: true }).shape,
});

const scoredSchema = verdictKeys.extend({ ...scored, reason: z.never().optional() });

const unscoredSchema = verdictKeys.extend({
  ...unscored,
  reason: z.string().meta({
    description: 'A stable name, such as `timeout`, `cut-off` or `not-applicable`.',
  }),
  unusable: listOf(z.string()).optional().meta({
    description:
      "The judge's unusable answers. The last one is its attempt at a repair. At most 64 kB in total.",
  }),
});

export const verdictSchema = z.discriminatedUnion('status', [scoredSchema, unscoredSchema]);

export type Status = z.infer<typeof statusSchema>;
export type Quote = z.infer<typeof quoteSchema>;
export type TurnVerdict = z.infer<typeof turnVerdictSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type ScoredVerdict = z.infer<typeof scoredSchema>;
export type UnscoredVerdict = z.infer<typeof unscoredSchema>;
export type Verdict = ScoredVerdict | UnscoredVerdict;

type StatusWithScore =
  | Pick<ScoredVerdict, 'status' | 'score'>
  | Pick<UnscoredVerdict, 'status' | 'score'>;

/** @param score ignored for `error` and `skipped` */
export function statusWithScore(status: Status, score: number | null): StatusWithScore {
  if (status === 'error' || status === 'skipped') return { status, score: null };
  if (score === null) throw new Error(`Internal error: the status ${status} needs a score.`);
  return { status, score };
}

export const NO_USAGE: Usage = {
  calls: 0,
  input_tokens: 0,
  cached_tokens: 0,
  output_tokens: 0,
  cost: null,
};

/** The usage of a cached answer. @param then usage for the original request */
export function fromCache(then: Usage | undefined): Usage {
  const { calls = 1, cost = null } = then ?? {};
  return { ...NO_USAGE, cost: cost === null ? null : 0, ...(calls > 0 && { from_cache: calls }) };
}

/** The cost is known if at least one part's cost is known. */
export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.from_cache ?? 0) + (b.from_cache ?? 0);
  return {
    calls: a.calls + b.calls,
    input_tokens: a.input_tokens + b.input_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
    ...(cached > 0 && { from_cache: cached }),
  };
}

export function usageOf(parts: readonly { readonly usage: Usage }[]): Usage {
  return parts.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}

/**
 * Returns whether all answers for a verdict came from the cache. A request's usage is recorded only with its first
 * verdict.
 */
export function isCachedAmong(verdicts: readonly Verdict[]): (verdict: Verdict) => boolean {
  const requests = new Set(verdicts.filter(isCached).flatMap(requestOf));
  return (verdict) => isCached(verdict) || requestOf(verdict).some((one) => requests.has(one));
}

function isCached({ usage }: Verdict): boolean {
  return usage.calls === 0 && (usage.from_cache ?? 0) > 0;
}

function requestOf({ judge }: Verdict): string[] {
  return judge?.prompt_hash === undefined ? [] : [judge.prompt_hash];
}

/** A case's verdicts by assertion key or, in version 1 records, by assertion name. */
export function keyedVerdicts(verdicts: readonly Verdict[]): [string, Verdict][] {
  const groups = groupBy(verdicts, ({ assertion }) => assertion.key ?? assertion.name);
  return [...groups].flatMap(([key, own]) =>
    own.map((one, index): [string, Verdict] => [index ? `${key} (${index + 1})` : key, one]),
  );
}

/** All verdicts that people can label, including nested verdicts, which follow their parents. */
export function allKeyedVerdicts(verdicts: readonly Verdict[]): [string, Verdict][] {
  return keyedVerdicts(verdicts).flatMap(([key, verdict]): [string, Verdict][] => [
    [key, verdict],
    ...allKeyedVerdicts(verdict.nested ?? []),
  ]);
}
