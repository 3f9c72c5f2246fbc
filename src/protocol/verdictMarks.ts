import * as z from 'zod';
import { statusSchema } from '../core/verdict.ts';

/** The notification with the marks of an open eval file, to the extension alone. */
export const VERDICT_MARKS = 'turnlight/verdictMarks';

const verdictMarkSchema = z.strictObject({
  /** From 0. */
  line: z.number(),
  status: statusSchema,
  /** The case has changed since its last run. */
  stale: z.boolean(),
});

export const verdictMarksSchema = z.strictObject({
  uri: z.string(),
  marks: z.array(verdictMarkSchema),
});

export type VerdictMark = z.infer<typeof verdictMarkSchema>;

export type VerdictMarks = z.infer<typeof verdictMarksSchema>;
