import * as z from 'zod';
import { dataUrlSchema, loadImage } from './imageMessages.ts';
import { tableSchema, variantTableSchema } from './resultsProtocol.ts';
import { snapshotSchema } from './viewProtocol.ts';

/** The id of the element that contains the run's data in an HTML report. */
export const RUN_ELEMENT = 'run';

/** The data of an HTML report. */
export const reportPageSchema = z.strictObject({
  /** When the run started, in ISO 8601; absent if nothing ran. */
  started: z.string().optional(),
  /** Summary lines: assertion results, counts, cost, and time. */
  sums: z.array(z.string()),
  variants: z.array(variantTableSchema),
  table: tableSchema,
  /** The table row of each execution. */
  rows: z.array(z.int().min(0)),
  /** The finished executions, in the order of the files. Paths are relative. */
  executions: z.array(snapshotSchema),
  /** Images of the executions, as far as they are stored and within `LIMITS.reportImages`. */
  images: z.array(z.strictObject({ digest: loadImage.shape.digest, source: dataUrlSchema })),
});

export type ReportPage = z.infer<typeof reportPageSchema>;

/** URL fragment of the table. The fragment of an execution is its number. */
export const TABLE_HASH = '#results';
