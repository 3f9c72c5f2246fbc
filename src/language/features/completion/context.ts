/** What completion may ask of the workspace; what is absent is not offered. */
export interface CompletionContext {
  /** The client understands snippets (`insertTextFormat` 2). */
  readonly snippets?: boolean;
  /** The folder that paths may not leave, absolute. */
  readonly workspace?: string;
  /** The data of a suite that includes the file. */
  readonly including?: unknown;
  /** @param path absolute; rejects where there is no such folder */
  listFolder?(path: string): Promise<readonly FolderEntry[]>;
  /** @param path absolute; rejects where there is no such file */
  readFile?(path: string): Promise<string>;
}

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}
