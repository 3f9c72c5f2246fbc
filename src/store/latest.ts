import { groupBy } from '../core/data/data.ts';
import { type CaseIdentity, caseKey } from '../core/identity.ts';
import { LIMITS } from '../core/limits.ts';
import { oneAtATime } from '../core/oneAtATime.ts';
import { type CaseHistory, HISTORY_RUNS, historyOf } from '../core/record/caseHistory.ts';
import { mapCasePaths, namedPath } from '../core/record/recordPaths.ts';
import { combineLines, type RepeatedCase } from '../core/record/repetitions.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { VariantOutcome } from '../core/record/variantOutcome.ts';
import type { Status } from '../core/verdict.ts';
import { recordsAt } from './append.ts';
import { type KeptHomes, keptHomes } from './home.ts';
import { type Entry, type RecordIndex, RecordReader } from './recordIndex.ts';
import { newestFirst } from './recordNames.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** The record that holds it, absolute. */
  readonly record: string;
}

/** As many runs of a case are looked through for variants that the newer ones did not run. */
const MOST_RUNS = 20;

/** Bytes of the lines of one case that are read, and of all lines that are kept in memory. */
const MOST_BYTES = 64_000_000;

/** Bytes of records that are read for the history of a case, and for what its last run said. */
const MOST_HISTORY = 100_000_000;

export interface Search {
  /** Which of its conversations, where the case stands for several. */
  readonly variant?: string | undefined;
  /** The one to look into, absolute; all by default. */
  readonly record?: string | undefined;
  /** The folder that the paths of that record start from; the one that it stands in by default. */
  readonly root?: string | undefined;
  /** What is worth reading of the runs that are found; all by default. */
  readonly wants?: (entry: Entry) => boolean;
}

/** Finds what the last runs of a case said. Of records that did not change nothing is read again. */
export class LatestRuns {
  readonly #readers = new Map<string, RecordReader>();
  /** In the order in which they were read. */
  readonly #lines = new Map<Entry, Promise<CaseLine | undefined>>();
  #bytes = 0;
  /** Look-ups at the same time share a look into the folders of an eval file. */
  readonly #looks = new Map<string, () => Promise<Records>>();

  /**
   * The newest finished runs of a case, one for each repetition, in their order; empty if it
   * never ran.
   *
   * @param suite the eval file, absolute
   */
  async find(suite: string, id: string, search: Search = {}): Promise<FoundCase[]> {
    const { home, records } = await this.#look(suite);
    for (const record of search.record === undefined ? records : [search.record]) {
      const { cases } = await this.index(record, search.root);
      const entries = ofSuite(cases, home, suite, { id, variant: search.variant });
      const wanted = entries.filter((entry) => search.wants?.(entry) ?? true);
      const lines = await this.#linesOf(record, wanted);
      if (lines.length === 0 && wanted.length === entries.length) continue;
      return lines.map((line) => ({ line: asNamed(line, home), record }));
    }
    return [];
  }

  /**
   * How each conversation of a case that stands for several ended last, in the order of the last run. A run of
   * one of them leaves the others as they were.
   */
  async variants(suite: string, id: string): Promise<readonly VariantOutcome[]> {
    const { home, records } = await this.#look(suite);
    const outcomes = new Map<string, VariantOutcome>();
    let looked = 0;
    for (const record of records) {
      const { variants } = await this.index(record);
      const entries = ofSuite(variants, home, suite, { id });
      for (const [variant, own] of groupBy(entries, (one) => one.variant)) {
        if (outcomes.has(variant)) continue;
        outcomes.set(variant, {
          variant,
          status: combineLines(own).status,
          hash: own[0].hash,
          inputs: own.flatMap(({ input }) => input ?? []),
        });
      }
      if (entries.length > 0) looked += 1;
      if (looked === MOST_RUNS) break;
    }
    return [...outcomes.values()];
  }

  /**
   * How the last run of each of these cases ended, its repetitions taken together, by `caseKey`. What never
   * ran is left out.
   *
   * @param suite the eval file of all of them, absolute
   */
  async statuses(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
  ): Promise<ReadonlyMap<string, Status>> {
    const newest = await this.#newest(suite, cases);
    return new Map([...newest].map(([key, { entries }]) => [key, combineLines(entries).status]));
  }

