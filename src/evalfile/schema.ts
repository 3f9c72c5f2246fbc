import * as z from 'zod';
import { LIMITS } from '../core/limits.ts';
import { MEANING_KEYS } from '../core/meaning.ts';
import { toolsSchema } from '../core/message.ts';
import { DEFAULT_USER_TURNS, MAX_REPETITIONS, MAX_USER_TURNS } from '../core/suite.ts';
import { ownParts } from '../messages/content.ts';
import { partsOf } from '../messages/parts.ts';
import { dialects } from '../messages/registry.ts';
import { commonKeys } from '../targets/keys.ts';
import { assertionSchema, threshold, words } from './assertion/assertionSchema.ts';
import { optional, text } from './optionalKey.ts';
import { modelSchema, namedModel, namedTarget, targetSchema } from './targetSchema.ts';

/**
 * The eval file, version 1: the only declaration of the format. Types, validation, JSON Schema, completion, and hovers
 * derive from it and from the registries that it composes.
 */

/** The simplest dialects first, for completion; in the registry, the most specific ones come first. */
const schemas = [...dialects].reverse().map(({ schema }) => schema);

/** A message in any dialect. Doesn't include rules that depend on earlier messages. */
export const messageSchema: z.ZodType = z
  .union(schemas)
  .describe('A message: `user: Hi`, or another supported format.');

export const messagesFileSchema = z
  .array(messageSchema)
  .min(1)
  .describe('A conversation: its messages, in order.');

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const NAME_RULE = 'Start with a letter or digit, then use only letters, digits, ".", "_" and "-"';

const assert = z.array(assertionSchema).describe('What to check.');

const expectations = z
  .union([z.string(), z.record(z.string(), z.unknown())])
  .describe('What a good conversation achieves. Judges see it as `{{expectations}}`.');

const times = z.int().min(1).max(MAX_REPETITIONS);

const repeat = z
  .union([
    times,
    z.strictObject({
      times: times.describe('How many times to run the case.'),
      pass: optional(
        z.union([z.enum(['all', 'any']), z.number().gt(0).max(1)]),
        'How many repetitions must pass: `all`, `any`, or a share such as 0.8.',
        { default: 'all' },
      ),
    }),
  ])
  .describe('Run the case several times.');

const tags = z.array(text().meta({ refersTo: 'tag' })).describe('Tags to select cases by.');

const targetVariantSchema = z.strictObject({
  target: optional(text(), 'A target in `targets`. Default: the target of the case.', {
    refersTo: 'target',
  }),
  model: optional(modelSchema, 'For a `chat` target: the model, instead of its own.'),
  system: commonKeys.system.meta({
    description: "System prompt to use instead of the target's.",
    template: 'env',
  }),
});

/** A variant's name, which is part of longer names: `refund/warm`. */
const variantName = z
  .string()
  .regex(NAME, NAME_RULE)
  .max(LIMITS.variantName, `Use at most ${LIMITS.variantName} characters`);

const overridable = {
  target: targetSchema.optional(),
  variants: optional(
    z.record(variantName, targetVariantSchema),
    "Variants of the target to compare, by name. Each case that calls a target runs once per variant, and reports compare the others with the first one. A case's `variants` replace the file's; `{}` means none.",
  ),
  judge: optional(
    modelSchema,
    'The model that judges. Default: the setting `turnlight.judge`, or `TURNLIGHT_JUDGE`.',
  ),
  together: optional(
    z.boolean(),
    "If true, all questions to a judge about a conversation share one request, so that the judge reads the conversation once instead of once per assertion. The case's value overrides the file's, and the file's overrides the judge's.",
    { default: false },
  ),
  role: optional(text(), 'The role the assistant should play.'),
  topics: topics('declares'),
  tools: optional(toolsSchema, 'Tools the assistant may call.'),
};

function topics(role: 'declares' | 'refersTo') {
  const topic = text().meta({ [role]: 'topic' });
  return optional(z.array(topic), 'Topics the assistant may discuss.');
}

const filledWords = () => words.meta({ template: 'case' });

const scriptedTurnSchema = z.union([
  filledWords(),
  z.strictObject({
    user: z
      .union([words, partsOf('user', ownParts).min(1)])
      .meta({ description: 'What the user says: text, or a list of parts.', template: 'case' }),
    assert: optional(assert, 'What to check about the reply.'),
    expected: optional(z.string(), 'What a good reply contains.', { template: 'case' }),
  }),
]);

const simulateSchema = z
  .strictObject({
    goal: words.meta({ description: 'What the user wants to achieve.', template: 'case' }),
    persona: optional(words, 'Who the user is and how they talk.', { template: 'case' }),
    opening: optional(
      z.array(filledWords()).min(1),
      'What the user says first, turn by turn, before the model takes over.',
    ),
    max_user_turns: optional(
      z.int().min(1).max(MAX_USER_TURNS),
      'Maximum number of user turns, including `opening`.',
      { default: DEFAULT_USER_TURNS },
    ),
    stop_when: optional(words, 'Another condition that ends the conversation, in plain English.', {
      template: 'case',
    }),
    guidelines: optional(z.array(filledWords()).min(1), 'How the user behaves, one rule per item.'),
    model: optional(modelSchema, "The model that plays the user. Default: the judge's model."),
    seed: optional(
      z.int(),
      'Seed for reproducible answers, if the model supports seeds. Each repetition adds 1.',
    ),
  })
  .describe(
    'A model plays the user, and the target answers live. The conversation ends when the goal is reached or refused, or after `max_user_turns`.',
  );

