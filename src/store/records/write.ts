import { type FileHandle, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { CaseLine, EndLine, RecordLine, RunLine } from '../../core/record/runRecord.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import { toUnwritableError, type UnwritableError } from '../../disk/fileErrors.ts';
import { APPEND, CREATE, makeRealFolder, openRegular } from '../../disk/regularFile.ts';
import { mapCasePaths, mapRunPaths, type RecordRoot, recordedPath } from '../../node/paths.ts';
import { makeDataFolder } from '../dataFolder.ts';
import { lockRecord, RecordBusyError, recordsAt, recordsIn, stampAfter } from './files.ts';
import type { LinePlace } from './parseLine.ts';
import { regularStats, stampOf } from './runRecord.ts';

/** How messages refer to the record. */
export const RECORD_NAME = 'The record';

/** Writes a record line by line. */
export interface RecordWriter {
  /** Absolute. */
  readonly path: string;
  /**
   * Resolves when the line is on disk, so that a killed run loses only lines that are still being written.
   *
   * @throws UnwritableError, the same error for all lines, starting with the first one that couldn't be written
   */
  append(line: RecordLine): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates a record in `.turnlight/runs/`.
 *
 * @param root see `RecordRoot`
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
  return writing(path, root, id, scrubber, () => openRegular(path, CREATE));
}

/**
 * Continues a record that no run is writing anymore. It is atomically replaced by a new file with a different first
 * line and the retained lines, under a name that makes it the newest record.
 *
 * @param first the new file's first line
 * @throws UnwritableError; RecordBusyError, also if another run has continued the record since it was read
 */
export async function continueRecord(
  { record: earlier, stamp, retained }: RetainedLines,
  root: string,
  first: RunLine,
  scrubber: Scrubber,
): Promise<RecordWriter> {
  const others = (await recordsAt(root)).filter((one) => one !== earlier);
  const path = recordPath(root, first.id, first.started, others);
  return writing(path, root, first.id, scrubber, async () => {
    const found = await regularStats(earlier);
    if (!found || stampOf(found) !== stamp) {
      const message = `Another process has just continued the run ${first.id}. If it isn't complete, resume it again.`;
      throw new RecordBusyError('busy', message);
    }
    const beside = `${path}.new`;
    await rm(beside, { force: true });
    const [from, to] = [await openRegular(earlier), await openRegular(beside, CREATE)];
    try {
      await to.appendFile(`${scrubber.json(first)}\n`);
      for (const { offset, length } of retained) {
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
    return openRegular(path, APPEND);
  });
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
    await makeDataFolder(root);
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
  return toUnwritableError(RECORD_NAME, path, error);
}

function writer(
  path: string,
  file: FileHandle,
  scrubber: Scrubber,
  release: () => Promise<void>,
): RecordWriter {
  // One at a time, because cases may finish simultaneously, and their lines must not mix.
  let last: Promise<void> = Promise.resolve();
  let pending: string[] = [];
  return {
    path,
    append(line) {
      pending.push(`${scrubber.json(line)}\n`);
      // Lines that arrive during a write are written together.
      if (pending.length > 1) return last;
      last = last
        .then(async () => {
          // Cases that start together often end together, so their lines are synced together.
          await setImmediate();
          const lines = pending.join('');
          pending = [];
          await file.appendFile(lines);
          await file.sync();
        })
        .catch((error: unknown) => {
          pending = [];
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

/** A record to continue, and the case lines to keep. */
export interface RetainedLines {
  /** Absolute. */
  readonly record: string;
  /** See `stampOf`. */
  readonly stamp: string;
  /** In order. */
  readonly retained: readonly LinePlace[];
}

/**
 * Writes the records of one run. There is one at each root of its suites (most runs have only one root), and all of
 * them have the run's id.
 */
export class RunWriter {
  readonly #dataFolders: ReadonlyMap<string, RecordRoot>;
  readonly #writers: ReadonlyMap<string, RecordWriter>;

  private constructor(
    dataFolders: ReadonlyMap<string, RecordRoot>,
    writers: ReadonlyMap<string, RecordWriter>,
  ) {
    this.#dataFolders = dataFolders;
    this.#writers = writers;
  }

  /**
   * @param runs the first line of each record, by root
   * @param dataFolders data folders by suite path
   * @param earlier the records to continue, by root; none for a new run
   * @throws UnwritableError, RecordBusyError
   */
  static async open(
    runs: ReadonlyMap<string, RunLine>,
    dataFolders: ReadonlyMap<string, RecordRoot>,
    scrubber: Scrubber,
    earlier: ReadonlyMap<string, RetainedLines> = new Map(),
  ): Promise<RunWriter> {
    const writers = new Map<string, RecordWriter>();
    const records = new RunWriter(dataFolders, writers);
    const begun: string[] = [];
    try {
      for (const [root, run] of runs) {
        const first = mapRunPaths(run, (path, suite) =>
          recordedPath(records.#dataFolderOf(suite), path),
        );
        const retained = earlier.get(root);
        if (retained) {
          writers.set(root, await continueRecord(retained, root, first, scrubber));
          continue;
        }
        const writer = await createRecord(root, run.id, run.started, scrubber);
        begun.push(writer.path);
        writers.set(root, writer);
        await writer.append(first);
      }
    } catch (error) {
      // Otherwise, these records would look like a killed run's.
      await records.close();
      for (const path of begun) await rm(path, { force: true });
      throw error;
    }
    return records;
  }

  /** Absolute paths of the records. */
  get paths(): string[] {
    return [...this.#writers.values()].map(({ path }) => path);
  }

  /** Resolves when the line is on disk. @throws UnwritableError */
  async append(line: CaseLine): Promise<void> {
    const dataFolder = this.#dataFolderOf(line.suite);
    const recorded = mapCasePaths(line, (path) => recordedPath(dataFolder, path));
    await this.#writers.get(dataFolder.root)?.append(recorded);
  }

  /** @param endOf returns the last line for the record at a root @throws UnwritableError */
  async end(endOf: (root: string) => EndLine): Promise<void> {
    const ending = [...this.#writers].map(([root, writer]) => writer.append(endOf(root)));
    await Promise.all(ending);
  }

  async close(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.close();
  }

  #dataFolderOf(suite: string): RecordRoot {
    const dataFolder = this.#dataFolders.get(suite);
    if (!dataFolder) throw new Error(`Internal error: ${suite} has no data folder.`);
    return dataFolder;
  }
}
