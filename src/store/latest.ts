import { lstat } from 'node:fs/promises';
import { groupBy } from '../core/data.ts';
import { caseKey } from '../core/identity.ts';
import { mapCasePaths, namedPath, type RecordHome } from '../core/recordPaths.ts';
import type { CaseLine } from '../core/runRecord.ts';
import { recordsAt } from './append.ts';
import { findHome } from './home.ts';
import { readRecord } from './read.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** The record that holds it, absolute. */
  readonly record: string;
}

/** A record's cases by suite and id. */
type Cases = ReadonlyMap<string, readonly CaseLine[]>;

/** Finds what the last runs of a case said. Records that did not change are read once. */
export class LatestRuns {
  readonly #known = new Map<string, { readonly stamp: string; readonly cases: Promise<Cases> }>();
  /** Look-ups at the same time share a look into the folders. */
  readonly #looking = new Map<string, Promise<Records>>();

  /**
   * The newest finished runs of a case, one for each repetition, in their order; empty if it
   * never ran.
   *
   * @param suite the eval file, absolute
   * @param only the record to look into, absolute; all by default
   */
  async find(suite: string, id: string, only?: string): Promise<FoundCase[]> {
    const { home, newestFirst } = await this.#look(suite);
    for (const record of only === undefined ? newestFirst : [only]) {
      const cases = await this.#read(record);
      // Records of version 1 know an eval file by the path that it was run under.
      const lines =
        cases?.get(caseKey({ suite: home.path, id })) ?? cases?.get(caseKey({ suite, id })) ?? [];
      if (lines.length === 0) continue;
      return lines.map((line) => ({ line: asNamed(line, home), record }));
    }
    return [];
  }

  #look(suite: string): Promise<Records> {
    const known = this.#looking.get(suite);
    if (known) return known;
    const looking = recordsOf(suite).finally(() => this.#looking.delete(suite));
    this.#looking.set(suite, looking);
    return looking;
  }

  async #read(path: string): Promise<Cases | undefined> {
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isFile()) return undefined;
    const stamp = `${found.mtimeMs} ${found.size}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.cases;
    const cases = readRecord(path).then(
      (record) => byCase(record.cases),
      (): Cases => new Map(),
    );
    this.#known.set(path, { stamp, cases });
    return cases;
  }
}

interface Records {
  readonly home: RecordHome;
  /** Absolute. */
  readonly newestFirst: readonly string[];
}

/** The nearest root has the newest records; in each, names begin with the time of their run. */
async function recordsOf(suite: string): Promise<Records> {
  const home = await findHome(suite);
  const found = await Promise.all(home.kept.map(recordsAt));
  return { home, newestFirst: found.flatMap((records) => records.sort().reverse()) };
}

function byCase(lines: readonly CaseLine[]): Cases {
  return groupBy(
    [...lines].sort((a, b) => a.repetition - b.repetition),
    caseKey,
  );
}

function asNamed(line: CaseLine, home: RecordHome): CaseLine {
  if (home.path === home.named || line.suite === home.named) return line;
  return mapCasePaths(line, (path) => namedPath(home, path));
}
