import * as z from 'zod';

/** The notification that a case has a new id and its results have followed, to the extension alone. */
export const CASE_RENAMED = 'turnlight/caseRenamed';

export const caseRenamedSchema = z.strictObject({
  /** The eval file, absolute. */
  suite: z.string(),
  from: z.string(),
  to: z.string(),
});

export type CaseRenamed = z.infer<typeof caseRenamedSchema>;
