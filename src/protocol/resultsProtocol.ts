import * as z from 'zod';
import { OUTCOMES } from '../core/presentation/words.ts';
import { statusSchema } from '../core/verdict.ts';
import type { PageProtocol } from './viewPage.ts';

/**
 * What the extension and the results view say to each other. Parsed on both ends. A snapshot holds all
 * cases of a run, each as little as a row shows; what was said and why is asked for when it is looked for.
 */

const place = z.int().min(0);

/** What became of it from one run to another. */
const comparedSchema = z.strictObject({
  change: z.enum(OUTCOMES),
  shown: z.string(),
  spoken: z.string(),
});

const outcomeSchema = z.strictObject({
  status: statusSchema,
  score: z.number().min(0).max(1).nullable(),
  threshold: z.number().min(0).max(1),
  label: z.string().optional(),
  reason: z.string().optional(),
  /** Highest less lowest score of several samples, where they differ. */
  spread: z.number().min(0).optional(),
  compared: comparedSchema.optional(),
});

/** One assertion over all cases. */
const columnSchema = z.strictObject({
  name: z.string(),
  /** From 1; above it where a case has several assertions of this name. */
  occurrence: z.int().min(1),
  /** Each that a verdict came to, once. */
  outcomes: z.array(outcomeSchema),
});

const caseSchema = z.strictObject({
  /** Index in `suites`. */
  suite: place,
  /** As shown: with its variant. */
  title: z.string(),
  status: statusSchema,
  score: z.number().min(0).max(1).nullable(),
  /** As it is shown, on its side of the threshold. */
  scored: z.string().optional(),
  /** Why it errored or was skipped. */
  reason: z.string().optional(),
  /** Indexes in `tags`. */
  tags: z.array(place),
  cost: z.number().min(0).nullable(),
  /** Milliseconds, of all repetitions. */
  duration: z.number().min(0),
  /** Pairs: the index of a column, and of an outcome in it; those of each repetition after each other. */
  cells: z.array(place),
  /** Where it is repeated: how many of its repetitions passed, came to their end, and were to run. */
  repeated: z
    .strictObject({
      passed: place,
      finished: z.int().min(1),
      planned: z.int().min(1),
      /** Lowest and highest score as they are shown, where they differ. */
      range: z.string().optional(),
    })
    .optional(),
  /** Where people labelled its verdicts, pairs: the index of a column, and 1 where somebody says that it is wrong. */
  people: z.array(place).optional(),
  compared: comparedSchema.optional(),
  /** In the first of two runs. */
  before: z
    .strictObject({ cost: z.number().min(0).nullable(), duration: z.number().min(0) })
    .optional(),
});

export const tableSchema = z.strictObject({
  /** The eval files, as they are shown. */
  suites: z.array(z.string()),
  tags: z.array(z.string()),
  columns: z.array(columnSchema),
  /** In the order of the record, each case once. */
  cases: z.array(caseSchema),
});

export const SORT_COLUMNS = ['case', 'status', 'others', 'tags', 'cost', 'duration'] as const;

/** What a person chose to see. */
export const shownSchema = z.strictObject({
  sort: z
    .strictObject({
      /** One of `SORT_COLUMNS`, or `assertion NAME`. */
      by: z.string(),
      descending: z.boolean(),
    })
    .optional(),
  group: z.enum(['none', 'file', 'tag']),
  /** Of the case, or of the verdict where an assertion is chosen. `bad`: failed or errored. */
  status: z.enum(['all', 'bad', ...statusSchema.options]),
  /** By its name. */
  assertion: z.string().optional(),
  /** Of the case, or of the verdict where an assertion is chosen. */
  change: z.enum(OUTCOMES).optional(),
  tag: z.string().optional(),
  label: z.string().optional(),
  /** Whether people say that a verdict is right, or wrong. */
  people: z.enum(['right', 'wrong']).optional(),
  text: z.string(),
  /** Groups of which the cases are hidden. */
  folded: z.array(z.string()),
  /** Pixels from the top of the table. */
  scroll: z.number().min(0),
});

/** All that the view keeps over a reload. */
export const resultsStateSchema = z.strictObject({
  /** Of the run, absolute. */
  records: z.array(z.string()).min(1),
  /** Of the run that it is compared with, absolute. */
  base: z.array(z.string()).min(1).optional(),
  shown: shownSchema.optional(),
});

/** What two runs differ by, in sentences. */
const findingsSchema = z.strictObject({
  /** Which runs they are. */
  runs: z.array(z.string()),
  changed: z.array(z.string()),
  /** What the numbers say in one sentence, then of each assertion. */
  sentence: z.string(),
  evidence: z.array(
    z.strictObject({
      says: z.enum(['worse', 'better', 'no-evidence', 'too-few']),
      text: z.string(),
    }),
  ),
  noise: z.array(z.string()),
});

export const resultsSchema = z.strictObject({
  records: z.array(z.string()).min(1),
  title: z.string(),
  /** When it was, what it cost, how long it took. */
  facts: z.array(z.string()),
  /** `reading`: more of the record is still to be read; `interrupted`: cancelled, stopped, or killed. */
  phase: z.enum(['reading', 'running', 'interrupted', 'over']),
  /** Another one where the record was written anew: what was found before counts no more. */
  generation: z.int().min(0),
  /** What could not be read. */
  problems: z.array(z.string()),
  table: tableSchema,
  /** The places of the rows in the table, as one reads the files; absent where the table has them so. */
  order: z.array(place).optional(),
  /** Where two runs are compared. */
  comparison: z
    .strictObject({
      /** The records of the first run, absolute. */
      base: z.array(z.string()).min(1),
      /** Once both are read. */
      findings: findingsSchema.optional(),
    })
    .optional(),
});

export const toResultsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('snapshot'), results: resultsSchema }),
  /** More cases that hold what is searched for, by their places in the table. */
  z.strictObject({
    kind: z.literal('found'),
    search: z.int(),
    cases: z.array(place),
    /** How many executions were looked through. */
    looked: place,
    done: z.boolean(),
  }),
]);

export const fromResultsSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ready') }),
  /** The conversation of a case; at what a verdict says, where a column is given. */
  z.strictObject({ kind: z.literal('open'), case: place, column: place.optional() }),
  /** Looks for a text in turns, rationales and all else; ends the search before. Empty: none. */
  z.strictObject({
    kind: z.literal('search'),
    search: z.int(),
    text: z.string().max(1000),
    /** So many executions were looked through already. */
    from: place,
  }),
  z.strictObject({ kind: z.literal('copy'), cases: z.array(place) }),
  /** Asks for a run to compare this one with. */
  z.strictObject({ kind: z.literal('compare') }),
  /** Runs the cases that the run didn't finish. */
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({ kind: z.literal('export'), format: z.enum(['csv', 'html']) }),
]);

export const resultsProtocol = {
  toPage: toResultsSchema,
  fromPage: fromResultsSchema,
  state: resultsStateSchema,
} satisfies PageProtocol;

export type ResultsTable = z.infer<typeof tableSchema>;
export type ResultsCase = z.infer<typeof caseSchema>;
export type ResultsColumn = z.infer<typeof columnSchema>;
export type Shown = z.infer<typeof shownSchema>;
export type ResultsState = z.infer<typeof resultsStateSchema>;
export type Findings = z.infer<typeof findingsSchema>;
export type Results = z.infer<typeof resultsSchema>;
export type ToResults = z.infer<typeof toResultsSchema>;
export type FromResults = z.infer<typeof fromResultsSchema>;

export const ALL_SHOWN: Shown = { group: 'none', status: 'all', text: '', folded: [], scroll: 0 };
