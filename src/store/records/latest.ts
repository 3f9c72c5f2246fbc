import { addTo, groupBy } from '../../core/data/data.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import {
  type CaseHistory,
  HISTORY_RUNS,
  historyOf,
  type VariantOutcome,
} from '../../core/record/caseHistory.ts';
import { combineLines, type RepeatedCase } from '../../core/record/repetitions.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { coalesce } from '../../core/scheduling.ts';
import { isFailure, type Status } from '../../core/verdict.ts';
import { mapCasePaths, namedPath } from '../../node/paths.ts';
import { type ExistingDataFolders, findExistingDataFolders } from '../dataFolder.ts';
import { recordsOf } from './files.ts';
import type { CaseStats } from './parseLine.ts';
import { damageOf, RunRecord } from './runRecord.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** The record that holds it, absolute. */
  readonly record: string;
}

/** Number of runs of a case that are searched for variants that newer ones did not run. */
const MAX_RUNS = 20;

/** Bytes of the lines of one case that are read, and of all lines that are kept in memory. */
const MAX_BYTES = 64_000_000;

/** Bytes of records that are read for the history of a case, and for what its last run said. */
const MAX_HISTORY = 100_000_000;

/** A case's result in one run. */
interface FoundRun {
  readonly record: string;
  readonly first: CaseStats;
  readonly combined: RepeatedCase;
}

export interface Search {
  /** Which of its conversations, where the case stands for several. */
  readonly variant?: string | undefined;
  /** The one to look into, absolute; all by default. */
  readonly record?: string | undefined;
  /** The folder that the paths of that record start from; the one that it stands in by default. */
  readonly root?: string | undefined;
  /** What is worth reading of the runs that are found; all by default. */
  readonly wants?: (entry: CaseStats) => boolean;
}

