import * as z from 'zod';
import { OUTCOMES } from '../core/presentation/words.ts';
import { statusSchema } from '../core/verdict.ts';
import type { FromPage, PageProtocol, ToPage } from './viewPage.ts';

const count = z.int().min(0);

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
  /** Highest minus lowest score of several samples, if they differ. */
  spread: z.number().min(0).optional(),
  compared: comparedSchema.optional(),
});

/** One assertion across all cases. */
const columnSchema = z.strictObject({
  name: z.string(),
  /** 1-based; higher if a case has several assertions with this name. */
  occurrence: z.int().min(1),
  /** The distinct outcomes of its verdicts. */
  outcomes: z.array(outcomeSchema),
});

const caseSchema = z.strictObject({
  /** Index in `suites`. */
  suite: count,
  /** Includes the variant. */
  title: z.string(),
  status: statusSchema,
  score: z.number().min(0).max(1).nullable(),
  /** The displayed score, rounded to the correct side of the threshold. */
  scored: z.string().optional(),
  /** Why the case errored or was skipped. */
  reason: z.string().optional(),
  /** Indexes in `tags`. */
  tags: z.array(count),
  cost: z.number().min(0).nullable(),
  /** Milliseconds, for all repetitions. */
  duration: z.number().min(0),
  /** Pairs of indexes (column, outcome in the column), repetition by repetition. */
  cells: z.array(count),
  /** If the case is repeated: number of repetitions by state. */
  repeated: z
    .strictObject({
      passed: count,
      finished: z.int().min(1),
      planned: z.int().min(1),
      /** Lowest and highest displayed score, if they differ. */
      range: z.string().optional(),
    })
    .optional(),
  /** People's labels, in pairs: the index of a column, and 1 if somebody marked the verdict as wrong. */
  people: z.array(count).optional(),
  compared: comparedSchema.optional(),
  /** In the base run of a comparison. */
  before: z
    .strictObject({ cost: z.number().min(0).nullable(), duration: z.number().min(0) })
    .optional(),
});

export const tableSchema = z.strictObject({
  /** The displayed names of the eval files. */
  suites: z.array(z.string()),
  tags: z.array(z.string()),
  columns: z.array(columnSchema),
  /** Each case once, in the order of the record. */
  cases: z.array(caseSchema),
});

export const SORT_COLUMNS = ['case', 'status', 'others', 'tags', 'cost', 'duration'] as const;

/** The sorting, grouping, and filters of the table. */
const tableSettingsSchema = z.strictObject({
  sort: z
    .strictObject({
      /** One of `SORT_COLUMNS`, or `assertion NAME`. */
      by: z.string(),
      descending: z.boolean(),
    })
    .optional(),
  group: z.enum(['none', 'file', 'tag']),
  /** The status of the case, or of the verdict if `assertion` is set. `bad`: failed or errored. */
  status: z.enum(['all', 'bad', ...statusSchema.options]),
  assertion: z.string().optional(),
  /** The change of the case, or of the verdict if `assertion` is set. */
  change: z.enum(OUTCOMES).optional(),
  tag: z.string().optional(),
  label: z.string().optional(),
  /** Verdicts that people labeled right, or wrong. */
  people: z.enum(['right', 'wrong']).optional(),
  text: z.string(),
  /** Collapsed groups. */
  folded: z.array(z.string()),
  /** Pixels from the top of the table. */
  scroll: z.number().min(0),
});

/** What the view restores after a reload. Paths are absolute. */
export const resultsStateSchema = z.strictObject({
  records: z.array(z.string()).min(1),
  /** The records of the base run of a comparison. */
  base: z.array(z.string()).min(1).optional(),
  shown: tableSettingsSchema.optional(),
});

/** The differences between two runs, in sentences. */
const findingsSchema = z.strictObject({
  /** Names of the two runs. */
  runs: z.array(z.string()),
  changed: z.array(z.string()),
  /** The result in one sentence; `evidence` has one per assertion. */
  sentence: z.string(),
  evidence: z.array(
    z.strictObject({
      says: z.enum(['worse', 'better', 'no-evidence', 'too-few']),
      text: z.string(),
    }),
  ),
  noise: z.array(z.string()),
});

/** All cases of a run, each as one row, without conversations and rationales. */
const resultsSchema = z.strictObject({
  records: z.array(z.string()).min(1),
  title: z.string(),
  /** Time, cost, and duration. */
  facts: z.array(z.string()),
  /** `reading`: the record isn't fully read yet; `interrupted`: cancelled, stopped, or killed. */
  phase: z.enum(['reading', 'running', 'interrupted', 'over']),
  /** Changes if the record was replaced: earlier search results are then invalid. */
  generation: z.int().min(0),
  /** Errors from reading the record. */
  problems: z.array(z.string()),
  table: tableSchema,
  /** The table's row indexes in file order; absent if the table already has that order. */
  order: z.array(count).optional(),
  /** Present if two runs are compared. */
  comparison: z
    .strictObject({
      /** Absolute paths of the base run's records. */
      base: z.array(z.string()).min(1),
      /** Present once both runs are read. */
      findings: findingsSchema.optional(),
    })
    .optional(),
});

/** Messages between the extension and the results view. */
export const resultsProtocol = {
  toPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('snapshot'), results: resultsSchema }),
    /** Further cases that match the search, as indexes into the table. */
    z.strictObject({
      kind: z.literal('found'),
      search: z.int(),
      cases: z.array(count),
      /** Number of executions searched so far. */
      looked: count,
      done: z.boolean(),
    }),
  ]),
  fromPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ready') }),
    /** Opens the conversation of a case; with `column`, at the verdict's quote. */
    z.strictObject({ kind: z.literal('open'), case: count, column: count.optional() }),
    /** Searches whole conversations and verdicts, and ends the previous search. Empty: only ends it. */
    z.strictObject({
      kind: z.literal('search'),
      search: z.int(),
      text: z.string().max(1000),
      /** Number of executions already searched. */
      from: count,
    }),
    z.strictObject({ kind: z.literal('copy'), cases: z.array(count) }),
    /** Lets the user choose a run to compare this one with. */
    z.strictObject({ kind: z.literal('compare') }),
    /** Runs the cases that the run didn't finish. */
    z.strictObject({ kind: z.literal('resume') }),
    z.strictObject({ kind: z.literal('export'), format: z.enum(['csv', 'html']) }),
  ]),
  state: resultsStateSchema,
} satisfies PageProtocol;

export type ResultsTable = z.infer<typeof tableSchema>;
export type ResultsCase = z.infer<typeof caseSchema>;
export type ResultsColumn = z.infer<typeof columnSchema>;
export type TableSettings = z.infer<typeof tableSettingsSchema>;
export type ResultsState = z.infer<typeof resultsStateSchema>;
export type Findings = z.infer<typeof findingsSchema>;
export type Results = z.infer<typeof resultsSchema>;
export type ToResults = ToPage<typeof resultsProtocol>;
export type FromResults = FromPage<typeof resultsProtocol>;

export const DEFAULT_TABLE_SETTINGS: TableSettings = {
  group: 'none',
  status: 'all',
  text: '',
  folded: [],
  scroll: 0,
};
