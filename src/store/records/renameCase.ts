import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mappingOf, parseJson } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { replaceLines } from '../../disk/jsonLines.ts';
import { readRegular } from '../../disk/regularFile.ts';
import { absolutePath } from '../../node/paths.ts';
import { findExistingDataFolders } from '../dataFolder.ts';
import { lockRecord, RecordBusyError, recordsAt, runIdOf } from './files.ts';
import { RECORD_NAME } from './write.ts';

export interface CaseRenaming {
  /** Absolute path of the suite's file. */
  readonly suite: string;
  readonly from: string;
  readonly to: string;
  /** Hashes of the case's text before and after, if only its id changed: its verdicts then stay current. */
  readonly hash?: { readonly from: string; readonly to: string };
}

/**
 * Renames a case in all of its suite's records. Each file is replaced atomically, and other lines don't change. Labels
 * keep the old id, because rewriting other people's files would cause conflicts in git; see `casesOf`.
 *
 * @returns absolute paths; records that a run is writing (`running`) keep the old id
 * @throws UnwritableError
 */
export async function renameCase(renaming: CaseRenaming) {
  const { path: suite, existing } = findExistingDataFolders(renaming.suite);
  const changed: string[] = [];
  const running: string[] = [];
  for (const root of existing) {
    const isMine = (recorded: unknown) =>
      typeof recorded === 'string' &&
      [suite, renaming.suite].includes(absolutePath(root, recorded));
    for (const path of await recordsAt(root)) {
      const done = await renameIn(path, renaming, isMine);
      if (done === 'changed') changed.push(path);
      if (done === 'running') running.push(path);
    }
  }
  return { changed: changed.sort(), running: running.sort() };
}

async function renameIn(
  path: string,
  renaming: CaseRenaming,
  isMine: (suite: unknown) => boolean,
): Promise<'changed' | 'running' | 'unconcerned'> {
  const change = (line: string) => renamedLine(line, renaming, isMine);
  const changed = await changedLines(path, change);
  if (!changed) return 'unconcerned';
  const release = await lock(path);
  if (!release) return 'running';
  try {
    // Detects lines that were written after reading but before locking.
    const isDone = await replaceLines(RECORD_NAME, path, changed.before, changed.lines);
    return isDone ? 'changed' : 'running';
  } finally {
    await release();
  }
}

/** @returns undefined if a run is writing the record @throws UnwritableError */
async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockRecord(dirname(path), runIdOf(path));
  } catch (error) {
    if (error instanceof RecordBusyError) return undefined;
    throw toUnwritableError(RECORD_NAME, path, error);
  }
}

/** @returns undefined if no line changes, or if the file is too large or not a regular file */
async function changedLines(path: string, change: (line: string) => string) {
  const before = await lstat(path);
  if (!before.isFile() || before.size > LIMITS.record) return undefined;
  const read = String(await readRegular(path, LIMITS.record)).split('\n');
  const lines = read.map(change);
  return lines.some((line, index) => line !== read[index]) ? { before, lines } : undefined;
}

function renamedLine(
  line: string,
  { from, to, hash }: CaseRenaming,
  isMine: (suite: unknown) => boolean,
): string {
  // Most lines are long, and are about other cases.
  if (!line.includes(JSON.stringify(from))) return line;
  const given = mappingOf(parseJson(line));
  if (given.kind !== 'case' || !isMine(given.suite) || given.id !== from) return line;
  const source = mappingOf(given.source);
  const fresh = hash && source.hash === hash.from ? { source: { ...source, hash: hash.to } } : {};
  return JSON.stringify({ ...given, id: to, ...fresh });
}
