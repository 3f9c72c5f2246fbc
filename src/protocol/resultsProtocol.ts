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
  /** Highest minus lowest score across samples, if they differ. */
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
  /** Index into `suites`. */
  suite: count,
  /** The case's title, including its variant. */
  title: z.string(),
  status: statusSchema,
  score: z.number().min(0).max(1).nullable(),
  /** The score to show, rounded to the correct side of the threshold. */
  scored: z.string().optional(),
  /** Why the case errored or was skipped. */
  reason: z.string().optional(),
  /** Indexes into `tags`. */
  tags: z.array(count),
  /** Its target's variant, as an index into `variants`. */
  variant: count.optional(),
  cost: z.number().min(0).nullable(),
  /** Milliseconds for all repetitions together. */
  duration: z.number().min(0),
  /** Pairs of indexes (a column, and one of the outcomes in that column), repetition by repetition. */
  cells: z.array(count),
  /** Number of repetitions by state; set if the case is repeated. */
  repeated: z
    .strictObject({
      passed: count,
      finished: z.int().min(1),
      planned: z.int().min(1),
      /** Lowest and highest score as shown, if they differ. */
      range: z.string().optional(),
    })
    .optional(),
  /** People's labels, as pairs: the index of a column, and 1 if somebody marked the verdict as wrong. */
  people: z.array(count).optional(),
  compared: comparedSchema.optional(),
  /** The case in the base run of a comparison. */
  before: z
    .strictObject({ cost: z.number().min(0).nullable(), duration: z.number().min(0) })
    .optional(),
});

export const tableSchema = z.strictObject({
  /** The displayed names of the eval files. */
  suites: z.array(z.string()),
  tags: z.array(z.string()),
  /** Names of target variants. */
  variants: z.array(z.string()),
  columns: z.array(columnSchema),
  /** Each case exactly once, in record order. */
  cases: z.array(caseSchema),
});

export const SORT_COLUMNS = [
  ...(['case', 'variant', 'status', 'others', 'tags'] as const),
  ...(['cost', 'duration'] as const),
] as const;

/** The table's sorting, grouping, and filters. */
const tableSettingsSchema = z.strictObject({
  sort: z
    .strictObject({
      /** The sort key: one of `SORT_COLUMNS`, or `assertion NAME`. */
      by: z.string(),
      descending: z.boolean(),
    })
    .optional(),
  group: z.enum(['none', 'file', 'tag', 'variant']),
  /** Status of the case, or of the verdict if `assertion` is set. `bad` means failed or errored. */
  status: z.enum(['all', 'bad', ...statusSchema.options]),
  assertion: z.string().optional(),
  /** Change of the case, or of the verdict if `assertion` is set. */
  change: z.enum(OUTCOMES).optional(),
  tag: z.string().optional(),
  variant: z.string().optional(),
  label: z.string().optional(),
  /** Selects verdicts that people labeled as right, or as wrong. */
  people: z.enum(['right', 'wrong']).optional(),
  text: z.string(),
  /** Names of collapsed groups. */
  folded: z.array(z.string()),
  /** Scroll position in pixels from the top of the table. */
  scroll: z.number().min(0),
});

/** State that the view restores after a reload. Paths are absolute. */
export const resultsStateSchema = z.strictObject({
  records: z.array(z.string()).min(1),
  /** Records of the base run in a comparison. */
  base: z.array(z.string()).min(1).optional(),
  shown: tableSettingsSchema.optional(),
});

/** The differences between two runs, as sentences. */
const findingsSchema = z.strictObject({
  /** Names of the two runs. */
  runs: z.array(z.string()),
  changed: z.array(z.string()),
  /** The result in one sentence; `evidence` contains one sentence per assertion. */
  sentence: z.string(),
  evidence: z.array(
    z.strictObject({
      says: z.enum(['worse', 'better', 'no-evidence', 'too-few']),
      text: z.string(),
    }),
  ),
  noise: z.array(z.string()),
});

/** A comparison of a target's variants: a row for each variant, and sentences about their differences. */
export const variantTableSchema = z.strictObject({
  head: z.array(z.string()),
  rows: z.array(z.array(z.string())),
  legend: z.string(),
  sentences: z.array(z.string()),
});

/** All cases in a run, one row each, without conversations and rationales. */
const resultsSchema = z.strictObject({
  records: z.array(z.string()).min(1),
  title: z.string(),
  /** Time, cost, and duration. */
  facts: z.array(z.string()),
  /** `reading`: the record hasn't been read completely yet; `interrupted`: cancelled, stopped, or killed. */
  phase: z.enum(['reading', 'running', 'interrupted', 'over']),
  /** Changes if the record was replaced, which makes earlier search results invalid. */
  generation: z.int().min(0),
  /** Errors from reading the record. */
  problems: z.array(z.string()),
  /** Present once the run is over. */
  variants: z.array(variantTableSchema).optional(),
  table: tableSchema,
  /** The table's row indexes in file order; absent if the table is already in that order. */
  order: z.array(count).optional(),
  /** Present if two runs are compared. */
  comparison: z
    .strictObject({
      /** Absolute paths of the base run's records. */
      base: z.array(z.string()).min(1),
      /** Present once both runs have been read. */
      findings: findingsSchema.optional(),
    })
    .optional(),
});

/** Messages between the extension and the results view. */
export const resultsProtocol = {
  toPage: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('snapshot'), results: resultsSchema }),
    /** More cases that match the search, as indexes into the table. */
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
    /** Opens a case's conversation; if `column` is set, at the quote of the verdict in that column. */
    z.strictObject({ kind: z.literal('open'), case: count, column: count.optional() }),
    /** Searches whole conversations and verdicts, and ends the previous search. An empty text only ends the search. */
    z.strictObject({
      kind: z.literal('search'),
      search: z.int(),
      text: z.string().max(1000),
      /** Number of executions already searched. */
      from: count,
    }),
    z.strictObject({ kind: z.literal('copy'), cases: z.array(count) }),
    /** Lets the user choose a run to compare with this one. */
    z.strictObject({ kind: z.literal('compare') }),
    /** Runs the cases that the run didn't finish. */
    z.strictObject({ kind: z.literal('resume') }),
    z.strictObject({ kind: z.literal('export'), format: z.enum(['csv', 'html']) }),
  ]),
  state: resultsStateSchema,
} satisfies PageProtocol;

export type VariantTable = z.infer<typeof variantTableSchema>;
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
