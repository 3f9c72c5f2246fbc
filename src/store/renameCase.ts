import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORDS_FOLDER } from './append.ts';

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

/** What became of the records. Paths are absolute. */
export interface RenamedRecords {
  readonly changed: readonly string[];
  /** Still being written, so that they keep the old id. */
  readonly running: readonly string[];
}

/**
 * Records a case's results under another id, in all records of a workspace. Each is written anew
 * beside itself and put in its place at once; lines about anything else stay as they are.
 *
 * @param workspace the folder that holds `.turnlight/`, absolute
 */
export async function renameCase(
  workspace: string,
  renaming: CaseRenaming,
): Promise<RenamedRecords> {
  const folder = join(workspace, RECORDS_FOLDER);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const changed: string[] = [];
  const running: string[] = [];
  for (const entry of entries) {
    if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
    const path = join(folder, entry.name);
    const done = await renameIn(path, renaming);
    if (done === 'changed') changed.push(path);
    if (done === 'running') running.push(path);
  }
  return { changed: changed.sort(), running: running.sort() };
}

async function renameIn(
  path: string,
  renaming: CaseRenaming,
): Promise<'changed' | 'running' | 'unconcerned'> {
  const before = await stat(path);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const renamed = lines.map((line) => renamedLine(line, renaming));
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
  } finally {
    await rm(beside, { force: true });
  }
}

function renamedLine(line: string, { suite, from, to, hash }: CaseRenaming): string {
  // Most lines are long and about other cases.
  if (!line.includes(JSON.stringify(from))) return line;
  const given = parsed(line);
  if (given?.kind !== 'case' || given.suite !== suite || given.id !== from) return line;
  const source: Readonly<Record<string, unknown>> = { ...Object(given.source) };
  const fresh = hash && source.hash === hash.from ? { source: { ...source, hash: hash.to } } : {};
  return JSON.stringify({ ...given, id: to, ...fresh });
}

function kindOf(line: string): unknown {
  return line.includes('"end"') ? parsed(line)?.kind : undefined;
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return { ...Object(JSON.parse(line)) };
  } catch {
    return undefined;
  }
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
