import * as z from 'zod';
import { LIMITS } from '../core/limits.ts';
import { MEANING_KEYS } from '../core/meaning.ts';
import { toolsSchema } from '../core/message.ts';
import { DEFAULT_USER_TURNS, MAX_REPETITIONS, MAX_USER_TURNS } from '../core/suite.ts';
import { dialects } from '../messages/registry.ts';
import { assertionSchema, threshold, words } from './assertion/assertionSchema.ts';
import { modelSchema, namedModel, namedTarget, targetSchema } from './targetSchema.ts';

/**
 * The eval file, version 1: the only declaration of the format. Types, validation, JSON Schema, completion, and hovers
 * derive from it and from the registries that it composes.
 */

/** The plainest dialects first, for completion; the registry has the most specific ones first. */
const schemas = [...dialects].reverse().map(({ schema }) => schema);

/** A message in any dialect. Rules that depend on earlier messages aren't included. */
export const messageSchema: z.ZodType = z
  .union(schemas)
  .meta({ description: 'A message: `user: Hi`, or in any of the dialects that are read.' });

export const messagesFileSchema = z
  .array(messageSchema)
  .min(1)
  .meta({ description: 'A conversation: its messages, in order.' });

const assert = z.array(assertionSchema).meta({ description: 'What to check.' });

const expectations = z.union([z.string(), z.record(z.string(), z.unknown())]).meta({
  description: 'What a good conversation achieves. Judges see it as `{{expectations}}`.',
});

const times = z.int().min(1).max(MAX_REPETITIONS);

const repeat = z
  .union([
    times,
    z.strictObject({
      times: times.meta({ description: 'How many times to run the case.' }),
      pass: z
        .union([z.enum(['all', 'any']), z.number().gt(0).max(1)])
        .optional()
        .meta({
          description: 'How many runs must pass: `all`, `any`, or a share such as 0.8.',
          default: 'all',
        }),
    }),
  ])
  .meta({ description: 'Run the case several times.' });

const tags = z
  .array(z.string().min(1).meta({ refersTo: 'tag' }))
  .meta({ description: 'Tags to select cases by.' });

const overridable = {
  target: targetSchema.optional(),
  judge: modelSchema.optional().meta({
    description:
      'The model that judges. Default: the setting `turnlight.judge`, or `TURNLIGHT_JUDGE`.',
  }),
  together: z.boolean().optional().meta({
    description:
      "If true, all questions to a judge about a conversation share one request, so that the judge reads the conversation once instead of once per assertion. The case's value overrides the file's, and the file's overrides the judge's.",
    default: false,
  }),
  role: z.string().min(1).optional().meta({ description: 'The role the assistant should play.' }),
  topics: topics('declares'),
  tools: toolsSchema.optional().meta({ description: 'Tools the assistant may call.' }),
};

function topics(role: 'declares' | 'refersTo') {
  return z
    .array(
      z
        .string()
        .min(1)
        .meta({ [role]: 'topic' }),
    )
    .optional()
    .meta({ description: 'Topics the assistant may discuss.' });
}

const scriptedTurnSchema = z.union([
  words.meta({ template: 'case' }),
  z.strictObject({
    user: words.meta({ description: 'What the user says.', template: 'case' }),
    assert: assert.optional().meta({ description: 'What to check about the reply.' }),
    expected: z
      .string()
      .optional()
      .meta({ description: 'What a good reply contains.', template: 'case' }),
  }),
]);

const recordedPath = z.string().min(1).meta({ file: 'transcripts' });

const simulateSchema = z
  .strictObject({
    goal: words.meta({ description: 'What the user wants to achieve.', template: 'case' }),
    persona: words.optional().meta({
      description: 'Who the user is and how they talk.',
      template: 'case',
    }),
    opening: z
      .array(words.meta({ template: 'case' }))
      .min(1)
      .optional()
      .meta({
        description: 'What the user says first, turn by turn, before the model takes over.',
      }),
    max_user_turns: z.int().min(1).max(MAX_USER_TURNS).optional().meta({
      description: 'Maximum number of user turns, including `opening`.',
      default: DEFAULT_USER_TURNS,
    }),
    stop_when: words.optional().meta({
      description: 'What else ends the conversation, in plain English.',
      template: 'case',
    }),
    guidelines: z
      .array(words.meta({ template: 'case' }))
      .min(1)
      .optional()
      .meta({
        description: 'How the user behaves, one rule per item.',
      }),
    model: modelSchema.optional().meta({
      description: "The model that plays the user. Default: the judge's model.",
    }),
    seed: z.int().optional().meta({
      description:
        'Makes the model repeat itself, as far as it can. Sent if the model takes one; each repetition adds 1.',
    }),
  })
  .meta({
    description:
      'A model plays the user, and the target answers live. It ends when the goal is reached or refused, at the latest after `max_user_turns`.',
  });