  /**
   * The newest finished runs of each of these cases, read one case after the other and not kept; of those
   * that ran within the bytes that a history may read.
   *
   * @param suite the eval file of all of them, absolute
   */
  async *each(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
  ): AsyncGenerator<readonly CaseLine[]> {
    const { home } = await this.#look(suite);
    for (const { record, entries } of (await this.#newest(suite, cases, MOST_HISTORY)).values()) {
      const lines = await this.#readerOf(record).lines(entries);
      yield [...lines.values()].map((line) => asNamed(line, home));
    }
  }

  /** By `caseKey`, in the order of the cases. @param most bytes of records that are read; all by default */
  async #newest(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
    most = Number.POSITIVE_INFINITY,
  ): Promise<ReadonlyMap<string, Newest>> {
    const found = new Map<string, Newest | undefined>();
    for (const one of cases) found.set(caseKey({ ...one, suite }), undefined);
    const wanted = new Map(cases.map((one) => [caseKey({ ...one, suite }), one]));
    const { home, records } = await this.#look(suite);
    let bytes = 0;
    for (const record of records) {
      if (wanted.size === 0 || bytes > most) break;
      const index = await this.index(record);
      for (const [key, identity] of wanted) {
        const entries = ofSuite(index.cases, home, suite, identity);
        if (entries.length === 0) continue;
        found.set(key, { record, entries });
        wanted.delete(key);
      }
      bytes += bytesOf(index);
    }
    return new Map([...found].flatMap(([key, one]) => (one ? [[key, one]] : [])));
  }

  /** How a case, or one of its conversations, came out over its last runs; undefined for fewer than two. */
  async history(
    suite: string,
    { id, variant }: Omit<CaseIdentity, 'suite'>,
  ): Promise<CaseHistory | undefined> {
    const { home, records } = await this.#look(suite);
    const runs: RepeatedCase[] = [];
    let bytes = 0;
    for (const record of records) {
      const index = await this.index(record);
      const own = ofSuite(index.cases, home, suite, { id, variant });
      if (own.length > 0) runs.push(combineLines(own));
      bytes += bytesOf(index);
      if (runs.length === HISTORY_RUNS || bytes > MOST_HISTORY) break;
    }
    return historyOf(runs);
  }

  /** What a record holds. @param record absolute @param root as in `Search` */
  index(record: string, root?: string): Promise<RecordIndex> {
    return this.#readerOf(record, root).index();
  }

  async #linesOf(record: string, entries: readonly Entry[]): Promise<CaseLine[]> {
    const wanted: Entry[] = [];
    let bytes = 0;
    for (const entry of [...entries].sort((a, b) => a.repetition - b.repetition)) {
      bytes += entry.length;
      if (bytes > MOST_BYTES) break;
      wanted.push(entry);
    }
    const missing = wanted.filter((entry) => !this.#lines.has(entry));
    const read = this.#readerOf(record).lines(missing);
    const lines = wanted.map(
      (entry) => this.#lines.get(entry) ?? read.then((those) => those.get(entry)),
    );
    for (const [index, line] of lines.entries()) this.#keep(wanted[index] as Entry, line);
    const found = await Promise.all(lines);
    return found.filter((line) => line !== undefined);
  }

  #keep(entry: Entry, line: Promise<CaseLine | undefined>): void {
    if (this.#lines.has(entry)) return;
    this.#lines.set(entry, line);
    this.#bytes += entry.length;
    for (const oldest of this.#lines.keys()) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#lines.delete(oldest);
      this.#bytes -= oldest.length;
    }
  }

  #readerOf(record: string, root?: string): RecordReader {
    const reader = this.#readers.get(record) ?? new RecordReader(record, root);
    this.#readers.set(record, reader);
    return reader;
  }

  #look(suite: string): Promise<Records> {
    const look = this.#looks.get(suite) ?? oneAtATime(() => recordsOf(suite));
    this.#looks.set(suite, look);
    return look();
  }
}

/** Where the last run of a case stands, one entry for each repetition. */
interface Newest {
  readonly record: string;
  readonly entries: readonly Entry[];
}

function bytesOf({ entries }: RecordIndex): number {
  const last = entries.at(-1);
  return last ? last.offset + last.length : 0;
}

interface Records {
  readonly home: KeptHomes;
  /** Absolute, the newest first. */
  readonly records: readonly string[];
}

/** Records of version 1 know an eval file by the path that it was run under. */
function ofSuite<One>(
  lists: ReadonlyMap<string, readonly One[]>,
  { path }: KeptHomes,
  suite: string,
  identity: Omit<CaseIdentity, 'suite'>,
): readonly One[] {
  const listOf = (of: string) => lists.get(caseKey({ suite: of, ...identity }));
  return listOf(path) ?? listOf(suite) ?? [];
}

/** The nearest root has the newest records. */
async function recordsOf(suite: string): Promise<Records> {
  const home = keptHomes(suite);
  const found = await Promise.all(home.kept.map(recordsAt));
  return { home, records: found.flatMap(newestFirst).slice(0, LIMITS.records) };
}

function asNamed(line: CaseLine, home: KeptHomes): CaseLine {
  if (home.path === home.named || line.suite === home.named) return line;
  return mapCasePaths(line, (path) => namedPath(home, path));
}
