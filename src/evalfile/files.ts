import { isAbsolute, resolve } from 'node:path';
import { errorText, ReasonedError } from '../core/errors.ts';
import type { ImageFacts } from '../core/image.ts';
import { sha256 } from '../node/hashes.ts';
import { isInside } from '../node/paths.ts';

/** File access, so that an editor can overlay unsaved text. Paths are absolute. */
export interface Files {
  /** @throws FileError if the file is missing, larger than `maxBytes`, or not UTF-8 */
  read(path: string, maxBytes: number): Promise<string>;
  /** @throws FileError if the file is missing, too large, or not an image */
  image(path: string): Promise<ImageFacts>;
  /** Opens a file for reading in slices; undefined if it can only be read as a whole. */
  slices?(path: string, maxBytes: number): Promise<Slices | undefined>;
  /** A string that changes if the file may have changed; undefined if the file doesn't exist. */
  stamp?(path: string): Promise<string | undefined>;
  /** The kind of a path, following links; undefined if it doesn't exist. */
  kindOf(path: string): Promise<PathKind | undefined>;
  /** The path with symbolic links resolved; the path itself if it doesn't exist. */
  realPath(path: string): Promise<string>;
  /** The matching files under `folder`, as sorted absolute paths. */
  glob(patterns: readonly string[], folder: string): Promise<string[]>;
}

/** A file read in slices, with one in memory at a time. */
export interface Slices {
  /** Reads the slices in order. Each slice is valid only until the next one is read. */
  inOrder(): AsyncIterable<Uint8Array>;
  /** @param end exclusive */
  between(start: number, end: number): Promise<Uint8Array>;
}

/** `other` is a pipe, a device, or a broken link: never read or created. */
export type PathKind = 'file' | 'folder' | 'other';

export type FileErrorReason = 'missing' | 'too-large' | 'not-utf8' | 'not-image' | 'unreadable';

export class FileError extends ReasonedError<FileErrorReason> {
  override readonly name = 'FileError';
}

/** @param size the size of a file or of an editor's text */
export function tooLarge(size: number, most: number, advice = 'Split it.'): FileError {
  const [megabytes, limit] = [(size / 1e6).toFixed(1), (most / 1e6).toFixed(0)];
  const message = `The file is ${megabytes} MB; the limit is ${limit} MB. ${advice}`;
  return new FileError('too-large', message);
}

/** @param textAt returns a file's unsaved text, if any */
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

export interface Readable {
  /** The size in bytes; 0 if unknown, as for a pipe. */
  size(): Promise<number>;
  /** The content. If the file is too large, returns at least one byte more than the limit. */
  bytes(): Promise<Uint8Array>;
  /** Whether an error from these methods means that the file doesn't exist. */
  isMissing(error: unknown): boolean;
}

/** @throws FileError like `Files.read` */
export async function readText(file: Readable, maxBytes: number): Promise<string> {
  return textOfBytes(await readBytes(file, maxBytes));
}

/** @param advice what to do if the file is too large @throws FileError */
export async function readBytes(
  file: Readable,
  maxBytes: number,
  advice?: string,
): Promise<Uint8Array> {
  try {
    const size = await file.size();
    if (size > maxBytes) throw tooLarge(size, maxBytes, advice);
    const bytes = await file.bytes();
    if (bytes.length > maxBytes) throw tooLarge(bytes.length, maxBytes, advice);
    return bytes;
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw file.isMissing(error)
      ? new FileError('missing', 'The file does not exist.')
      : new FileError('unreadable', `The file cannot be read: ${errorText(error)}`);
  }
}

/** @throws FileError `not-utf8` */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FileError('not-utf8', 'The file is not UTF-8 text. Save it as UTF-8.', { cause });
  }
}

export type ResolvedPath =
  | { readonly kind: 'outside' }
  | { readonly kind: PathKind | 'missing'; readonly path: string };

/**
 * Resolves a path relative to a folder. It must not leave the workspace, whether through `..` or through a symbolic
 * link.
 */
export async function resolveReference(
  reference: string,
  folder: string,
  workspace: string,
  files: Pick<Files, 'kindOf' | 'realPath'>,
): Promise<ResolvedPath> {
  // A path that leaves the workspace on any operating system is refused on all of them.
  const onWindows = reference.replaceAll('\\', '/');
  if (isAbsolute(onWindows) || /^[A-Za-z]:\//.test(onWindows)) return { kind: 'outside' };
  const path = resolve(folder, reference);
  const isIn =
    isInside(resolve(folder, onWindows), workspace) &&
    (await isReallyInside(path, workspace, files));
  return isIn ? { kind: (await files.kindOf(path)) ?? 'missing', path } : { kind: 'outside' };
}

/** Whether a path stays in a folder after following links. A missing file would be created in its existing folder. */
export async function isReallyInside(
  path: string,
  folder: string,
  files: Pick<Files, 'realPath'>,
): Promise<boolean> {
  if (!isInside(path, folder)) return false;
  const real = await files.realPath(path);
  return real === path || isInside(real, await files.realPath(folder));
}
