import { errorText } from '../core/errors.ts';
import { FileError, tooLarge } from './files.ts';

/** A file of the disk or of the editor. */
export interface Readable {
  /** 0 where it is not known beforehand, as of a pipe. */
  size(): Promise<number>;
  /** Of one that is too large, at least one byte more than the limit. */
  bytes(): Promise<Uint8Array>;
  /** Whether an error of these says that there is no such file. */
  isMissing(error: unknown): boolean;
}

/** @throws FileError as `Files.read` */
export async function readText(file: Readable, maxBytes: number): Promise<string> {
  return textOfBytes(await bytesOf(file, maxBytes));
}

/** @throws FileError `not-utf8` */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new FileError('not-utf8', 'The file is not UTF-8 text. Save it as UTF-8.', { cause });
  }
}

async function bytesOf(file: Readable, maxBytes: number): Promise<Uint8Array> {
  try {
    const known = await file.size();
    const bytes = known > maxBytes ? undefined : await file.bytes();
    const size = bytes?.length ?? known;
    if (bytes && size <= maxBytes) return bytes;
    throw tooLarge(size, maxBytes);
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw file.isMissing(error)
      ? new FileError('missing', 'The file does not exist.')
      : new FileError('unreadable', `The file cannot be read: ${errorText(error)}`);
  }
}
