import { rm } from 'node:fs/promises';
import {
  mapCasePaths,
  mapRunPaths,
  type RecordHome,
  recordedPath,
} from '../core/record/recordPaths.ts';
import type { CaseLine, EndLine, RunLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { continueRecord, createRecord, type RecordWriter } from './append.ts';
import type { LinePlace } from './records/parseLine.ts';

/** A record that is continued, and what stays of its cases. */
export interface StayingLines {
  /** Absolute. */
  readonly record: string;
  readonly staying: readonly LinePlace[];
}

/**
 * The records of one run: one at each root that its suites have, which is one in most runs. All of
 * them have the run's id.
 */
export class RunRecords {
  readonly #homes: ReadonlyMap<string, RecordHome>;
  readonly #writers: ReadonlyMap<string, RecordWriter>;

  private constructor(
    homes: ReadonlyMap<string, RecordHome>,
    writers: ReadonlyMap<string, RecordWriter>,
  ) {
    this.#homes = homes;
    this.#writers = writers;
  }

  /**
   * @param runs the first line of each record, by root
   * @param homes of the suites, by their paths
   * @param earlier the records that are continued, by root; none where the run begins
   * @throws UnwritableError, RecordBusyError
   */
  static async open(
    runs: ReadonlyMap<string, RunLine>,
    homes: ReadonlyMap<string, RecordHome>,
    scrubber: Scrubber,
    earlier: ReadonlyMap<string, StayingLines> = new Map(),
  ): Promise<RunRecords> {
    const writers = new Map<string, RecordWriter>();
    const records = new RunRecords(homes, writers);
    const begun: string[] = [];
    try {
      for (const [root, run] of runs) {
        const first = mapRunPaths(run, (path) => recordedPath(records.#homeOf(path), path));
        const { record, staying } = earlier.get(root) ?? {};
        if (record !== undefined && staying) {
          writers.set(root, await continueRecord(record, root, first, staying, scrubber));
          continue;
        }
        const writer = await createRecord(root, run.id, run.started, scrubber);
        begun.push(writer.path);
        writers.set(root, writer);
        await writer.append(first);
      }
    } catch (error) {
      // What was begun would be the record of a run that was killed.
      await records.close();
      for (const path of begun) await rm(path, { force: true });
      throw error;
    }
    return records;
  }

  /** Absolute. */
  get paths(): string[] {
    return [...this.#writers.values()].map(({ path }) => path);
  }

  /** Resolves when the line is on the disk. @throws UnwritableError */
  async append(line: CaseLine): Promise<void> {
    const home = this.#homeOf(line.suite);
    const recorded = mapCasePaths(line, (path) => recordedPath(home, path));
    await this.#writers.get(home.root)?.append(recorded);
  }

  /** @param endOf the last line of the record at a root @throws UnwritableError */
  async end(endOf: (root: string) => EndLine): Promise<void> {
    const ending = [...this.#writers].map(([root, writer]) => writer.append(endOf(root)));
    await Promise.all(ending);
  }

  async close(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.close();
  }

  #homeOf(suite: string): RecordHome {
    const home = this.#homes.get(suite);
    if (!home) throw new Error(`Internal error: ${suite} has no home.`);
    return home;
  }
}
