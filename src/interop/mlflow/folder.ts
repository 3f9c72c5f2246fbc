import { mkdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { CaseIdentity } from '../../core/identity.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { CREATE, makeRealFolder, writeRegular } from '../../disk/regularFile.ts';
import { sha256 } from '../../node/hashes.ts';
import { evalName } from '../../node/paths.ts';

/** The file next to a pulled eval file that maps its cases to sessions. */
export const linkSchema = z.object({
  experiment: z.object({ experiment_id: z.string(), name: z.string() }),
  /** Sessions by case id, each with its traces in order. */
  sessions: z.record(
    z.string(),
    z.object({ session: z.string(), traces: z.array(z.string().regex(/[^.]/)).min(1) }),
  ),
});

export type Link = z.infer<typeof linkSchema>;

/** The folder for an eval file's sessions: `shop.sessions` next to `shop.eval.yaml`. */
export function sessionsFolder(evalFile: string): string {
  return join(dirname(evalFile), `${evalName(evalFile)}.sessions`);
}

export function linkFile(evalFile: string): string {
  return join(sessionsFolder(evalFile), 'mlflow.json');
}

/** The session of a case or of its variant; undefined if it has none. */
export function sessionOf(
  { sessions }: Link,
  { id, variant = '' }: Pick<CaseIdentity, 'id' | 'variant'>,
): Link['sessions'][string] | undefined {
  const names = [id, variant.replace(/\.yaml$/, '')];
  return sessions[names.find((name) => Object.hasOwn(sessions, name)) ?? ''];
}

/** The name of the files in error messages. */
const WHAT = 'The pulled data';

/** Creates a folder next to an eval file. @throws UnwritableError */
export async function createFolder(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await makeRealFolder(path);
  } catch (error) {
    throw toUnwritableError(WHAT, path, error);
  }
}

/** Replaces a file. If there is a link instead, removes it first. @throws UnwritableError */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await writeRegular(path, text, CREATE);
  } catch (error) {
    throw toUnwritableError(WHAT, path, error);
  }
}

/** Writes a file unless it exists. @returns whether it was written @throws UnwritableError */
export async function writeIfAbsent(path: string, text: string): Promise<boolean> {
  try {
    await writeRegular(path, text, CREATE);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw toUnwritableError(WHAT, path, error);
  }
}

/** Matches device names on Windows. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const MAX_ID_LENGTH = 64;

/**
 * Creates case ids, which are also used as file names. An id is the session's id if that is valid, or else words from
 * it and a digest, so that a session always gets the same case id.
 */
export class CaseIds {
  /** The ids in use, in lower case because some disks ignore case. `cases` is the name of the list of cases. */
  readonly #taken = new Set(['cases']);

  idFor(session: string): string {
    const plain = session
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .replace(/(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/, '');
    const isSame = plain === session && plain.length <= MAX_ID_LENGTH && !DEVICES.test(plain);
    const id =
      isSame && !this.#taken.has(plain.toLowerCase())
        ? plain
        : `${plain.slice(0, MAX_ID_LENGTH - 20) || 'session'}-${sha256(session).slice(0, 12)}`;
    this.#taken.add(id.toLowerCase());
    return id;
  }
}
