import { readFile } from 'node:fs/promises';
import { type CaseLine, type EndLine, type RunLine, recordLineSchema } from '../core/runRecord.ts';

/** A run's record as read back. */
export interface RunRecord {
  readonly path: string;
  readonly run?: RunLine;
  readonly cases: readonly CaseLine[];
  /** Absent where the run was killed or still goes on. */
  readonly end?: EndLine;
  /** Lines that could not be read, `line 3: …`; a torn last line is among them. */
  readonly problems: readonly string[];
}

/** Reads a record. What can be read of a broken one is kept, and the rest is told. */
export async function readRecord(path: string): Promise<RunRecord> {
  const text = await readFile(path, 'utf8');
  const cases: CaseLine[] = [];
  const problems: string[] = [];
  let run: RunLine | undefined;
  let end: EndLine | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue;
    const parsed = recordLineSchema.safeParse(parse(line));
    if (!parsed.success) {
      problems.push(`line ${index + 1}: this is no line of a run's record`);
    } else if (parsed.data.kind === 'case') {
      cases.push(parsed.data);
    } else if (parsed.data.kind === 'run') {
      run = parsed.data;
    } else {
      end = parsed.data;
    }
  }
  return { path, cases, problems, ...(run && { run }), ...(end && { end }) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
