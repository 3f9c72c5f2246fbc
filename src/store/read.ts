import { stat } from 'node:fs/promises';
import { fitting } from '../core/data/listOf.ts';
import { LIMITS, readable } from '../core/limits.ts';
import {
  absolutePath,
  mapCasePaths,
  mapRunPaths,
  rootOfRecord,
} from '../core/record/recordPaths.ts';
import {
  type CaseLine,
  type EndLine,
  RECORD_VERSION,
  type RecordLine,
  type RunLine,
  recordLineSchema,
} from '../core/record/runRecord.ts';
import { passesFalsely } from '../core/scoring.ts';
import { linesIn } from './recordLines.ts';

/** A run's record as read back, its paths absolute. */
export interface RunRecord {
  readonly path: string;
  readonly run?: RunLine;
  readonly cases: readonly CaseLine[];
  /** Absent if the run was killed or still goes on. */
  readonly end?: EndLine;
  /** Lines that could not be read, `line 3: …`; a torn last line is among them. */
  readonly problems: readonly string[];
}

/** A line of a record, its paths absolute, or what could not be read: `line 3: …`. */
export type ReadLine = RecordLine | { readonly kind: 'problem'; readonly message: string };

/**
 * Reads a record line by line, so that one of them at a time is in memory. It may be of this version, of an older
 * one, or of a newer one as far as this version knows its keys. Readable lines of a broken record are kept, and
 * the rest is told.
 *
 * @param root the folder that its paths start from; the one that it stands in by default
 */
export async function* recordLines(
  path: string,
  root = rootOfRecord(path),
): AsyncGenerator<ReadLine> {
  const absolute = (recorded: string) => absolutePath(root, recorded);
  const { size } = await stat(path);
  if (size > LIMITS.record) yield { kind: 'problem', message: TOO_LONG };
  let version = 0;
  let problems = 0;
  for await (const { number, value, isTooLarge } of linesIn(path, LIMITS.record)) {
    if (problems === LIMITS.problems) return;
    const line = fitting(recordLineSchema, value);
    if (!line) {
      problems += 1;
      const message = `line ${number}: ${isTooLarge ? TOO_LARGE : whyUnread(version)}`;
      yield { kind: 'problem', message };
    } else if (line.kind === 'case' && passesFalsely(line)) {
      problems += 1;
      yield { kind: 'problem', message: `line ${number}: ${FALSE_PASS}` };
    } else if (line.kind === 'case') {
      yield mapCasePaths(line, absolute);
    } else if (line.kind === 'run') {
      version = line.version;
      yield mapRunPaths(line, absolute);
    } else {
      yield line;
    }
  }
}

/** The whole of a record, as `recordLines` reads it. */
export async function readRecord(path: string, root?: string): Promise<RunRecord> {
  const cases: CaseLine[] = [];
  const problems: string[] = [];
  let run: RunLine | undefined;
  let end: EndLine | undefined;
  for await (const line of recordLines(path, root)) {
    if (line.kind === 'problem') problems.push(line.message);
    else if (line.kind === 'case') cases.push(line);
    else if (line.kind === 'run') run ??= line;
    else end = line;
  }
  return { path, cases, problems, ...(run && { run }), ...(end && { end }) };
}

const FALSE_PASS = 'it says that the case passed, and its verdicts do not';

const TOO_LONG = `it has more than ${readable(LIMITS.record)} bytes; what comes after them is not read`;

const TOO_LARGE = `the line has more than ${readable(LIMITS.recordLine)} bytes or ${readable(LIMITS.values)} values`;

function whyUnread(version: number): string {
  return version > RECORD_VERSION
    ? `a newer version of Turnlight wrote this record`
    : 'this is not a line of a run record';
}
