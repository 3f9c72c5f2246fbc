import { lstat, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mappingOf, parseJson } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import { toUnwritableError } from '../../disk/fileErrors.ts';
import { replaceLines } from '../../disk/jsonLines.ts';
import { readRegular } from '../../disk/regularFile.ts';
import { absolutePath } from '../../node/paths.ts';
import { findExistingDataFolders } from '../dataFolder.ts';
import { LABELS, labelFiles } from '../labels.ts';
import { lockRecord, RecordBusyError, recordsAt, runIdOf } from './files.ts';
import { RECORD_NAME } from './write.ts';

export interface CaseRenaming {
  /** The suite's file, absolute. */
  readonly suite: string;
  readonly from: string;
  readonly to: string;
  /** Of the case's text before and after, where nothing but its id changed: its verdicts stay fresh. */
  readonly hash?: { readonly from: string; readonly to: string };
}

/** The result for the records. Paths are absolute. */
export interface RenamedRecords {
  readonly changed: readonly string[];
  /** Still being written, so that they keep the old id. */
  readonly running: readonly string[];
  /** Files of labels that now name the new id. */
  readonly labels: readonly string[];
}

/**
 * Renames a case in all records and labels of its suite. Each file is replaced atomically; other lines don't change.
 *
 * @throws UnwritableError
 */
export async function renameCase(renaming: CaseRenaming): Promise<RenamedRecords> {
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
  const labels = await renameLabels(renaming);
  return { changed: changed.sort(), running: running.sort(), labels };
}

async function renameIn(
  path: string,
  renaming: CaseRenaming,
  isMine: (suite: unknown) => boolean,
): Promise<'changed' | 'running' | 'unconcerned'> {
  const before = await stat(path);
  if (before.size > LIMITS.record) return 'unconcerned';
  const lines = String(await readRegular(path, LIMITS.record)).split('\n');
  const renamed = lines.map((line) => renamedLine(line, renaming, isMine));
  if (renamed.every((line, index) => line === lines[index])) return 'unconcerned';
  const release = await lock(path);
  if (!release) return 'running';
  try {
    // Lines written between reading and locking are seen there.
    return (await replaceLines(RECORD_NAME, path, before, renamed)) ? 'changed' : 'running';
  } finally {
    await release();
  }
}

/** Undefined while a run writes the record. @throws UnwritableError */
async function lock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lockRecord(dirname(path), runIdOf(path));
  } catch (error) {
    if (error instanceof RecordBusyError) return undefined;
    throw toUnwritableError(RECORD_NAME, path, error);
  }
}

/** @returns those that name it */
async function renameLabels({ suite, from, to }: CaseRenaming): Promise<string[]> {
  const changed: string[] = [];
  for (const path of await labelFiles(suite)) {
    const before = await lstat(path);
    if (!before.isFile() || before.size > LIMITS.labels) continue;
    const lines = String(await readRegular(path, LIMITS.labels)).split('\n');
    const renamed = lines.map((line) => {
      const label = line.includes(JSON.stringify(from)) ? mappingOf(parseJson(line)) : {};
      return label.case === from ? JSON.stringify({ ...label, case: to }) : line;
    });
    if (renamed.every((line, index) => line === lines[index])) continue;
    if (await replaceLines(LABELS, path, before, renamed)) changed.push(path);
  }
  return changed;
}

function renamedLine(
  line: string,
  { from, to, hash }: CaseRenaming,
  isMine: (suite: unknown) => boolean,
): string {
  // Most lines are long and about other cases.
  if (!line.includes(JSON.stringify(from))) return line;
  const given = mappingOf(parseJson(line));
  if (given.kind !== 'case' || !isMine(given.suite) || given.id !== from) return line;
  const source = mappingOf(given.source);
  const fresh = hash && source.hash === hash.from ? { source: { ...source, hash: hash.to } } : {};
  return JSON.stringify({ ...given, id: to, ...fresh });
}
