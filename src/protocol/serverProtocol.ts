import * as z from 'zod';
import { statusSchema } from '../core/verdict.ts';

/** The client's `initializationOptions`. `extension` is true if the client supports the messages below. */
export const clientOptionsSchema = z.object({ extension: z.boolean().catch(false) });

export type ClientOptions = z.infer<typeof clientOptionsSchema>;

/** Requests the editor's models from the extension → `editorModelsSchema`. */
export const EDITOR_MODELS = 'turnlight/editorModels';

/** As `provider:model`. */
export const editorModelsSchema = z.array(z.string());

/** Asks the extension which of the given environment variables have a value: `namesSchema` → `namesSchema`. */
export const SET_VARIABLES = 'turnlight/setVariables';

export const namesSchema = z.array(z.string());

/** Notifies the extension that cases will get new ids if an edit is applied → `caseRenamesSchema`. */
export const CASE_RENAMES = 'turnlight/caseRenames';

/** Notifies the extension that a case's results were moved to its new id → `caseRenamedSchema`. */
export const CASE_RENAMED = 'turnlight/caseRenamed';

export const caseRenamedSchema = z.strictObject({
  /** The eval file's absolute path. */
  suite: z.string(),
  from: z.string(),
  to: z.string(),
});

export const caseRenamesSchema = z.array(
  caseRenamedSchema.extend({ hash: z.strictObject({ from: z.string(), to: z.string() }) }),
);

export type CaseRenamed = z.infer<typeof caseRenamedSchema>;

/** Sends the extension the verdict marks of an open eval file → `verdictMarksSchema`. */
export const VERDICT_MARKS = 'turnlight/verdictMarks';

export const verdictMarksSchema = z.strictObject({
  uri: z.string(),
  marks: z.array(
    z.strictObject({
      /** From 0. */
      line: z.number(),
      status: statusSchema,
      /** Whether the case has changed since its last run. */
      stale: z.boolean(),
    }),
  ),
});

export type VerdictMarks = z.infer<typeof verdictMarksSchema>;
export type VerdictMark = VerdictMarks['marks'][number];

/** The server's requests for files in virtual workspaces, which only the client can read. */
export const FILE_REQUESTS = {
  /** `readParamsSchema` → `readReplySchema` */
  read: 'turnlight/readFile',
  /** `uriParamsSchema` → boolean */
  exists: 'turnlight/fileExists',
  /** `uriParamsSchema` → `listReplySchema` */
  list: 'turnlight/listFolder',
  /** `globParamsSchema` → `globReplySchema` */
  glob: 'turnlight/findFiles',
} as const;

export const readParamsSchema = z.strictObject({ uri: z.string(), maxBytes: z.number() });

export const readReplySchema = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({
    reason: z.enum(['missing', 'too-large', 'not-utf8', 'not-image', 'unreadable']),
    message: z.string(),
  }),
]);

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
