import { basename } from 'node:path';

/** Milliseconds, 50 years: no clock is that wrong. */
const TOO_FAR = 50 * 365 * 24 * 3600 * 1000;

/** The names of records tell which is the newest. Those that no run gave, and those from a far future, are the oldest. */
export function newestFirst(paths: readonly string[]): string[] {
  const times = new Map(paths.map((path) => [path, timeOf(path)]));
  const timeAt = (path: string) => times.get(path) ?? UNKNOWN;
  return [...paths].sort((a, b) => timeAt(b) - timeAt(a) || (a < b ? 1 : -1));
}

/**
 * What the name of a new record begins with. The time gives way where the clock was set back since the
 * last one was begun.
 *
 * @param paths of the records that are there
 * @param started ISO 8601; what is no time, as another's record may have it, and no likely one, counts as now
 */
export function stampAfter(paths: readonly string[], started: string): string {
  const last = paths.reduce((latest, path) => Math.max(latest, timeOf(path)), UNKNOWN);
  const given = Date.parse(started);
  const time = Math.max(isLikely(given) ? given : Date.now(), last + 1);
  return new Date(time).toISOString().replace(/[:.]/g, '-');
}

const UNKNOWN = 0;

/** The run that a record is of: `…/2026-01-31T12-00-00-000Z-1a2b3c4d.jsonl` is of 1a2b3c4d. */
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
