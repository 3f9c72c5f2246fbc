import * as z from 'zod';
import { type AssertionType, asksJudge } from '../assertions/contract.ts';
import { assertionTypes } from '../assertions/registry.ts';
import { toolSchema } from '../core/message.ts';
import { modelProviders } from '../models/registry.ts';
import { documentationOf } from '../schema/schemaWalk.ts';
import { targetTypes } from '../targets/registry.ts';
import { messageSchema } from './messagesSchema.ts';

/**
 * The eval file, version 1: the one declaration of the format. Types, validation, JSON Schema,
 * completion and hover texts come from here and from the registries that it composes.
 */

/** At least two options, as zod's unions want them. */
function options<Schema extends z.ZodType>(schemas: readonly Schema[]): [Schema, Schema] {
  return schemas as unknown as [Schema, Schema];
}

/** A text that says something: blank text checks nothing and asks nothing. */
const words = z.string().regex(/\S/, 'Here must stand words, not blanks');

export const modelSchema = z
  .union([
    z.string().min(1),
    z.discriminatedUnion('provider', options(modelProviders.map(({ schema }) => schema))),
  ])
  .meta({ description: 'A model: its name in `models`, `provider:model`, or a mapping.' });

export const targetSchema = z
  .union([
    z.string().min(1),
    z.discriminatedUnion('type', options(targetTypes.map(({ schema }) => schema))),
  ])
  .meta({ description: 'The system under test: its name in `targets`, or a mapping.' });

export const atSchema = z
  .union([
    z.enum(['all', 'last', 'first', 'each']),
    z.int(),
    z.array(z.int()).min(1),
    z.string().regex(/^[1-9]\d*-[1-9]\d*$/, 'Write a range as "2-6"'),
  ])
  .meta({
    description:
      'Which turns it looks at: `all` (default), `last`, `first`, `each`, a number, a list, or a range `"2-6"`. Negative numbers count from the end.',
  });

const threshold = z.number().min(0).max(1).meta({ description: 'The score needed to pass, 0..1.' });

/** More samples than these buy nothing but a bill. */
const MAX_SAMPLES = 25;

/** An assertion within another. */
const nestedAssertion: z.ZodType = z.lazy(() => assertionSchema);

const commonKeys = {
  name: z.string().min(1).optional().meta({
    description: 'Label; the type, or the first words of the criterion, unless given.',
  }),
  threshold: threshold.optional(),
  weight: z.number().min(0).optional().meta({
    description: "How much it counts in the case's mean; 1 unless given.",
  }),
  required: z.boolean().optional().meta({
    description: 'True: failing or erroring fails the case, whatever the mean.',
  }),
  at: atSchema.optional(),
};

/** In the scale of the type as well: 3 of 1 to 5. */
function thresholdIn(scale: AssertionType['scale']): z.ZodType {
  if (scale === undefined) return threshold;
  const high = scale === 'own' ? '' : ` or in the scale of the values, up to ${scale[1]}`;
  return (scale === 'own' ? z.number() : z.number().min(0).max(scale[1])).meta({
    description: `The score needed to pass: 0..1${high}. What is greater than 1 is read in the scale of the values.`,
  });
}

const judgedKeys = {
  samples: z.int().min(1).max(MAX_SAMPLES).optional().meta({
    description:
      "How often the judge is asked; 1 unless given. The median score and the majority's label count, the spread is kept.",
  }),
  judge: modelSchema.optional().meta({ description: 'The model that judges this assertion.' }),
  temperature: z.number().min(0).max(2).optional().meta({
    description: "The judge's temperature; 0 unless given.",
  }),
};

/** Of types that judge turn by turn. */
const partsKeys = {
  granularity: z.enum(['conversation', 'turn']).optional().meta({
    description:
      '`conversation` (default) asks once about all turns; `turn` asks once for each judged turn: the strictest reading, and the dearest.',
  }),
  window: z.int().min(0).optional().meta({
    description:
      'How many turns before those judged are shown with `granularity: turn`, and where a long conversation is judged in parts; 10 unless given.',
  }),
};

const deterministicKeys = {
  negate: z.boolean().optional().meta({ description: 'True asks for the opposite.' }),
};

/** The keys that assertions of a type share with others, beside `type` and the type's own. */
export function sharedKeys(type: AssertionType): readonly string[] {
  return SHARED_KEYS.get(type) ?? [];
}

/** Asked for with every assertion of a file, so they are looked up and not made anew. */
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
  const { shape } = nesting?.params(nestedAssertion) ?? params;
  if (!('model' in shape)) return shape;
  const description = documentationOf(shape.model);
  return { ...shape, model: description ? modelSchema.meta({ description }) : modelSchema };
}

const assertionMappings = assertionTypes.map((type) =>
  z
    .strictObject({
      type: z.literal(type.type).meta({ description: type.summary }),
      ...ownShape(type),
      ...sharedShape(type),
      // A type's own key goes before a shared one: `name` of `tool-called` is the tool's.
      ...ownShape(type),
    })
    .meta({ description: type.summary }),
);

