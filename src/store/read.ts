import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { absolutePath, withCasePaths, withRunPaths } from '../core/recordPaths.ts';
import {
  type CaseLine,
  type EndLine,
  RECORD_VERSION,
  type RunLine,
  recordLineSchema,
} from '../core/runRecord.ts';

/** A run's record as read back, its paths absolute. */
export interface RunRecord {
  readonly path: string;
  readonly run?: RunLine;
  readonly cases: readonly CaseLine[];
  /** Absent where the run was killed or still goes on. */
  readonly end?: EndLine;
  /** Lines that could not be read, `line 3: …`; a torn last line is among them. */
  readonly problems: readonly string[];
}

/**
 * Reads a record of this version, of an older one, or of a newer one as far as this version knows its
 * keys. What can be read of a broken one is kept, and the rest is told.
 *
 * @param root the folder that its paths start from; the one that it stands in unless given
 */
export async function readRecord(path: string, root = rootOfRecord(path)): Promise<RunRecord> {
  const text = await readFile(path, 'utf8');
  const absolute = (recorded: string) => absolutePath(root, recorded);
  const cases: CaseLine[] = [];
  const problems: string[] = [];
  let run: RunLine | undefined;
  let end: EndLine | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const parsed = recordLineSchema.safeParse(parse(line));
    if (!parsed.success) {
      problems.push(`line ${index + 1}: ${whyUnread(run)}`);
    } else if (parsed.data.kind === 'case') {
      cases.push(withCasePaths(parsed.data, absolute));
    } else if (parsed.data.kind === 'run') {
      run = withRunPaths(parsed.data, absolute);
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
    ? `this version of Turnlight cannot read it; the record is of a newer one`
    : "this is no line of a run's record";
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
