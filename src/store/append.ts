import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordLine } from '../core/runRecord.ts';

export const RECORDS_FOLDER = '.turnlight/runs';

/** A record that is being written, a line at a time. */
export interface RecordWriter {
  /** Absolute. */
  readonly path: string;
  /** Resolves when the line is on the disk, so that a killed run loses only what is in flight. */
  append(line: RecordLine): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins a record in `.turnlight/runs/` of the workspace. The first one also writes a `.gitignore`
 * that keeps the folder out of version control.
 *
 * @param started ISO 8601
 */
export async function createRecord(
  workspace: string,
  id: string,
  started: string,
): Promise<RecordWriter> {
  await makeHome(workspace);
  const folder = join(workspace, RECORDS_FOLDER);
  await mkdir(folder, { recursive: true });
  const time = started.replace(/[:.]/g, '-');
  const path = join(folder, `${time}-${id}.jsonl`);
  const file = await open(path, 'ax');
  return writer(path, file);
}

/** The folder of all that Turnlight keeps, out of version control. @returns its path, absolute */
export async function makeHome(workspace: string): Promise<string> {
  const home = join(workspace, '.turnlight');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, '.gitignore'), '*\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return home;
}

function writer(path: string, file: FileHandle): RecordWriter {
  // One after the other: cases finish side by side, lines must not mix.
  let last: Promise<void> = Promise.resolve();
  return {
    path,
    append(line) {
      last = last.then(async () => {
        await file.appendFile(`${JSON.stringify(line)}\n`);
        await file.sync();
      });
      return last;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}
