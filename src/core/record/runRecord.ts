import * as z from 'zod';
import { conversationSchema, failedTurnSchema, latenciesOf } from '../conversation.ts';
import { isSmallJson } from '../data/data.ts';
import { listOf } from '../data/listOf.ts';
import { LIMITS } from '../limits.ts';
import { toolSchema } from '../message.ts';
import { rangeSchema, sourceSchema } from '../problem.ts';
import type { SuiteCase } from '../suite.ts';
import { statusSchema, usageSchema, type Verdict, verdictSchema } from '../verdict.ts';

/** Readers accept older and newer versions: no object here is strict, so that unknown keys are dropped. */
export const RECORD_VERSION = 2;

const finishedSchema = z
  .string()
  // Times are compared as text.
  .refine((time) => /^\d{4}-\d\d-\d\dT.*Z$/.test(time) && !Number.isNaN(Date.parse(time)))
  .meta({ description: 'ISO 8601, UTC.' });

const MAX_OPTIONS_BYTES = 100_000;

export const runLineSchema = z.object({
  kind: z.literal('run').meta({ description: 'The first line.' }),
  version: z.int().min(1).meta({ description: 'Version of the format, currently 2.' }),
  id: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .meta({ description: 'Identifies the run; part of the file name.' }),
  started: z.string().meta({ description: 'ISO 8601, UTC.' }),
  files: listOf(
    z.object({
      path: z.string().meta({ description: 'Path of an eval file.' }),
      hash: z.string().meta({ description: 'SHA-256 of the text that ran, hexadecimal.' }),
      cases: listOf(z.string()).optional().meta({
        description: 'The selected cases, `id` or `id/variant`; absent if all ran.',
      }),
      includes: listOf(z.string()).optional().meta({
        description: 'Paths of the included files whose cases ran; absent if there are none.',
      }),
    }),
  ).meta({ description: 'The eval files that ran.' }),
  planned: z.int().min(0).optional().meta({
    description: 'Number of `case` lines in the complete run.',
  }),
  resumed: listOf(z.string()).optional().meta({
    description: 'Times at which the run was resumed. ISO 8601, UTC.',
  }),
  judged_from: z.string().optional().meta({
    description:
      'The id of the run whose conversations this run judged again; no target was called.',
  }),
  merged_from: listOf(z.string()).optional().meta({
    description: 'The ids of the runs that were merged into this one.',
  }),
  commit: z.string().optional().meta({ description: 'The git commit, if there is one.' }),
  options: z
    .record(z.string(), z.unknown())
    // The list of runs keeps them in memory.
    .refine((options) => isSmallJson(options, MAX_OPTIONS_BYTES))
    .meta({ description: 'The options of the run, such as `concurrency`.' }),
  judges: listOf(z.string()).meta({ description: 'Judge models as `provider:model`.' }),
});

export const originKinds = [
  'turns',
  'simulate',
  'transcript',
] as const satisfies SuiteCase['origin']['kind'][];

/** Why a conversation ended. A simulated one always has a reason, other conversations only if they ended early. */
export const stopReasons = [
  'stop-on-failure',
  'goal-reached',
  'goal-refused',
  'max-turns',
  'stop-condition',
  'repetition',
  'empty-reply',
  'target-error',
  'simulator-error',
  'cancelled',
] as const;

export const factsSchema = z.object({
  role: z.string().optional().meta({ description: 'As in the eval file.' }),
  topics: listOf(z.string()).meta({ description: 'As in the eval file.' }),
  tools: listOf(toolSchema.strip()).meta({ description: 'As in the eval file.' }),
  expectations: z
    .record(z.string(), z.unknown())
    .meta({ description: 'As in the eval file; plain text is under `outcome`.' }),
  context: z.record(z.string(), z.unknown()).meta({ description: 'As in the eval file.' }),
});

