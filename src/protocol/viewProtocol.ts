import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import { OUTCOMES } from '../core/presentation/words.ts';
import { sourceSchema } from '../core/problem.ts';
import { CHANGES, type Change } from '../core/record/caseHistory.ts';
import { opinionSchema } from '../core/record/label.ts';
import { originKinds, stopReasons } from '../core/record/runRecord.ts';
import { statedAssertionSchema } from '../core/statedAssertion.ts';
import { statusSchema, usageSchema, verdictSchema } from '../core/verdict.ts';
import { loadedImage, loadImage } from './imageMessages.ts';
import { type FromPage, type PageProtocol, PHASES, type ToPage } from './viewPage.ts';

/** Identifies the conversation that a view shows. Saved, so that a reload restores it. */
export const viewStateSchema = z.strictObject({
  /** The eval file's URI. */
  file: z.string(),
  id: z.string(),
  /** The variant, if the case has several. */
  variant: z.string().optional(),
  repetition: z.int().min(1),
  /** Absolute path of the run's record; the last run's if absent. */
  record: z.string().optional(),
  /** The folder that the record's paths are relative to; the record's own root by default. */
  root: z.string().optional(),
  /** Absolute paths of the records of two compared runs. */
  compared: z
    .strictObject({ base: z.array(z.string()).min(1), head: z.array(z.string()).min(1) })
    .optional(),
});

/** A case's result in one run. */
const recordedCaseSchema = z.strictObject({
  status: statusSchema.optional(),
  score: z.number().min(0).max(1).nullable(),
  threshold: z.number().min(0).max(1).optional(),
  /** Why the case errored, was skipped, or can't run. */
  reason: z.string().optional(),
  conversation: conversationSchema,
  verdicts: z.array(verdictSchema),
});

const index = z.int().min(0);

const comparedSchema = z.strictObject({
  change: z.enum(OUTCOMES),
  /** `worse, from passed 1.00 to failed 0.40` */
  spoken: z.string(),
  /** Names of the two runs. */
  before: z.string(),
  after: z.string(),
  /** The case in the base run; absent if only one run has the case. The snapshot then shows that run. */
  base: recordedCaseSchema.optional(),
  assertions: z.array(
    z.strictObject({
      change: z.enum(OUTCOMES),
      /** `Tone: passed 1.00 → failed 0.40, worse in turn 4` */
      text: z.string(),
      /** Indexes of the assertion's verdicts in the two runs. */
      base: index.optional(),
      head: index.optional(),
    }),
  ),
  /** Numbers of turns that got worse, or better, according to any assertion. */
  worse: z.array(z.int().min(1)),
  better: z.array(z.int().min(1)),
  changed: z.strictObject({
    count: index,
    /** 1-based position of the displayed case among the changed cases; absent if the case hasn't changed. */
    at: z.int().min(1).optional(),
  }),
});

export const snapshotSchema = z.strictObject({
  ...recordedCaseSchema.shape,
  state: viewStateSchema,
  phase: z.enum(PHASES),
  suiteName: z.string(),
  description: z.string().optional(),
  repetitions: z.int().min(1),
  origin: z.enum(originKinds).optional(),
  stopReason: z.enum(stopReasons).optional(),
  /** Why the simulated user ended the conversation. */
  stopRationale: z.string().optional(),
  /** How the case has changed since the run; absent if it hasn't. */
  changed: z.enum(Object.keys(CHANGES) as [Change, ...Change[]]).optional(),
  /** Location of the mistake that `reason` describes, if the mistake is in a data file. */
  fault: sourceSchema.optional(),
  /** Number of the turn that is still streaming. */
  speaking: z.int().min(1).optional(),
  /** The case's assertions in the current file; empty if the case has errors. */
  assertions: z.array(statedAssertionSchema),
  usage: usageSchema.optional(),
  /** Milliseconds. */
  duration: z.number().optional(),
  /** ISO 8601. */
  finished: z.string().optional(),
  /** A sentence about the results of the case's repetitions, if there are several. */
  repeated: z.string().optional(),
  /** A sentence about the case's results in recent runs. */
  history: z.string().optional(),
  /** The run's cases that failed or errored, if any. */
  failing: z
    .strictObject({
      count: z.int().min(1),
      /** 1-based position of the displayed case among the failing cases; absent if it isn't one of them. */
      at: z.int().min(1).optional(),
    })
    .optional(),
  /** Labels for the verdicts; absent if nothing can be labeled. */
  labels: z
    .strictObject({
      /** The name used for the viewer in label files. */
      person: z.string(),
      given: z.array(opinionSchema),
      /** How often each judge has been right so far, according to this eval file's labels. */
      tallies: z.array(
        z.strictObject({
          judge: z.string(),
          assertion: z.string(),
          of: z.enum(['cases', 'turns']),
          right: z.int().min(0),
          compared: z.int().min(1),
        }),
      ),
      undo: z.boolean(),
      /** Invalid lines of label files. */
      problems: z.array(z.string()),
    })
    .optional(),
  compared: comparedSchema.optional(),
  /** For a conversation from traces: whether it could be rebuilt, so that it can be judged and saved. */
  received: z.enum(['complete', 'unclear']).optional(),
});

/** Messages between the extension and the conversation view. */
export const conversationProtocol = {
  toPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('snapshot'), snapshot: snapshotSchema }),
    /** Scroll to a turn, and focus it. */
    z.strictObject({ kind: z.literal('reveal-turn'), turn: z.int().min(1) }),
    loadedImage,
  ]),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    z.strictObject({ kind: z.literal('open-turn'), turn: z.int().min(1) }),
    z.strictObject({ kind: z.literal('open-assertion'), index }),
    z.strictObject({ kind: z.literal('open-fault') }),
    loadImage,
    /** Show the judge's request for a verdict, identified by its assertion's key. */
    z.strictObject({ kind: z.literal('show-request'), key: z.string() }),
    z.strictObject({ kind: z.literal('run') }),
    z.strictObject({ kind: z.literal('cancel') }),
    /** Add the conversation to a file as a new case. */
    z.strictObject({ kind: z.literal('save') }),
    /** Judge this conversation with the assertions in the current file. */
    z.strictObject({ kind: z.literal('judge-again') }),
    z.strictObject({ kind: z.literal('show-repetition'), repetition: z.int().min(1) }),
    /** Show the next or previous changed case. */
    z.strictObject({ kind: z.literal('show-changed'), step: z.literal([1, -1]) }),
    /** Show the run's next or previous failing case. */
    z.strictObject({ kind: z.literal('show-failing'), step: z.literal([1, -1]) }),
    z.strictObject({
      kind: z.literal('label'),
      ...opinionSchema.omit({ person: true, standing: true }).shape,
    }),
    z.strictObject({
      kind: z.literal('remove-label'),
      ...opinionSchema.pick({ assertion: true, turn: true }).shape,
    }),
    z.strictObject({ kind: z.literal('undo-label') }),
  ]),
  state: viewStateSchema,
} satisfies PageProtocol;

export type ViewState = z.infer<typeof viewStateSchema>;
export type RecordedCase = z.infer<typeof recordedCaseSchema>;
export type CaseComparison = z.infer<typeof comparedSchema>;
export type Snapshot = z.infer<typeof snapshotSchema>;
export type ToView = ToPage<typeof conversationProtocol>;
export type FromView = FromPage<typeof conversationProtocol>;