export const caseSchema = z
  .strictObject({
    id: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
        'Start with a letter or digit, then use only letters, digits, ".", "_" and "-"',
      )
      .max(LIMITS.caseId, `Use at most ${LIMITS.caseId} characters`)
      .meta({
        description:
          'Identifies the case everywhere; unique in the suite. Letters, digits, `.`, `_` and `-`.',
        declares: 'case',
      }),
    description: z.string().optional().meta({ description: 'What the case is about.' }),
    tags: tags.optional(),
    skip: z
      .union([z.boolean(), z.string().min(1)])
      .optional()
      .meta({ description: 'True, or a reason: report the case as skipped without running it.' }),
    only: z
      .boolean()
      .optional()
      .meta({ description: 'If true, run only this case. For use while writing.' }),
    turns: z.array(scriptedTurnSchema).min(1).optional().meta({
      description: 'What the user says, turn by turn. The target answers live.',
    }),
    simulate: simulateSchema.optional(),
    history: z
      .union([z.string().min(1).meta({ file: 'transcript' }), z.array(messageSchema)])
      .optional()
      .meta({
        description:
          'With `turns` or `simulate`: what was already said before the first live turn, as a list of messages or the path of a file. It ends with the assistant, the target gets it, and its turns count in the numbering.',
      }),
    transcript: z
      .union([z.string().min(1).meta({ file: 'transcript' }), z.array(messageSchema)])
      .optional()
      .meta({
        description:
          'A conversation that already happened: a list of messages, or the path of a `.json`, `.jsonl` or `.yaml` file.',
      }),
    transcripts: z
      .union([recordedPath, z.array(recordedPath).min(1)])
      .optional()
      .meta({
        description:
          'Conversations that already happened, each as a variant of the case: a path or glob, or a list of them. A file is a transcript, or a data set: `.jsonl` with one conversation per line, or a list of them.',
      }),
    roles: z
      .record(z.string().min(1), z.enum(['user', 'assistant', 'system', 'developer', 'tool']))
      .optional()
      .meta({
        description:
          'Names of the sides in `transcript`, `transcripts`, or `history`, such as `{usr: user, sys: assistant}`.',
      }),
    stop_on_failure: z.boolean().optional().meta({
      description: 'If true, end the conversation at the first failing turn.',
    }),
    matrix: z
      .union([
        z.string().min(1).meta({ file: 'matrix' }),
        z
          .record(
            z.string().min(1),
            z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
          )
          .meta({ declares: 'variable' }),
      ])
      .optional()
      .meta({
        description:
          'Runs the case once for each combination of values, each as a variant of the case. Give each name either a list of values or a map from id to value, or give the path of a `.csv` or `.jsonl` file with one combination per line. The values replace `{{name}}` and are passed to the target in `context`.',
      }),
    expectations: expectations.optional().meta({ template: 'case' }),
    context: z.record(z.string(), z.unknown()).optional().meta({
      description: "Values for `{{name}}` in the case's texts, and extra input for the target.",
      declares: 'variable',
    }),
    assert: assert.optional(),
    threshold: threshold.optional().meta({
      description:
        'The case passes when its score, computed by `aggregate`, reaches this. Without it, every verdict must pass.',
    }),
    aggregate: z.enum(['mean', 'min']).optional().meta({
      default: 'mean',
      description:
        "How verdicts make the case's score: their weighted `mean`, or the lowest, `min`.",
    }),
    repeat: repeat.optional(),
    ...overridable,
    judge: overridable.judge.meta({
      description: "The model that judges. Default: the file's `judge`.",
    }),
    role: overridable.role.meta({ template: 'case' }),
    topics: topics('refersTo'),
  })
  .meta({ opens: 'case' });

export const fileKeys = z.strictObject({
  name: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of the suite. Default: the file name.' }),
  description: z.string().optional().meta({ description: 'What the suite is about.' }),
  models: z
    .record(z.string(), namedModel)
    .optional()
    .meta({ description: 'Named models.', declares: 'model' }),
  targets: z
    .record(z.string(), namedTarget)
    .optional()
    .meta({ description: 'Named systems under test.', declares: 'target' }),
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
    .meta({ description: 'Applied to every case, before its own values.', opens: 'case' }),
  include: z
    .array(z.string().min(1).meta({ file: 'cases' }))
    .optional()
    .meta({ description: 'Files with more cases (`cases:` only): paths or globs.' }),
  cases: z
    .array(z.unknown())
    .optional()
    .meta({ description: 'The conversations to run and judge.' }),
});

export const evalFileSchema = fileKeys.extend({
  cases: z
    .array(caseSchema)
    .min(1)
    .optional()
    .meta({ description: 'The conversations to run and judge.' }),
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
    // Only our own features use what fields refer to.
    override: ({ jsonSchema }) => {
      for (const key of MEANING_KEYS) delete jsonSchema[key];
    },
  });
}
