import * as z from 'zod';
import { statusSchema } from '../core/verdict.ts';

/** The `initializationOptions` of a client. */
export const clientOptionsSchema = z.object({
  /** The client is the extension, which supports the messages below. */
  extension: z.boolean().catch(false),
});

export type ClientOptions = z.infer<typeof clientOptionsSchema>;

/** The request for the editor's models, to the extension only → `editorModelsSchema`. */
export const EDITOR_MODELS = 'turnlight/editorModels';

/** As `provider:model`. */
export const editorModelsSchema = z.array(z.string());

/** Notifies the extension that a case gets a new id if its edit is applied. */
export const CASE_RENAMES = 'turnlight/caseRenames';

/** Notifies the extension that a case has a new id and its results were moved to it. */
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

/** Sends the extension the verdict marks of an open eval file. */
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

/** The server asks the client for the files of virtual workspaces, which it can't read itself. */
export const FILE_REQUESTS = {
  /** `readParamsSchema` → `readReplySchema` */
  read: 'turnlight/readFile',
  /** `{uri}` → boolean */
  exists: 'turnlight/fileExists',
  /** `{uri}` → `listReplySchema` */
  list: 'turnlight/listFolder',
  /** `globParamsSchema` → `globReplySchema` */
  glob: 'turnlight/findFiles',
} as const;

export const readParamsSchema = z.strictObject({ uri: z.string(), maxBytes: z.number() });

export const readReplySchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    reason: z.enum(['missing', 'too-large', 'not-utf8', 'unreadable']),
    message: z.string(),
  }),
]);

/** For `exists` and `list`. */
export const uriParamsSchema = z.strictObject({ uri: z.string() });

export const listReplySchema = z.strictObject({
  entries: z.array(z.strictObject({ name: z.string(), isFolder: z.boolean() })),
});

export const globParamsSchema = z.strictObject({
  folder: z.string(),
  patterns: z.array(z.string()),
});

export const globReplySchema = z.strictObject({ uris: z.array(z.string()) });

export type ReadReply = z.infer<typeof readReplySchema>;
export type ListReply = z.infer<typeof listReplySchema>;
export type GlobReply = z.infer<typeof globReplySchema>;
