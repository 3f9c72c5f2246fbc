import * as z from 'zod';
import { tableSchema } from './resultsProtocol.ts';
import { snapshotSchema } from './viewProtocol.ts';

/** The element that holds a run in the page of a report. */
export const RUN_ELEMENT = 'run';

/** What the page of a report shows. */
export const reportPageSchema = z.strictObject({
  /** When the run began, ISO 8601; absent where none did. */
  started: z.string().optional(),
  /** How assertions came out, counts, cost, time. */
  sums: z.array(z.string()),
  table: tableSchema,
  /** Where each execution stands in the table. */
  rows: z.array(z.int().min(0)),
  /** Each execution that finished, in the order of the files. Paths are relative. */
  executions: z.array(snapshotSchema),
});

export type ReportPage = z.infer<typeof reportPageSchema>;

/** The part of the page's address that leads to the table; a number leads to an execution. */
export const TABLE_HASH = '#results';