export const caseLineSchema = z.object({
  kind: z.literal('case').meta({ description: 'A case that finished.' }),
  suite: z
    .string()
    .meta({ description: "The suite's file; the case itself may be in an included file." }),
  suite_name: z.string().meta({ description: 'The name of the suite.' }),
  id: z.string().max(LIMITS.caseId).meta({ description: 'The `id` of the case.' }),
  variant: z.string().optional().meta({ description: 'The variant, if the case has several.' }),
  target_variant: z
    .object({
      name: z.string().meta({ description: 'Its name.' }),
      of: listOf(z.string()).meta({
        description:
          'The names of all, in the order of the file. The first is the one that the others are compared with.',
      }),
    })
    .optional()
    .catch(undefined)
    .meta({
      description:
        'The variant of the target, if the file compares several. `variant` ends with its name.',
    }),
  repetition: z
    .int()
    .min(1)
    .meta({ description: 'Number of the repetition, from 1; always 1 without `repeat`.' }),
  repetitions: z.int().min(1).meta({ description: 'How many times the case runs.' }),
  must_pass: z.number().gt(0).max(1).optional().meta({
    description: 'Share of the repetitions that must pass; absent if all must.',
  }),
  source: z
    .object({
      path: z.string().meta({ description: 'The file that contains the case.' }),
      range: rangeSchema.meta({ description: 'Its position in the file.' }),
      hash: z.string().meta({
        description: "SHA-256 of the case's text. If the text has changed, the verdicts are stale.",
      }),
    })
    .meta({ description: 'Where the case is defined.' }),
  description: z.string().optional().meta({ description: 'The description of the case.' }),
  tags: listOf(z.string()).meta({ description: 'The tags of the case.' }),
  origin: z.enum(originKinds).optional().catch(undefined).meta({
    description:
      'Where the conversation comes from. This key and the next four are new in version 2.',
  }),
  stop_reason: z.enum(stopReasons).optional().catch(undefined).meta({
    description: 'Why the conversation ended; absent unless it is simulated or ended early.',
  }),
  stop_rationale: z.string().optional().meta({
    description: 'Why the simulated user ended the conversation, in its own words.',
  }),
  facts: factsSchema.optional().meta({
    description: 'Data for assertions, in addition to the conversation.',
  }),
  target: z
    .object({
      name: z.string().meta({ description: 'Its name, or else its type.' }),
      type: z.string().meta({ description: 'Its type.' }),
      digest: z.string().meta({ description: 'SHA-256 of its keys and files.' }),
      filled_in: z.string().optional().catch(undefined).meta({
        description:
          'SHA-256 of its system text and model, and of the model of a simulated user, with environment variables filled in; absent if they use none.',
      }),
    })
    .optional()
    .meta({ description: 'The system that replied; absent if none was called.' }),
  input_hash: z.string().optional().meta({ description: "SHA-256 of the conversation's inputs." }),
  script_hash: z.string().optional().meta({
    description: 'SHA-256 of the files of its `script` assertions; absent if it has none.',
  }),
  status: statusSchema.meta({ description: 'The outcome.' }),
  score: z.number().min(0).max(1).nullable().meta({
    description:
      'Computed from the scored verdicts; null if there are none, or if the case errored.',
  }),
  threshold: z.number().min(0).max(1).optional().meta({
    description: 'The threshold of the case, if it has one.',
  }),
  reason: z.string().optional().meta({ description: 'Why the case errored or was skipped.' }),
  failed_turn: failedTurnSchema.optional().catch(undefined).meta({
    description: 'The turn that is missing because of the error.',
  }),
  fault: sourceSchema.optional().catch(undefined).meta({
    description: 'The mistake in a data file that prevents the case from running.',
  }),
  conversation_id: z.string().optional().meta({
    description: 'The `conversation` id that the target, its tools, and scripts received.',
  }),
  conversation: conversationSchema.meta({ description: 'The conversation.' }),
  verdicts: listOf(verdictSchema).meta({ description: 'The verdicts, one for each assertion.' }),
  usage: usageSchema.meta({ description: 'Usage of the target and the judges together.' }),
  target_usage: usageSchema.optional().meta({
    description: "The target's usage, if each of its replies reported it.",
  }),
  reported: listOf(z.string()).optional().meta({
    description:
      'What the replies of the target contained besides text: `tool_calls`, `context`, `usage`, `agents`. An assertion that needs anything else is an error.',
  }),
  duration: z.number().min(0).meta({ description: 'Duration in milliseconds.' }),
  finished: finishedSchema,
});

export const endLineSchema = z.object({
  kind: z.literal('end').meta({ description: 'The last line.' }),
  finished: finishedSchema,
  cancelled: z.boolean().meta({ description: 'Whether the run was canceled.' }),
  stopped: z.literal('max-cost').optional().meta({
    description: 'What ended the run before all its cases were started.',
  }),
  incomplete: z.literal(true).optional().catch(undefined).meta({
    description:
      'Set if the run was merged or judged again from records that lack cases, are damaged, or come from different commits.',
  }),
  counts: z
    .record(statusSchema, z.int().min(0))
    .meta({ description: 'How many cases ended with each status.' }),
  usage: usageSchema.optional().meta({
    description: 'Usage of all cases together; absent in records of earlier versions.',
  }),
});

/** A line of a record. In the file, its paths are relative to the record's root; everywhere else, they are absolute. */
export const recordLineSchema = z.discriminatedUnion('kind', [
  runLineSchema,
  caseLineSchema,
  endLineSchema,
]);

export type RunLine = z.infer<typeof runLineSchema>;
export type CaseLine = z.infer<typeof caseLineSchema>;
export type OriginKind = (typeof originKinds)[number];
export type StopReason = (typeof stopReasons)[number];
export type EndLine = z.infer<typeof endLineSchema>;
export type RecordLine = z.infer<typeof recordLineSchema>;

/** Milliseconds since the run was started or last resumed. @param until ISO 8601 */
export function runDuration({ started, resumed = [] }: RunLine, until: string): number {
  return Math.max(0, Date.parse(until) - Date.parse(resumed.at(-1) ?? started));
}

type Without<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

export type VerdictSummary = Without<
  Verdict,
  'rationale' | 'turns' | 'hits' | 'misses' | 'details' | 'nested' | 'question_hash'
> & {
  /** Set if the assertion couldn't be judged. */
  readonly rationale?: string;
};

/** A case's result, small enough to keep in memory. */
export type CaseSummary = Omit<CaseLine, 'conversation' | 'facts' | 'verdicts'> & {
  readonly verdicts: readonly VerdictSummary[];
  /** Milliseconds per reply; set if the case can be compared with a variant of it. */
  readonly latencies?: readonly number[];
};

/** Whether the case is in a file that its suite includes, and that other suites may include as well. */
export function isIncluded({ suite, source }: IncludedLine): boolean {
  return source.path !== suite;
}

type IncludedLine = Pick<CaseLine, 'suite'> & { readonly source: Pick<CaseLine['source'], 'path'> };

export function summaryOf(line: CaseLine): CaseSummary {
  const { conversation, facts: _facts, verdicts, ...rest } = line;
  return {
    ...rest,
    verdicts: verdicts.map(verdictSummary),
    ...((line.target_variant || isIncluded(line)) && { latencies: latenciesOf(conversation) }),
  };
}

function verdictSummary(verdict: Verdict): VerdictSummary {
  const { rationale, turns, hits, misses, details, nested, question_hash, ...rest } = verdict;
  return verdict.status === 'error' ? { ...rest, rationale } : rest;
}
