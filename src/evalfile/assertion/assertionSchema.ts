import * as z from 'zod';
import { type AssertionType, asksJudge } from '../../assertions/contract.ts';
import { assertionTypes } from '../../assertions/registry.ts';
import { atSchema } from '../../core/at.ts';
import { optional, text } from '../optionalKey.ts';
import { modelSchema, options, withModels } from '../targetSchema.ts';

/** Text that isn't blank. */
export const words = z.string().regex(/\S/, 'Expected text, found only whitespace');

export const threshold = z.number().min(0).max(1).describe('Score needed to pass, from 0 to 1.');

/** More samples than this only add cost. */
const MAX_SAMPLES = 25;

const nestedAssertion: z.ZodType = z.lazy(() => assertionSchema);

const commonKeys = {
  name: optional(text(), 'Display name. Default: the type, or the first words of the criterion.', {
    template: 'none',
  }),
  threshold: threshold.optional(),
  weight: optional(z.number().min(0), "Weight in the case's mean score.", { default: 1 }),
  required: optional(
    z.boolean(),
    'If true, the case fails whenever this assertion fails or errors, regardless of the mean score.',
  ),
  at: atSchema.optional(),
};

/** A threshold can also be on the type's own scale, such as 3 on a scale from 1 to 5. */
function thresholdIn(scale: AssertionType['scale']): z.ZodType {
  if (scale === undefined) return threshold;
  const high = scale === 'own' ? '' : ` (up to ${scale[1]})`;
  return (scale === 'own' ? z.number() : z.number().min(0).max(scale[1])).meta({
    description: `Score needed to pass, from 0 to 1. A value above 1 is on the type's own scale${high}.`,
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
    "The judge's temperature. Default: the model's `temperature`, or 0 if it has none.",
  ),
};

const partsKeys = {
  granularity: optional(
    z.enum(['conversation', 'turn']),
    '`conversation` asks once about all turns; `turn` asks separately about each judged turn, which is the strictest and most expensive option.',
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
  negate: optional(
    z.boolean(),
    'If true, inverts the assertion: it passes if the condition is not met.',
  ),
};

/** The type's keys that other types have too, except `type`. */
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
      // The type's own keys override shared ones: for `tool-called`, `name` is the tool's name.
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
