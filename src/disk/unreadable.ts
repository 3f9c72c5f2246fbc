import { errorText } from '../core/errors.ts';

const CAUSES: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
  EPERM: 'you may not read it',
};

/** Why a file could not be read, to follow a colon. */
export function unreadableCause(error: unknown): string {
  const { code = '' } = Object(error) as NodeJS.ErrnoException;
  return CAUSES[code] ?? errorText(error);
}
