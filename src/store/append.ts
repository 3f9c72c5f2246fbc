import { type FileHandle, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RUNS_FOLDER } from '../core/record/recordPaths.ts';
import type { RecordLine, RunLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import {
  APPENDING,
  CREATING,
  isRealFolder,
  makeRealFolder,
  openRegular,
} from '../disk/regularFile.ts';
import { type UnwritableError, unwritable } from '../disk/unwritable.ts';
import { keptIn, makeHome } from './home.ts';
import { stampAfter } from './records/files.ts';
import { lockRecord, RecordBusyError } from './records/lock.ts';

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
  const path = recordPath(root, id, started, await recordsAt(root));
  return writing(path, root, id, scrubber, () => openRegular(path, CREATING));
}

/**
 * Goes on with a record that no run writes any more. It is written anew beside itself, with another first
 * line and what stays of the others, and put in its place at once: the newest by its name.
 *
 * @param first its first line
 * @param staying the lines that stay, in their order
 * @throws UnwritableError, RecordBusyError
 */
export async function continueRecord(
  earlier: string,
  root: string,
  first: RunLine,
  staying: readonly LinePlace[],
  scrubber: Scrubber,
): Promise<RecordWriter> {
  const others = (await recordsAt(root)).filter((one) => one !== earlier);
  const path = recordPath(root, first.id, first.started, others);
  return writing(path, root, first.id, scrubber, async () => {
    const beside = `${path}.new`;
    await rm(beside, { force: true });
    const [from, to] = [await openRegular(earlier), await openRegular(beside, CREATING)];
    try {
      await to.appendFile(`${scrubber.text(JSON.stringify(first))}\n`);
      for (const { offset, length } of staying) {
        const { buffer } = await from.read(Buffer.alloc(length), 0, length, offset);
        await to.appendFile(buffer);
        await to.appendFile('\n');
      }
      await to.sync();
    } finally {
      await from.close();
      await to.close();
    }
    await rename(beside, path);
    if (path !== earlier) await rm(earlier, { force: true });
    return openRegular(path, APPENDING);
  });
}

/** Where a line stands in its record, in bytes and without its line break. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

function recordPath(root: string, id: string, started: string, others: readonly string[]): string {
  return join(recordsIn(root), `${stampAfter(others, started)}-${id}.jsonl`);
}

async function writing(
  path: string,
  root: string,
  id: string,
  scrubber: Scrubber,
  open: () => Promise<FileHandle>,
): Promise<RecordWriter> {
  let release = async () => {};
  try {
    await makeHome(root);
    const folder = recordsIn(root);
    await makeRealFolder(folder);
    release = await lockRecord(folder, id);
    return writer(path, await open(), scrubber, release);
  } catch (error) {
    await release();
    if (error instanceof RecordBusyError) throw error;
    throw unwritableRecord(path, error);
  }
}

function unwritableRecord(path: string, error: unknown): UnwritableError {
  return unwritable(RECORD, path, error);
}

function writer(
  path: string,
  file: FileHandle,
  scrubber: Scrubber,
  release: () => Promise<void>,
): RecordWriter {
  // One after the other: cases finish side by side, lines must not mix.
  let last: Promise<void> = Promise.resolve();
  let gathered: string[] = [];
  return {
    path,
    append(line) {
      gathered.push(`${scrubber.text(JSON.stringify(line))}\n`);
      // Lines that come while others are written are written together.
      if (gathered.length > 1) return last;
      last = last
        .then(async () => {
          const lines = gathered.join('');
          gathered = [];
          await file.appendFile(lines);
          await file.sync();
        })
        .catch((error: unknown) => {
          gathered = [];
          throw unwritableRecord(path, error);
        });
      return last;
    },
    async close() {
      await last.catch(() => {});
      await file.close();
      await release();
    },
  };
}
