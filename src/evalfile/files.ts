import { ReasonedError } from '../core/errors.ts';
import { sha256 } from '../node/hashes.ts';

/**
 * How files are read, so that an editor can overlay unsaved text. Paths are absolute.
 */
export interface Files {
  /** @throws FileError if it is missing, larger than `maxBytes`, or not UTF-8 */
  read(path: string, maxBytes: number): Promise<string>;
  /** A file to be read in slices; undefined where only all of it can be read. */
  slices?(path: string, maxBytes: number): Promise<Slices | undefined>;
  /** Another text where the file may be another one; undefined if it is not there. */
  stamp?(path: string): Promise<string | undefined>;
  /** What stands at a path, links followed; undefined if nothing does. */
  kindOf(path: string): Promise<PathKind | undefined>;
  /** The path with symbolic links followed; the path itself if it does not exist. */
  realPath(path: string): Promise<string>;
  /** Absolute paths, sorted, of the files under `folder` that match. */
  glob(patterns: readonly string[], folder: string): Promise<string[]>;
}

/** The bytes of a file, so that no more than a slice of it is in memory. */
export interface Slices {
  /** Each is gone once the next one comes. */
  inOrder(): AsyncIterable<Uint8Array>;
  /** @param end the first byte that is not read */
  between(start: number, end: number): Promise<Uint8Array>;
}

/** `other` is a pipe, a device or a link to nothing: never read, and nothing can be created there. */
export type PathKind = 'file' | 'folder' | 'other';

export type FileErrorReason = 'missing' | 'too-large' | 'not-utf8' | 'unreadable';

export class FileError extends ReasonedError<FileErrorReason> {
  override readonly name = 'FileError';
}

/** @param size of a file or of an editor's text */
export function tooLarge(size: number, most: number): FileError {
  const [megabytes, limit] = [(size / 1e6).toFixed(1), (most / 1e6).toFixed(0)];
  return new FileError(
    'too-large',
    `The file is ${megabytes} MB; the limit is ${limit} MB. Split it.`,
  );
}

/** @param textAt of the files that have another text than on the disk */
export function overlayFiles(files: Files, textAt: (path: string) => string | undefined): Files {
  return {
    ...files,
    async read(path, maxBytes) {
      const text = textAt(path);
      if (text === undefined) return files.read(path, maxBytes);
      if (text.length > maxBytes) throw tooLarge(text.length, maxBytes);
      return text;
    },
    slices: async (path, maxBytes) =>
      textAt(path) === undefined ? files.slices?.(path, maxBytes) : undefined,
    async stamp(path) {
      const text = textAt(path);
      return text === undefined ? files.stamp?.(path) : sha256(text);
    },
    kindOf: async (path) => (textAt(path) === undefined ? files.kindOf(path) : 'file'),
  };
}
