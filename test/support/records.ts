import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CaseLine, type EndLine, RECORD_VERSION } from '../../src/core/record/runRecord.ts';
import { NO_USAGE } from '../../src/core/verdict.ts';
import { recordsIn } from '../../src/store/records/files.ts';

export interface WrittenRun {
  readonly id: string;
  /** Start time in ISO 8601. */
  readonly started?: string;
  readonly cases: readonly CaseLine[];
  /** The last line; undefined if the run was killed. */
  readonly end?: Partial<EndLine> | undefined;
}

/** The text of a run record. The suite is `suite.eval.yaml`. */
export function recordText({
  id,
  started = '2026-01-01T00:00:00.000Z',
  cases,
  end,
}: WrittenRun): string {
  const counts = { pass: 0, fail: 0, error: 0, skipped: 0 };
  for (const { status } of cases) counts[status] += 1;
  const finished = new Date(Date.parse(started) + 2000).toISOString();
  const lines = [
    {
      kind: 'run',
      version: RECORD_VERSION,
      id,
      started,
      files: [{ path: 'suite.eval.yaml', hash: '0'.repeat(64) }],
      options: {},
      judges: [],
    },
    ...cases.map((one) => ({ ...one, suite: 'suite.eval.yaml' })),
    ...(end ? [{ kind: 'end', finished, cancelled: false, counts, usage: NO_USAGE, ...end }] : []),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Writes a record to the folder where a run would store it. @returns its path */
export async function writeRecord(root: string, run: WrittenRun): Promise<string> {
  const { id, started = '2026-01-01T00:00:00.000Z' } = run;
  await mkdir(recordsIn(root), { recursive: true });
  const path = join(recordsIn(root), `${started.replace(/[:.]/g, '-')}-${id}.jsonl`);
  await writeFile(path, recordText(run));
  return path;
}
