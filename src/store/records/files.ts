import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LIMITS } from '../../core/limits.ts';
import { isRealFolder } from '../../disk/regularFile.ts';
import { RUNS_FOLDER } from '../../node/paths.ts';
import { type KeptHomes, keptIn } from '../home.ts';

/** Milliseconds, 50 years: no clock is that wrong. */
const TOO_FAR = 50 * 365 * 24 * 3600 * 1000;

/** The folder of the records at a root. @param root as of `RecordHome` */
export function recordsIn(root: string): string {
  return keptIn(root, RUNS_FOLDER);
}

/** The records at a root, absolute: regular files in a folder that is no link. */
export async function recordsAt(root: string): Promise<string[]> {
  const folder = recordsIn(root);
  if (!isRealFolder(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const records = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
  return records.map(({ name }) => join(folder, name));
}

/** The records that may contain runs of an eval file, the newest first; the nearest root has the newest. */
export async function recordsOf({ kept }: Pick<KeptHomes, 'kept'>): Promise<string[]> {
  const found = await Promise.all(kept.map(recordsAt));
  return found.flatMap(newestFirst).slice(0, LIMITS.records);
}

/**
 * Sorts records by the time in their names. Names that no run gave, and those from a far future, come last.
 */
export function newestFirst(paths: readonly string[]): string[] {
  const times = new Map(paths.map((path) => [path, timeOf(path)]));
  const timeAt = (path: string) => times.get(path) ?? UNKNOWN;
  return [...paths].sort((a, b) => timeAt(b) - timeAt(a) || (a < b ? 1 : -1));
}

/**
 * What the name of a new record begins with. If the clock was set back since the last run began, it is a
 * millisecond later than that run.
 *
 * @param paths of the records that are there
 * @param started ISO 8601; now if it isn't a likely time, as in a record that another program wrote
 */
export function stampAfter(paths: readonly string[], started: string): string {
  const last = paths.reduce((latest, path) => Math.max(latest, timeOf(path)), UNKNOWN);
  const given = Date.parse(started);
  const time = Math.max(isLikely(given) ? given : Date.now(), last + 1);
  return new Date(time).toISOString().replace(/[:.]/g, '-');
}

const UNKNOWN = 0;

/** The id of a record's run: 1a2b3c4d of `…/2026-01-31T12-00-00-000Z-1a2b3c4d.jsonl`. */
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
