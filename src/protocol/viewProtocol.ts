import * as z from 'zod';
import { conversationSchema } from '../core/conversation.ts';
import { OUTCOMES } from '../core/presentation/words.ts';
import { sourceSchema } from '../core/problem.ts';
import { CHANGES, type Change } from '../core/record/caseHistory.ts';
import { opinionSchema } from '../core/record/label.ts';
import { originKinds, stopReasons } from '../core/record/runRecord.ts';
import { statedAssertionSchema } from '../core/statedAssertion.ts';
import { statusSchema, usageSchema, verdictSchema } from '../core/verdict.ts';
import { type PageProtocol, PHASES } from './viewPage.ts';

/**
 * What the extension and the conversation view say to each other. Parsed on both ends. The
 * extension sends whole snapshots, never deltas: a view that was hidden or reloaded is right again
 * with the next one.
 */

/** Which conversation a view shows; all that the view keeps over a reload. */
export const viewStateSchema = z.strictObject({
  /** The eval file, as a URI. */
  file: z.string(),
  id: z.string(),
  /** Which of its conversations, where the case stands for several. */
  variant: z.string().optional(),
  repetition: z.int().min(1),
  /** The run's record, absolute; absent: the last run. */
  record: z.string().optional(),
  /** The folder that the record's paths start from; the one that it stands in by default. */
  root: z.string().optional(),
  /** The records of two runs that are compared, absolute. */
  compared: z
    .strictObject({ base: z.array(z.string()).min(1), head: z.array(z.string()).min(1) })
    .optional(),
});

/** How a case ended. */
const endedSchema = z.strictObject({
  status: statusSchema.optional(),
  score: z.number().min(0).max(1).nullable(),
  threshold: z.number().min(0).max(1).optional(),
  /** Why it errored, was skipped or cannot run. */
  reason: z.string().optional(),
  conversation: conversationSchema,
  verdicts: z.array(verdictSchema),
});

const index = z.int().min(0);

/** A case in two runs. */
const comparedSchema = z.strictObject({
  change: z.enum(OUTCOMES),
  /** `worse, from passed 1.00 to failed 0.40` */
  spoken: z.string(),
  /** Which runs they are. */
  before: z.string(),
  after: z.string(),
  /** In the first run; absent where only one of them has it, which the snapshot is of then. */
  base: endedSchema.optional(),
  assertions: z.array(
    z.strictObject({
      change: z.enum(OUTCOMES),
      /** `Tone: passed 1.00 → failed 0.40, worse in turn 4` */
      text: z.string(),
      /** Indexes of its verdicts. */
      base: index.optional(),
      head: index.optional(),
    }),
  ),
  /** Turns that became so by any assertion. */
  worse: z.array(z.int().min(1)),
  better: z.array(z.int().min(1)),
  /** The cases that are not as they were. */
  changed: z.strictObject({
    count: index,
    /** Which of them is shown, from 1; absent where the case is none of them. */
    at: z.int().min(1).optional(),
  }),
});

export const snapshotSchema = z.strictObject({
  ...endedSchema.shape,
  state: viewStateSchema,
  phase: z.enum(PHASES),
  suiteName: z.string(),
  description: z.string().optional(),
  repetitions: z.int().min(1),
  origin: z.enum(originKinds).optional(),
  stopReason: z.enum(stopReasons).optional(),
  /** Why the simulated user took the conversation for over. */
  stopRationale: z.string().optional(),
  /** How the case has changed since the run, if it has. */
  changed: z.enum(Object.keys(CHANGES) as [Change, ...Change[]]).optional(),
  /** Where the mistake stands that the reason is about, if it is in a file of data. */
  fault: sourceSchema.optional(),
  /** The turn that is being said: more of it is to come. */
  speaking: z.int().min(1).optional(),
  /** The case's assertions as the file has them now; empty if the case has errors. */
  assertions: z.array(statedAssertionSchema),
  usage: usageSchema.optional(),
  /** Milliseconds. */
  duration: z.number().optional(),
  /** ISO 8601. */
  finished: z.string().optional(),
  /** How its repetitions came out, where there are several. */
  repeated: z.string().optional(),
  /** How the case came out over its last runs, in a sentence. */
  history: z.string().optional(),
  /** The cases of the run that failed or errored; absent where it has none. */
  failing: z
    .strictObject({
      count: z.int().min(1),
      /** Which of them is shown, from 1; absent where the case is none of them. */
      at: z.int().min(1).optional(),
    })
    .optional(),
  /** What people say of the verdicts; absent where nothing can be labelled. */
  labels: z
    .strictObject({
      /** Who looks at it, as the name of their file. */
      person: z.string(),
      given: z.array(opinionSchema),
      /** How often each judge was right so far, of what people labelled beside this eval file. */
      tallies: z.array(
        z.strictObject({
          judge: z.string(),
          assertion: z.string(),
          of: z.enum(['cases', 'turns']),
          right: z.int().min(0),
          compared: z.int().min(1),
        }),
      ),
      /** Whether there is something to undo. */
      undo: z.boolean(),
      /** Lines of label files that could not be read. */
      problems: z.array(z.string()),
    })
    .optional(),
  compared: comparedSchema.optional(),
});

const subject = opinionSchema.pick({ assertion: true, turn: true }).shape;

export const toViewSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('snapshot'), snapshot: snapshotSchema }),
  /** Scroll to a turn and put the focus on it. */
  z.strictObject({ kind: z.literal('reveal-turn'), turn: z.int().min(1) }),
]);

export const fromViewSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  z.strictObject({ kind: z.literal('open-turn'), turn: z.int().min(1) }),
  z.strictObject({ kind: z.literal('open-assertion'), index: z.int().min(0) }),
  z.strictObject({ kind: z.literal('open-fault') }),
  /** Show what the judge was asked for a verdict, by the key of its assertion. */
  z.strictObject({ kind: z.literal('show-request'), key: z.string() }),
  z.strictObject({ kind: z.literal('run') }),
  z.strictObject({ kind: z.literal('cancel') }),
  /** Write the conversation into the file, as a case of its own. */
  z.strictObject({ kind: z.literal('save') }),
  /** Judge the conversation that is shown as the file now says. */
  z.strictObject({ kind: z.literal('judge-again') }),
  z.strictObject({ kind: z.literal('show-repetition'), repetition: z.int().min(1) }),
  /** Show the next case that is not as it was in the other run, or the one before. */
  z.strictObject({ kind: z.literal('show-changed'), step: z.literal([1, -1]) }),
  /** Show the next failing case of the run, or the one before. */
  z.strictObject({ kind: z.literal('show-failing'), step: z.literal([1, -1]) }),
  /** What the person who looks at it says of a verdict. */
  z.strictObject({
    kind: z.literal('label'),
    ...opinionSchema.omit({ person: true, standing: true }).shape,
  }),
  /** Takes back what they said. */
  z.strictObject({ kind: z.literal('remove-label'), ...subject }),
  z.strictObject({ kind: z.literal('undo-label') }),
]);

export const conversationProtocol = {
  toPage: toViewSchema,
  fromPage: fromViewSchema,
  state: viewStateSchema,
} satisfies PageProtocol;

export type ViewState = z.infer<typeof viewStateSchema>;
export type Ended = z.infer<typeof endedSchema>;
export type ComparedView = z.infer<typeof comparedSchema>;
export type Snapshot = z.infer<typeof snapshotSchema>;
export type ToView = z.infer<typeof toViewSchema>;
export type FromView = z.infer<typeof fromViewSchema>;