const recordedPath = text().meta({ file: 'transcripts' });

const recordedMessages = () =>
  z.union([text().meta({ file: 'transcript' }), z.array(messageSchema)]);

export const caseSchema = z
  .strictObject({
    id: z
      .string()
      .regex(NAME, NAME_RULE)
      .max(LIMITS.caseId, `Use at most ${LIMITS.caseId} characters`)
      .meta({
        description:
          'Identifies the case, for example in results and on the command line. Must be unique in the suite. Letters, digits, `.`, `_`, and `-`.',
        declares: 'case',
      }),
    description: optional(z.string(), 'What the case is about.'),
    tags: tags.optional(),
    skip: optional(
      z.union([z.boolean(), text()]),
      "If true, or a text that gives the reason, the case doesn't run and is reported as skipped.",
    ),
    only: optional(z.boolean(), 'If true, run only this case. For temporary use.'),
    turns: optional(
      z.array(scriptedTurnSchema).min(1),
      'What the user says, turn by turn. The target answers live.',
    ),
    simulate: simulateSchema.optional(),
    history: optional(
      recordedMessages(),
      'With `turns` or `simulate`: the conversation before the first live turn, as a list of messages or the path of a file. It must end with a message from the assistant. The target receives it, and its turns are numbered too.',
    ),
    transcript: optional(
      recordedMessages(),
      'A recorded conversation: a list of messages, or the path of a `.json`, `.jsonl`, or `.yaml` file.',
    ),
    transcripts: optional(
      z.union([recordedPath, z.array(recordedPath).min(1)]),
      'Recorded conversations, each a variant of the case: a path or glob, or a list of them. A file contains one transcript or a data set: a list of conversations, or `.jsonl` with one conversation per line.',
    ),
    roles: optional(
      z.record(text(), z.enum(['user', 'assistant', 'system', 'developer', 'tool'])),
      'Maps the names of the sides in `transcript`, `transcripts`, or `history` to roles, such as `{usr: user, sys: assistant}`.',
    ),
    stop_on_failure: optional(
      z.boolean(),
      'If true, end the conversation at the first failing turn.',
    ),
    matrix: optional(
      z.union([
        text().meta({ file: 'matrix' }),
        z
          .record(text(), z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]))
          .meta({ declares: 'variable' }),
      ]),
      'Runs the case once for each combination of values, each as a variant of the case. Give each name either a list of values or a map from id to value, or give the path of a `.csv` or `.jsonl` file with one combination per line. The values replace `{{name}}` and are passed to the target in `context`.',
    ),
    expectations: expectations.optional().meta({ template: 'case' }),
    context: optional(
      z.record(z.string(), z.unknown()),
      "Values for `{{name}}` in the case's texts, and additional input for the target.",
      { declares: 'variable' },
    ),
    assert: assert.optional(),
    threshold: optional(
      threshold,
      'The case passes if its score, computed by `aggregate`, reaches this value. Without a threshold, every verdict must pass.',
    ),
    aggregate: optional(
      z.enum(['mean', 'min']),
      "How to compute the case's score: the weighted `mean` of its verdicts, or the lowest, `min`.",
      { default: 'mean' },
    ),
    repeat: repeat.optional(),
    ...overridable,
    judge: overridable.judge.describe("The model that judges. Default: the file's `judge`."),
    role: overridable.role.meta({ template: 'case' }),
    topics: topics('refersTo'),
  })
  .meta({ opens: 'case' });

export const fileKeys = z.strictObject({
  name: optional(text(), 'Name of the suite. Default: the file name.'),
  description: optional(z.string(), 'What the suite is about.'),
  models: optional(z.record(z.string(), namedModel), 'Named models.', { declares: 'model' }),
  targets: optional(z.record(z.string(), namedTarget), 'Named systems under test.', {
    declares: 'target',
  }),
  ...overridable,
  defaults: optional(
    z.strictObject({
      assert: assert.optional(),
      threshold: threshold.optional(),
      repeat: repeat.optional(),
      tags: tags.optional(),
      expectations: expectations.optional(),
    }),
    'Applied to every case, before its own values.',
    { opens: 'case' },
  ),
  include: optional(
    z.array(text().meta({ file: 'cases' })),
    'Files with more cases, as paths or globs. They contain only the key `cases`.',
  ),
  cases: optional(z.array(z.unknown()), 'The conversations to run and judge.'),
});

export const evalFileSchema = fileKeys.extend({
  cases: optional(z.array(caseSchema).min(1), 'The conversations to run and judge.'),
});

export const includedFileSchema = z.strictObject({ cases: z.array(z.unknown()).min(1) });

export type CaseInput = z.infer<typeof caseSchema>;
export type FileInput = z.infer<typeof fileKeys>;

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The eval file as JSON Schema (draft 7), for editors that know YAML but not Turnlight. */
export function evalJsonSchema(): JsonSchema {
  return { title: 'Turnlight eval file', ...draft7(evalFileSchema) };
}

export function messagesJsonSchema(): JsonSchema {
  return { title: 'Messages of a conversation', ...draft7(messagesFileSchema) };
}

function draft7(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    reused: 'ref',
    // Other tools can't use these.
    override: ({ jsonSchema }) => {
      for (const key of MEANING_KEYS) delete jsonSchema[key];
    },
  });
}
