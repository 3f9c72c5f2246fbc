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
  type RunLine,
  recordLineSchema,
} from '../core/record/runRecord.ts';
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
  for await (const { number, value, isTooLarge } of linesIn(path, LIMITS.record)) {
    const line = fitting(recordLineSchema, value);
    if (problems.length === LIMITS.problems) break;
    if (!line) {
      problems.push(`line ${number}: ${isTooLarge ? TOO_LARGE : whyUnread(run)}`);
    } else if (line.kind === 'case') {
      cases.push(mapCasePaths(line, absolute));
    } else if (line.kind === 'run') {
      run = mapRunPaths(line, absolute);
    } else {
      end = line;
    }
  }
  return { path, cases, problems, ...(run && { run }), ...(end && { end }) };
}

const TOO_LARGE = `the line has more than ${readable(LIMITS.recordLine)} bytes or ${readable(LIMITS.recordValues)} values`;

function whyUnread(run: RunLine | undefined): string {
  return run && run.version > RECORD_VERSION
    ? `a newer version of Turnlight wrote this record`
    : 'this is not a line of a run record';
}
