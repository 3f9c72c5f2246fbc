import * as z from 'zod';
import { type AssertionType, asksJudge } from '../../assertions/contract.ts';
import { assertionTypes } from '../../assertions/registry.ts';
import { atSchema } from '../../core/at.ts';
import { optional, text } from '../optionalKey.ts';
import { modelSchema, options, withModels } from '../targetSchema.ts';

/** Text that isn't blank. */
export const words = z.string().regex(/\S/, 'Expected text, found only blanks');

export const threshold = z.number().min(0).max(1).describe('Score needed to pass, 0..1.');

/** More samples than this only add cost. */
const MAX_SAMPLES = 25;

const nestedAssertion: z.ZodType = z.lazy(() => assertionSchema);

const commonKeys = {
  name: optional(text(), 'Label. Default: the type, or the first words of the criterion.', {
    template: 'none',
  }),
  threshold: threshold.optional(),
  weight: optional(z.number().min(0), "Weight in the case's mean score.", { default: 1 }),
  required: optional(
    z.boolean(),
    'If true, the case fails whenever this assertion fails or errors, whatever the mean.',
  ),
  at: atSchema.optional(),
};

/** Thresholds can also be on the type's scale: 3 of 1 to 5. */
function thresholdIn(scale: AssertionType['scale']): z.ZodType {
  if (scale === undefined) return threshold;
  const high = scale === 'own' ? '' : `, or up to ${scale[1]} on the type's own scale`;
  return (scale === 'own' ? z.number() : z.number().min(0).max(scale[1])).meta({
    description: `Score needed to pass: 0..1${high}. A value above 1 is on the type's own scale.`,
  });
}

const judgedKeys = {
  samples: optional(
    z.int().min(1).max(MAX_SAMPLES),
    'How many times to ask the judge. The median score and the most frequent label are used, and the spread is recorded.',
    { default: 1 },
  ),
  judge: optional(modelSchema, 'The model that judges this assertion.'),
  temperature: optional(
    z.number().min(0).max(2),
    "The judge's temperature. Default: the model's `temperature`, else 0.",
  ),
};

const partsKeys = {
  granularity: optional(
    z.enum(['conversation', 'turn']),
    '`conversation` asks once about all turns; `turn` asks separately about each judged turn, which is the strictest and most expensive way.',
    { default: 'conversation' },
  ),
  window: optional(
    z.int().min(0),
    'How many earlier turns the judge sees with `granularity: turn`, or when a long conversation is judged in parts.',
    { default: 10 },
  ),
  examples: optional(
    z.literal('labels'),
    "The judge also sees up to four other conversations with people's verdicts, from the labels next to the file.",
  ),
};

const deterministicKeys = {
  negate: optional(z.boolean(), 'If true, the opposite must be true.'),
};

/** The keys that a type shares with others, except `type`. */
export function sharedKeys(type: AssertionType): readonly string[] {
  return SHARED_KEYS.get(type) ?? [];
}

/** Computed once, because every assertion in a file needs them. */
const SHARED_KEYS: ReadonlyMap<AssertionType, readonly string[]> = new Map(
  assertionTypes.map((type) => [type, Object.keys(sharedShape(type))]),
);

function sharedShape(type: AssertionType) {
  const common = { ...commonKeys, threshold: thresholdIn(type.scale).optional() };
  if (!asksJudge(type)) return { ...common, ...deterministicKeys };
  return type.kind === 'procedure'
    ? { ...common, ...judgedKeys }
    : { ...common, ...judgedKeys, ...partsKeys };
}

function ownShape({ params, nesting }: AssertionType) {
  return withModels((nesting?.params(nestedAssertion) ?? params).shape);
}

const assertionMappings = assertionTypes.map((type) =>
  z
    .strictObject({
      type: z.literal(type.type).meta({ description: type.summary }),
      ...ownShape(type),
      ...sharedShape(type),
      // Overrides shared keys: `name` of `tool-called` is the tool's name.
      ...ownShape(type),
    })
    .meta({ description: type.summary, opens: 'assertion', template: 'case' }),
);

export const assertionSchema: z.ZodType<string | Readonly<Record<string, unknown>>> = z
  .union([
    words.meta({ template: 'case' }),
    z.discriminatedUnion('type', options(assertionMappings)),
  ])
  .meta({
    description: 'One check: a criterion in plain English, or a mapping with a `type`.',
  });

export type AssertionInput = z.infer<typeof assertionSchema>;
