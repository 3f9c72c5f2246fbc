import { errorText, ReasonedError } from '../core/errors.ts';
import { NotRegularError } from './regularFile.ts';

const READ_CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: "you don't have permission to read it",
  EPERM: "you don't have permission to read it",
};

/** The cause of a failed read, for use after a colon. */
export function readErrorText(error: unknown): string {
  const { code = '' } = Object(error) as NodeJS.ErrnoException;
  return READ_CAUSES[code] ?? errorText(error);
}

type UnwritableReason = 'full' | 'not-allowed' | 'missing' | 'in-the-way' | 'too-large' | 'other';

/** Thrown if Turnlight can't write one of its own files; no verdict depends on them. `message` says what to do. */
export class UnwritableError extends ReasonedError<UnwritableReason> {
  override readonly name = 'UnwritableError';
  /** The file's name in messages: `The record`. */
  readonly what: string;
  /** Undefined for standard output. */
  readonly path: string | undefined;

  constructor(what: string, path: string | undefined, reason: UnwritableReason, message: string) {
    super(reason, `${what} cannot be written${message}`);
    this.what = what;
    this.path = path;
  }
}

const WRITE_CAUSES: Readonly<Record<string, readonly [UnwritableReason, words: string]>> = {
  ENOSPC: ['full', 'the disk is full. Free some space.'],
  EDQUOT: ['full', 'your disk quota is used up. Free some space.'],
  EROFS: ['not-allowed', 'the disk is read-only. Use a writable folder.'],
  EACCES: ['not-allowed', "you don't have permission to write there. Change the permissions."],
  EPERM: ['not-allowed', "you don't have permission to write there. Change the permissions."],
  ENOENT: ['missing', 'the folder does not exist. Create it.'],
  ENOTDIR: ['in-the-way', 'a file is in the way. Rename or remove it.'],
  EEXIST: ['in-the-way', 'a file is in the way. Rename or remove it.'],
  EISDIR: ['in-the-way', 'it is a folder. Specify a file.'],
};

/** @param what the file's name in messages: `The record` */
export function toUnwritableError(
  what: string,
  path: string | undefined,
  error: unknown,
): UnwritableError {
  if (error instanceof UnwritableError) return error;
  if (error instanceof NotRegularError) {
    return new UnwritableError(what, path, 'in-the-way', `. ${error.message}`);
  }
  const { code = '', path: at = path } = Object(error) as NodeJS.ErrnoException;
  const [reason, words] = WRITE_CAUSES[code] ?? ['other', `${errorText(error)}.`];
  return new UnwritableError(
    what,
    path,
    reason,
    `${at === undefined ? '' : ` to ${at}`}: ${words}`,
  );
}