/** Finds the last results of cases. Records that did not change are not read again. */
export class LatestRuns {
  readonly #records = new Map<string, IndexedRecord>();
  /** In the order in which they were read. */
  readonly #lines = new Map<CaseStats, Promise<CaseLine | undefined>>();
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
    const { folders, records } = await this.#look(suite);
    for (const record of search.record === undefined ? records : [search.record]) {
      const { cases } = await this.#index(record, search.root);
      const entries = ofSuite(cases, folders, suite, { id, variant: search.variant });
      const wanted = entries.filter((entry) => search.wants?.(entry) ?? true);
      const lines = await this.#linesOf(record, wanted);
      if (lines.length === 0 && wanted.length === entries.length) continue;
      return lines.map((line) => ({ line: asNamed(line, folders), record }));
    }
    return [];
  }

  /**
   * How each conversation of a case that stands for several ended last, in the order of the last run. A run of
   * one of them leaves the others as they were.
   */
  async variants(suite: string, id: string): Promise<readonly VariantOutcome[]> {
    const { folders, records } = await this.#look(suite);
    const outcomes = new Map<string, VariantOutcome>();
    let looked = 0;
    for (const record of records) {
      const { variants } = await this.#index(record);
      const entries = ofSuite(variants, folders, suite, { id });
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
      if (looked === MAX_RUNS) break;
    }
    return [...outcomes.values()];
  }

  /**
   * How the last run of each of these cases ended, its repetitions taken together, by `caseKey`. What never
   * ran is left out. A run that was killed between the repetitions of a case counts only if they failed.
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
    const { folders } = await this.#look(suite);
    for (const { record, entries } of (await this.#newest(suite, cases, MAX_HISTORY)).values()) {
      const lines = await this.#recordOf(record).record.lines(entries);
      yield [...lines.values()].map((line) => asNamed(line, folders));
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
    const { folders, records } = await this.#look(suite);
    let bytes = 0;
    for (const record of records) {
      if (wanted.size === 0 || bytes > most) break;
      const index = await this.#index(record);
      for (const [key, identity] of wanted) {
        const entries = ofSuite(index.cases, folders, suite, identity);
        if (entries.length === 0 || isUndecided(entries)) continue;
        found.set(key, { record, entries });
        wanted.delete(key);
      }
      bytes += index.bytes;
    }
    return new Map([...found].flatMap(([key, one]) => (one ? [[key, one]] : [])));
  }

  /** How a case, or one of its conversations, came out over its last runs; undefined for fewer than two. */
  async history(
    suite: string,
    { id, variant }: Omit<CaseIdentity, 'suite'>,
  ): Promise<CaseHistory | undefined> {
    const { folders, records } = await this.#look(suite);
    const runs: FoundRun[] = [];
    let bytes = 0;
    for (const record of records) {
      const index = await this.#index(record);
      const own = ofSuite(index.cases, folders, suite, { id, variant });
      const [first] = own;
      if (first) runs.push({ record, first, combined: combineLines(own) });
      bytes += index.bytes;
      if (runs.length === HISTORY_RUNS || bytes > MAX_HISTORY) break;
    }
    const history = historyOf(runs.map(({ combined }) => combined));
    if (history?.kind !== 'flaky') return history;
    // Only now, because it reads the lines: an edit may explain the changes.
    const sources = runs.map(async ({ record, first, combined }) => {
      const [line] = await this.#linesOf(record, [first]);
      return { ...combined, source: line && sourceOf(line) };
    });
    return historyOf(await Promise.all(sources));
  }

  /** Why results may be missing in the records that were read, `NAME.jsonl, line 3: …`. */
  get damage(): readonly string[] {
    return damageOf([...this.#records.values()].map(({ record }) => record));
  }

  /** A record with what is new in it. @param path absolute @param root as in `Search` */
  async record(path: string, root?: string): Promise<Pick<RunRecord, 'cases' | 'end' | 'state'>> {
    const { record } = this.#recordOf(path, root);
    await record.readNew();
    return record;
  }

  /** @param root as in `Search` @returns nothing if there is no such record */
  async #index(path: string, root?: string): Promise<CaseIndex> {
    const { record, index } = this.#recordOf(path, root);
    if (!(await record.readNew())) return new CaseIndex();
    index.update(record.cases);
    return index;
  }

  async #linesOf(record: string, entries: readonly CaseStats[]): Promise<CaseLine[]> {
    const wanted: CaseStats[] = [];
    let bytes = 0;
    for (const entry of [...entries].sort((a, b) => a.repetition - b.repetition)) {
      bytes += entry.length;
      if (bytes > MAX_BYTES) break;
      wanted.push(entry);
    }
    const missing = wanted.filter((entry) => !this.#lines.has(entry));
    const read = this.#recordOf(record).record.lines(missing);
    const lines = wanted.map(
      (entry) => this.#lines.get(entry) ?? read.then((those) => those.get(entry)),
    );
    for (const [index, line] of lines.entries()) this.#keep(wanted[index] as CaseStats, line);
    const found = await Promise.all(lines);
    return found.filter((line) => line !== undefined);
  }

  #keep(entry: CaseStats, line: Promise<CaseLine | undefined>): void {
    if (this.#lines.has(entry)) return;
    this.#lines.set(entry, line);
    this.#bytes += entry.length;
    for (const oldest of this.#lines.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#lines.delete(oldest);
      this.#bytes -= oldest.length;
    }
  }

  #recordOf(path: string, root?: string): IndexedRecord {
    const known = this.#records.get(path);
    if (known) return known;
    const opened = { record: new RunRecord(path, { root }), index: new CaseIndex() };
    this.#records.set(path, opened);
    return opened;
  }

  #look(suite: string): Promise<Records> {
    const look = this.#looks.get(suite) ?? coalesce(() => recordsFor(suite));
    this.#looks.set(suite, look);
    return look();
  }
}

/** Where the last run of a case stands, one entry for each repetition. */
interface Newest {
  readonly record: string;
  readonly entries: readonly CaseStats[];
}

