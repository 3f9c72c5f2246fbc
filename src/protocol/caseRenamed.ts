import * as z from 'zod';

/** The notification that a case is about to have a new id, if its edit is applied, to the extension alone. */
export const CASE_RENAMES = 'turnlight/caseRenames';

/** The notification that a case has a new id and its results have followed, to the extension alone. */
export const CASE_RENAMED = 'turnlight/caseRenamed';

export const caseRenamedSchema = z.strictObject({
  /** The eval file, absolute. */
  suite: z.string(),
  from: z.string(),
  to: z.string(),
});

/** Cases as `CaseRenames` expects them. */
export const caseRenamesSchema = z.array(
  caseRenamedSchema.extend({ hash: z.strictObject({ from: z.string(), to: z.string() }) }),
);

export type CaseRenamed = z.infer<typeof caseRenamedSchema>;
