import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ReasonedError } from '../../core/errors.ts';
import { LIMITS } from '../../core/limits.ts';
import { isLocked, tryLock } from '../../disk/lock.ts';
import { isRealFolder } from '../../disk/regularFile.ts';
import { RUNS_FOLDER } from '../../node/paths.ts';
import { type ExistingDataFolders, pathInDataFolder } from '../dataFolder.ts';

/** Milliseconds (a day) by which the clocks of two machines may differ. */
const TOO_FAR = 24 * 3600 * 1000;

/** The folder with the records at a root. @param root see `RecordRoot` */
export function recordsIn(root: string): string {
  return pathInDataFolder(root, RUNS_FOLDER);
}

/** The absolute paths of the records at a root: regular files in a folder that isn't a link. */
export async function recordsAt(root: string): Promise<string[]> {
  const folder = recordsIn(root);
  if (!isRealFolder(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const records = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
  return records.map(({ name }) => join(folder, name));
}

/** The records that may contain runs of an eval file, newest first, regardless of their root. */
export async function recordsOf({
  existing,
}: Pick<ExistingDataFolders, 'existing'>): Promise<string[]> {
  const found = await Promise.all(existing.map(recordsAt));
  return newestFirst(found.flat()).slice(0, LIMITS.records);
}

/** Sorts records by the time in their names. Other names, and times in the distant future, come last. */
export function newestFirst(paths: readonly string[]): string[] {
  const times = new Map(paths.map((path) => [path, timeOf(path)]));
  const timeAt = (path: string) => times.get(path) ?? UNKNOWN;
  return [...paths].sort((a, b) => timeAt(b) - timeAt(a) || (a < b ? 1 : -1));
}

/**
 * The time at the start of a new record's name: later than in all existing records, even if the clock was set back.
 * @param started ISO 8601; an implausible time, for example from another program's record, is replaced by the current
 * time
 */
export function stampAfter(paths: readonly string[], started: string): string {
  const last = paths.reduce((latest, path) => Math.max(latest, timeOf(path)), UNKNOWN);
  const given = Date.parse(started);
  const time = Math.max(isLikely(given) ? given : Date.now(), last + 1);
  return new Date(time).toISOString().replace(/[:.]/g, '-');
}

const UNKNOWN = 0;

/** The id of a run, from its record's name: `1a2b3c4d` for `…/2026-01-31T12-00-00-000Z-1a2b3c4d.jsonl`. */
export function runIdOf(record: string): string {
  return basename(record, '.jsonl').split('-').at(-1) ?? '';
}

/** Milliseconds since 1970. @param path `…/2026-01-31T12-00-00-000Z-1a2b3c4d.jsonl` */
function timeOf(path: string): number {
  const stamp = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)-/;
  const [, hour, minute, second, rest] = stamp.exec(basename(path)) ?? [];
  const time = Date.parse(`${hour}:${minute}:${second}.${rest}`);
  return isLikely(time) ? time : UNKNOWN;
}

function isLikely(time: number): boolean {
  return time < Date.now() + TOO_FAR;
}

/** Thrown if another run is writing the record. `message` names its process. */
export class RecordBusyError extends ReasonedError<'busy'> {
  override readonly name = 'RecordBusyError';
}

/**
 * Locks a run's record for a single writer.
 *
 * @returns a function that releases the lock
 * @throws RecordBusyError, or a system error
 */
export async function lockRecord(folder: string, id: string): Promise<() => Promise<void>> {
  const path = lockPath(folder, id);
  const lock = await tryLock(path);
  if ('release' in lock) return lock.release;
  const advice = `Wait for it or stop it. If that process is a different program, delete ${path}.`;
  const message = `The run ${id} is still running, in process ${lock.holder}. ${advice}`;
  throw new RecordBusyError('busy', message);
}

/** Whether a process on this machine is writing the record. @param record absolute */
export function isBeingWritten(record: string): Promise<boolean> {
  return isLocked(lockPath(dirname(record), runIdOf(record)));
}

function lockPath(folder: string, id: string): string {
  return join(folder, `${id}.lock`);
}