export const assertionSchema: z.ZodType<string | Readonly<Record<string, unknown>>> = z
  .union([words, z.discriminatedUnion('type', options(assertionMappings))])
  .meta({
    description: 'One thing to check: a criterion in plain English, or a mapping with a `type`.',
  });

const assert = z.array(assertionSchema).meta({ description: 'What is checked.' });

const expectations = z.union([z.string(), z.record(z.string(), z.unknown())]).meta({
  description: 'What a good conversation comes to, told to judges as `{{expectations}}`.',
});

const repeat = z
  .union([
    z.int().min(1),
    z.strictObject({
      times: z.int().min(1).meta({ description: 'How often the case runs.' }),
      pass: z
        .union([z.enum(['all', 'any']), z.number().gt(0).max(1)])
        .optional()
        .meta({ description: 'How many must pass: `all` unless given, `any`, or a share.' }),
    }),
  ])
  .meta({ description: 'Runs the case several times.' });

const tags = z.array(z.string().min(1)).meta({ description: 'Words to select cases by.' });

const overridable = {
  target: targetSchema.optional(),
  judge: modelSchema.optional().meta({ description: 'The model that judges.' }),
  role: z.string().min(1).optional().meta({ description: 'The role the assistant is to play.' }),
  topics: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Topics that the assistant may engage with.' }),
  tools: z
    .array(
      z.union([
        z.strictObject({
          type: z.literal('function').optional().meta({ description: 'Always `function`.' }),
          function: toolSchema.meta({ description: 'The tool.' }),
        }),
        toolSchema,
      ]),
    )
    .optional()
    .meta({ description: 'Tools that the assistant may call.' }),
};

export const scriptedTurnSchema = z.union([
  words,
  z.strictObject({
    user: words.meta({ description: 'What the user says.' }),
    assert: assert.optional().meta({ description: 'What is checked about the reply.' }),
    expected: z.string().optional().meta({ description: 'What a good reply holds.' }),
  }),
]);

export const caseSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'Begin with a letter or digit; then also . _ -')
    .meta({ description: 'Its identity everywhere; unique in the suite.' }),
  description: z.string().optional().meta({ description: 'What the case is about.' }),
  tags: tags.optional(),
  skip: z
    .union([z.boolean(), z.string().min(1)])
    .optional()
    .meta({ description: 'True or a reason: the case is reported as skipped.' }),
  only: z.boolean().optional().meta({ description: 'True: runs only this case, while writing.' }),
  turns: z.array(scriptedTurnSchema).min(1).optional().meta({
    description: 'User turns to say one by one; the target answers live.',
  }),
  transcript: z
    .union([z.string().min(1), z.array(messageSchema)])
    .optional()
    .meta({
      description:
        'A conversation that already happened: a list of messages, or the path of a `.json`, `.jsonl` or `.yaml` file.',
    }),
  stop_on_failure: z.boolean().optional().meta({
    description: 'True ends the conversation at the first turn that fails.',
  }),
  expectations: expectations.optional(),
  context: z.record(z.string(), z.unknown()).optional().meta({
    description: "Variables for `{{name}}` in the case's text, and extra input for the target.",
  }),
  assert: assert.optional(),
  threshold: threshold.optional().meta({
    description:
      'The case passes when the weighted mean of its verdicts reaches it; without it every verdict must pass.',
  }),
  repeat: repeat.optional(),
  ...overridable,
});

export const fileKeys = z.strictObject({
  name: z
    .string()
    .min(1)
    .optional()
    .meta({ description: "Name of the suite; the file's unless given." }),
  description: z.string().optional().meta({ description: 'What the suite is about.' }),
  models: z.record(z.string(), modelSchema).optional().meta({ description: 'Named models.' }),
  targets: z
    .record(z.string(), targetSchema)
    .optional()
    .meta({ description: 'Named systems under test.' }),
  ...overridable,
  defaults: z
    .strictObject({
      assert: assert.optional(),
      threshold: threshold.optional(),
      repeat: repeat.optional(),
      tags: tags.optional(),
      expectations: expectations.optional(),
    })
    .optional()
    .meta({ description: "Put before every case's own." }),
  include: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Files with more cases (`cases:` only): paths or globs.' }),
  cases: z
    .array(z.unknown())
    .optional()
    .meta({ description: 'The conversations to get and to judge.' }),
});

export const evalFileSchema = fileKeys.extend({
  cases: z
    .array(caseSchema)
    .min(1)
    .optional()
    .meta({ description: 'The conversations to get and to judge.' }),
});

export const includedFileSchema = z.strictObject({ cases: z.array(z.unknown()).min(1) });

export type CaseInput = z.infer<typeof caseSchema>;
export type FileInput = z.infer<typeof fileKeys>;
export type AssertionInput = z.infer<typeof assertionSchema>;