/** Whether repetitions are missing that could change the result. */
function isUndecided(entries: readonly CaseStats[]): boolean {
  const found = new Set(entries.map(({ repetition }) => repetition)).size;
  return found < (entries[0]?.repetitions ?? 0) && !isFailure(combineLines(entries));
}

interface IndexedRecord {
  readonly record: RunRecord;
  readonly index: CaseIndex;
}

type VariantStats = CaseStats & { readonly variant: string; readonly hash: string };

function isVariant(one: CaseStats): one is VariantStats {
  return one.variant !== undefined && one.hash !== undefined;
}

/** The cases of a record by what they are asked for. */
class CaseIndex {
  #indexed: readonly CaseStats[] = [];
  #count = 0;
  /** By suite, id and variant. */
  cases = new Map<string, CaseStats[]>();
  /** Of cases that have variants, by suite and id. */
  variants = new Map<string, VariantStats[]>();
  /** Of the record, to the last case. */
  bytes = 0;

  /** @param cases those of the last update, and what is new; or others, once their record was rewritten */
  update(cases: readonly CaseStats[]): void {
    if (cases !== this.#indexed) {
      this.#indexed = cases;
      this.#count = 0;
      this.cases = new Map();
      this.variants = new Map();
    }
    for (const one of cases.slice(this.#count)) {
      addTo(this.cases, caseKey(one), one);
      if (isVariant(one)) addTo(this.variants, caseKey({ suite: one.suite, id: one.id }), one);
    }
    this.#count = cases.length;
    const last = cases.at(-1);
    this.bytes = last ? last.offset + last.length : 0;
  }
}

interface Records {
  readonly folders: ExistingDataFolders;
  /** Absolute, the newest first. */
  readonly records: readonly string[];
}

/** Records of version 1 know an eval file by the path that it was run under. */
function ofSuite<One>(
  lists: ReadonlyMap<string, readonly One[]>,
  { path }: ExistingDataFolders,
  suite: string,
  identity: Omit<CaseIdentity, 'suite'>,
): readonly One[] {
  const listOf = (of: string) => lists.get(caseKey({ suite: of, ...identity }));
  return listOf(path) ?? listOf(suite) ?? [];
}

async function recordsFor(suite: string): Promise<Records> {
  const folders = findExistingDataFolders(suite);
  return { folders, records: await recordsOf(folders) };
}

function asNamed(line: CaseLine, folders: ExistingDataFolders): CaseLine {
  if (folders.path === folders.named || line.suite === folders.named) return line;
  return mapCasePaths(line, (path) => namedPath(folders, path));
}

/** Number of runs of an eval file that are searched for verdicts on labeled conversations. */
export const LABELLED_RUNS = 20;

/**
 * The cases of an eval file's last runs that labels may be about, the newest run first: of the newest run all, since
 * a case may have been renamed, and of the others those that labels name.
 *
 * @param evalFile absolute
 * @param ids of those cases; all by default
 */
export async function* labelledLines(
  evalFile: string,
  ids?: ReadonlySet<string>,
): AsyncGenerator<FoundCase> {
  const folders = findExistingDataFolders(evalFile);
  let runs = 0;
  for (const path of await recordsOf(folders)) {
    if (runs === LABELLED_RUNS) return;
    const record = new RunRecord(path);
    await record.readNew();
    const own = record.cases.filter(({ suite }) => suite === folders.path || suite === evalFile);
    const wanted = own.filter(({ id }) => runs === 0 || !ids || ids.has(id));
    let isOfFile = false;
    for await (const { line } of record.each(wanted)) {
      isOfFile = true;
      yield { line, record: path };
    }
    if (isOfFile) runs += 1;
  }
}

/** Identifies the case and its inputs; undefined in older records. */
function sourceOf({ source, input_hash }: CaseLine): string | undefined {
  return input_hash === undefined ? undefined : `${source.hash} ${input_hash}`;
}
