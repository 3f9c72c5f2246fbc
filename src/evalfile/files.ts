import { ReasonedError } from '../core/reasonedError.ts';

/**
 * How files are read, so that an editor can lay unsaved text over the disk. Paths are absolute.
 */
export interface Files {
  /** @throws FileError where it is missing, larger than `maxBytes`, or not UTF-8 */
  read(path: string, maxBytes: number): Promise<string>;
  exists(path: string): Promise<boolean>;
  /** The path with symbolic links followed; the path itself where it does not exist. */
  realPath(path: string): Promise<string>;
  /** Absolute paths, sorted, of the files under `folder` that match. */
  glob(patterns: readonly string[], folder: string): Promise<string[]>;
}

export type FileErrorReason = 'missing' | 'too-large' | 'not-utf8' | 'unreadable';

export class FileError extends ReasonedError<FileErrorReason> {
  override readonly name = 'FileError';
}

/** Files as they are, but for those of which the text is given by path. */
export function overlayFiles(files: Files, texts: ReadonlyMap<string, string>): Files {
  return {
    ...files,
    read: async (path, maxBytes) => texts.get(path) ?? files.read(path, maxBytes),
    exists: async (path) => texts.has(path) || files.exists(path),
  };
}
