import { dirname } from 'node:path';
import { parseJson } from '../core/data.ts';
import { absolutePath, mapCasePaths, mapRunPaths } from '../core/recordPaths.ts';
import {
  type CaseLine,
  type EndLine,
  RECORD_VERSION,
  type RunLine,
  recordLineSchema,
} from '../core/runRecord.ts';
import { readRegular } from '../disk/regularFile.ts';

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
  const text = String(await readRegular(path));
  const absolute = (recorded: string) => absolutePath(root, recorded);
  const cases: CaseLine[] = [];
  const problems: string[] = [];
  let run: RunLine | undefined;
  let end: EndLine | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const parsed = recordLineSchema.safeParse(parseJson(line));
    if (!parsed.success) {
      problems.push(`line ${index + 1}: ${whyUnread(run)}`);
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

/** @param path `ROOT/.turnlight/runs/NAME.jsonl` */
function rootOfRecord(path: string): string {
  return dirname(dirname(dirname(path)));
}

function whyUnread(run: RunLine | undefined): string {
  return run && run.version > RECORD_VERSION
    ? `a newer version of Turnlight wrote this record`
    : 'this is not a line of a run record';
}
