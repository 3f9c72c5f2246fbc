/**
 * How files are read, so that an editor can lay unsaved text over the disk. Paths are absolute.
 */
export interface Files {
  /** @throws FileError where it is missing, too large or not UTF-8 */
  read(path: string): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** Absolute paths, sorted, of the files under `folder` that match. */
  glob(patterns: readonly string[], folder: string): Promise<string[]>;
}

export type FileErrorReason = 'missing' | 'too-large' | 'not-utf8' | 'unreadable';

export class FileError extends Error {
  override readonly name = 'FileError';
  readonly reason: FileErrorReason;

  constructor(reason: FileErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
