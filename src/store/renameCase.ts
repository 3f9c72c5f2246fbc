import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { mappingOf, parseJson } from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { absolutePath } from '../core/record/recordPaths.ts';
import { readRegular } from '../disk/regularFile.ts';
import { unwritable } from '../disk/unwritable.ts';
import { RECORD, recordsAt } from './append.ts';
import { keptHomes } from './home.ts';

/** Milliseconds without a new line after which a run without an end is taken to have been killed. */
const STILL_RUNNING = 60 * 60 * 1000;

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
}

/**
 * Records a case's results under another id, in all records of its suite. Each is written anew beside
 * itself and put in its place at once; lines about anything else stay as they are.
 *
 * @throws UnwritableError
 */
export async function renameCase(renaming: CaseRenaming): Promise<RenamedRecords> {
  const { path: suite, kept } = keptHomes(renaming.suite);
  const changed: string[] = [];
  const running: string[] = [];
  for (const root of kept) {
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
  const before = await stat(path);
  if (before.size > LIMITS.record) return 'unconcerned';
  const lines = String(await readRegular(path)).split('\n');
  const renamed = lines.map((line) => renamedLine(line, renaming, isMine));
  if (renamed.every((line, index) => line === lines[index])) return 'unconcerned';
  const ended = lines.some((line) => kindOf(line) === 'end');
  if (!ended && Date.now() - before.mtimeMs < STILL_RUNNING) return 'running';
  const beside = `${path}.${process.pid}.new`;
  try {
    await writeThrough(beside, renamed.join('\n'), before.mode);
    const now = await stat(path);
    if (now.size !== before.size || now.mtimeMs !== before.mtimeMs) return 'running';
    await rename(beside, path);
    return 'changed';
  } catch (error) {
    throw unwritable(RECORD, beside, error);
  } finally {
    await rm(beside, { force: true });
  }
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

function kindOf(line: string): unknown {
  return line.includes('"end"') ? mappingOf(parseJson(line)).kind : undefined;
}

async function writeThrough(path: string, text: string, mode: number): Promise<void> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx', mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file?.close();
  }
}
