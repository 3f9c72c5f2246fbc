import { dirname } from 'node:path';
import { parseJson } from '../core/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { absolutePath, mapCasePaths, mapRunPaths } from '../core/recordPaths.ts';
import {
  type CaseLine,
  type EndLine,
  RECORD_VERSION,
  type RunLine,
  recordLineSchema,
} from '../core/runRecord.ts';
import { openRegular } from '../disk/regularFile.ts';
import { type Line, linesOf } from './recordLines.ts';

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

/**
 * Reads a record of this version, of an older one, or of a newer one as far as this version knows its
 * keys. Readable lines of a broken record are kept, and the rest is reported.
 *
 * @param root the folder that its paths start from; the one that it stands in by default
 */
export async function readRecord(path: string, root = rootOfRecord(path)): Promise<RunRecord> {
  const absolute = (recorded: string) => absolutePath(root, recorded);
  const cases: CaseLine[] = [];
  const problems: string[] = [];
  let run: RunLine | undefined;
  let end: EndLine | undefined;
  for await (const { number, text } of linesIn(path)) {
    const parsed = recordLineSchema.safeParse(text === undefined ? undefined : parseJson(text));
    if (problems.length === LIMITS.problems) break;
    if (!parsed.success) {
      problems.push(`line ${number}: ${text === undefined ? TOO_LONG : whyUnread(run)}`);
    } else if (parsed.data.kind === 'case') {
      cases.push(mapCasePaths(parsed.data, absolute));
    } else if (parsed.data.kind === 'run') {
      run = mapRunPaths(parsed.data, absolute);
    } else {
      end = parsed.data;
    }
  }
  return { path, cases, problems, ...(run && { run }), ...(end && { end }) };
}

async function* linesIn(path: string): AsyncGenerator<Line> {
  const file = await openRegular(path);
  try {
    for await (const lines of linesOf(file, 0, LIMITS.record)) yield* lines;
  } finally {
    await file.close();
  }
}

const TOO_LONG = `the line has more than ${readable(LIMITS.recordLine)} bytes`;

/** @param path `ROOT/.turnlight/runs/NAME.jsonl` */
export function rootOfRecord(path: string): string {
  return dirname(dirname(dirname(path)));
}

function whyUnread(run: RunLine | undefined): string {
  return run && run.version > RECORD_VERSION
    ? `a newer version of Turnlight wrote this record`
    : 'this is not a line of a run record';
}
