import { type FileHandle, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RUNS_FOLDER } from '../core/record/recordPaths.ts';
import type { RecordLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { CREATING, isRealFolder, makeRealFolder, openRegular } from '../disk/regularFile.ts';
import { type UnwritableError, unwritable } from '../disk/unwritable.ts';
import { keptIn, makeHome } from './home.ts';
import { stampAfter } from './recordNames.ts';

/** As messages call it. */
export const RECORD = 'The record';

/** The folder of the records at a root. @param root as of `RecordHome` */
export function recordsIn(root: string): string {
  return keptIn(root, RUNS_FOLDER);
}

/** The records at a root, absolute. What is no regular file in a folder of ours is none. */
export async function recordsAt(root: string): Promise<string[]> {
  const folder = recordsIn(root);
  if (!isRealFolder(folder)) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const records = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'));
  return records.map(({ name }) => join(folder, name));
}

/** A record being written, line by line. */
export interface RecordWriter {
  /** Absolute. */
  readonly path: string;
  /**
   * Resolves when the line is on the disk, so that a killed run loses only what is in flight.
   *
   * @throws UnwritableError, the same for all lines after the first that could not be written
   */
  append(line: RecordLine): Promise<void>;
  close(): Promise<void>;
}

/**
 * Begins a record in `.turnlight/runs/`.
 *
 * @param root as of `RecordHome`
 * @param started ISO 8601
 * @throws UnwritableError
 */
export async function createRecord(
  root: string,
  id: string,
  started: string,
  scrubber: Scrubber,
): Promise<RecordWriter> {
  const path = join(recordsIn(root), `${stampAfter(await recordsAt(root), started)}-${id}.jsonl`);
  try {
    await makeHome(root);
    await makeRealFolder(recordsIn(root));
    return writer(path, await openRegular(path, CREATING), scrubber);
  } catch (error) {
    throw unwritableRecord(path, error);
  }
}

function unwritableRecord(path: string, error: unknown): UnwritableError {
  return unwritable(RECORD, path, error);
}

function writer(path: string, file: FileHandle, scrubber: Scrubber): RecordWriter {
  // One after the other: cases finish side by side, lines must not mix.
  let last: Promise<void> = Promise.resolve();
  return {
    path,
    append(line) {
      last = last
        .then(async () => {
          await file.appendFile(`${scrubber.text(JSON.stringify(line))}\n`);
          await file.sync();
        })
        .catch((error: unknown) => {
          throw unwritableRecord(path, error);
        });
      return last;
    },
    async close() {
      await last.catch(() => {});
      await file.close();
    },
  };
}
