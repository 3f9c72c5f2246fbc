import * as z from 'zod';
import { tableSchema } from './resultsProtocol.ts';
import { snapshotSchema } from './viewProtocol.ts';

/** Id of the element that contains the run in an HTML report. */
export const RUN_ELEMENT = 'run';

/** The data of an HTML report. */
export const reportPageSchema = z.strictObject({
  /** Start of the run, ISO 8601; absent if nothing ran. */
  started: z.string().optional(),
  /** Summary lines: results of assertions, counts, cost, time. */
  sums: z.array(z.string()),
  table: tableSchema,
  /** The table row of each execution. */
  rows: z.array(z.int().min(0)),
  /** The finished executions, in the order of the files. Paths are relative. */
  executions: z.array(snapshotSchema),
});

export type ReportPage = z.infer<typeof reportPageSchema>;

/** The URL fragment of the table. The fragment of an execution is its number. */
export const TABLE_HASH = '#results';
