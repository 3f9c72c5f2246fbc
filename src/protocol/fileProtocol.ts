import * as z from 'zod';

/** What the server asks the client for where it cannot read by itself: virtual workspaces. */
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

/** Of `exists` and `list`. */
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
