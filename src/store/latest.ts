import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseLine } from '../core/runRecord.ts';
import { RECORDS_FOLDER } from './append.ts';
import { type RunRecord, readRecord } from './read.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** The record that holds it, absolute. */
  readonly record: string;
}

/** Finds what the last runs of a workspace said. Records that did not change are read once. */
export class LatestRuns {
  readonly #folder: string;
  readonly #known = new Map<string, { readonly stamp: string; readonly record: RunRecord }>();

  /** @param workspace the folder that holds `.turnlight/`, absolute */
  constructor(workspace: string) {
    this.#folder = join(workspace, RECORDS_FOLDER);
  }

  /**
   * The newest finished runs of a case, one for each repetition, in their order; empty where it
   * never ran.
   *
   * @param suite the eval file, absolute
   * @param only the record to look into, absolute; all unless given
   */
  async find(suite: string, id: string, only?: string): Promise<FoundCase[]> {
    for (const path of only === undefined ? await this.#newestFirst() : [only]) {
      const record = await this.#read(path);
      const lines = record?.cases.filter((line) => line.suite === suite && line.id === id) ?? [];
      if (lines.length === 0) continue;
      return lines
        .sort((a, b) => a.repetition - b.repetition)
        .map((line) => ({ line, record: path }));
    }
    return [];
  }

  /** Names begin with the time of their run. */
  async #newestFirst(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const records = names.filter((name) => name.endsWith('.jsonl')).sort();
    return records.reverse().map((name) => join(this.#folder, name));
  }

  async #read(path: string): Promise<RunRecord | undefined> {
    const found = await stat(path).catch(() => undefined);
    if (!found) return undefined;
    const stamp = `${found.mtimeMs} ${found.size}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.record;
    const record = await readRecord(path).catch(() => undefined);
    if (record) this.#known.set(path, { stamp, record });
    return record;
  }
}
