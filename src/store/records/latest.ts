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
import { isFailure } from '../../core/scoring.ts';
import type { Status } from '../../core/verdict.ts';
import { mapCasePaths, namedPath } from '../../node/paths.ts';
import { type ExistingDataFolders, findExistingDataFolders } from '../dataFolder.ts';
import { recordsOf } from './files.ts';
import type { CaseStats } from './parseLine.ts';
import { damageOf, RunRecord } from './runRecord.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** Absolute path of its record. */
  readonly record: string;
}

/** Maximum number of runs of a case to search for variants that newer runs omitted. */
const MAX_RUNS = 20;

/** Maximum bytes to read of one case's lines, and to keep in memory of all lines. */
const MAX_BYTES = 64_000_000;

/** Maximum bytes of records to read for the history or the last conversations of a case. */
const MAX_HISTORY = 100_000_000;

/** A case's result in one run. */
interface FoundRun {
  readonly record: string;
  readonly first: CaseStats;
  readonly combined: RepeatedCase;
}

export interface Search {
  readonly variant?: string | undefined;
  /** Absolute path of the record to search. Default: all records of the eval file. */
  readonly record?: string | undefined;
  /** The base of the paths in that record. Default: the folder that contains its `.turnlight`. */
  readonly root?: string | undefined;
  /** Which executions to read. Default: all. */
  readonly wants?: (entry: CaseStats) => boolean;
}

/** Finds the last results of cases. Unchanged records are not read again. */
export class LatestRuns {
  readonly #records = new Map<string, IndexedRecord>();
  /** In the order in which they were read. */
  readonly #lines = new Map<CaseStats, Promise<CaseLine | undefined>>();
  #bytes = 0;
  /** Simultaneous look-ups read the folders of an eval file once. */
  readonly #listings = new Map<string, () => Promise<Records>>();

  /** The newest results of a case, in the order of its repetitions. @param suite the eval file, absolute */
  async find(suite: string, id: string, search: Search = {}): Promise<FoundCase[]> {
    const { folders, records } = await this.#list(suite);
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

  /** The last result of each variant of a case, in the order of the last run; they may be from different runs. */
  async variants(suite: string, id: string): Promise<readonly VariantOutcome[]> {
    const { folders, records } = await this.#list(suite);
    const outcomes = new Map<string, VariantOutcome>();
    let runs = 0;
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
      if (entries.length > 0) runs += 1;
      if (runs === MAX_RUNS) break;
    }
    return [...outcomes.values()];
  }

  /**
   * The last status of each case that has run, by `caseKey`. A run that was killed between the repetitions of a case counts
   * only if they failed. @param suite their eval file, absolute
   */
  async statuses(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
  ): Promise<ReadonlyMap<string, Status>> {
    const newest = await this.#newest(suite, cases);
    return new Map([...newest].map(([key, { entries }]) => [key, combineLines(entries).status]));
  }

  /** The newest results of each case, within `MAX_HISTORY`. Keeps none in memory. @param suite their eval file, absolute */
  async *each(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
  ): AsyncGenerator<readonly CaseLine[]> {
    const { folders } = await this.#list(suite);
    for (const { record, entries } of (await this.#newest(suite, cases, MAX_HISTORY)).values()) {
      const lines = await this.#recordOf(record).record.lines(entries);
      yield [...lines.values()].map((line) => asNamed(line, folders));
    }
  }

  /** By `caseKey`, in the order of the cases. @param maxBytes of records to read */
  async #newest(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
    maxBytes = Number.POSITIVE_INFINITY,
  ): Promise<ReadonlyMap<string, Newest>> {
    const found = new Map<string, Newest | undefined>();
    for (const one of cases) found.set(caseKey({ ...one, suite }), undefined);
    const wanted = new Map(cases.map((one) => [caseKey({ ...one, suite }), one]));
    const { folders, records } = await this.#list(suite);
    let bytes = 0;
    for (const record of records) {
      if (wanted.size === 0 || bytes > maxBytes) break;
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

  /** The last results of a case or variant; undefined if it ran fewer than two times. */
  async history(
    suite: string,
    { id, variant }: Omit<CaseIdentity, 'suite'>,
  ): Promise<CaseHistory | undefined> {
    const { folders, records } = await this.#list(suite);
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
    // An edit may explain the changes. Checked only now, because this reads the lines.
    const sources = runs.map(async ({ record, first, combined }) => {
      const [line] = await this.#linesOf(record, [first]);
      return { ...combined, source: line && sourceOf(line) };
    });
    return historyOf(await Promise.all(sources));
  }

  /** Why results may be missing in the read records: `NAME.jsonl, line 3: …`. */
  get damage(): readonly string[] {
    return damageOf([...this.#records.values()].map(({ record }) => record));
  }

  /** Reads new lines of a record. @param path absolute @param root see `Search` */
  async record(path: string, root?: string): Promise<Pick<RunRecord, 'cases' | 'end' | 'state'>> {
    const { record } = this.#recordOf(path, root);
    await record.readNew();
    return record;
  }

  /** Empty if there is no such record. @param root see `Search` */
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
      (entry) => this.#lines.get(entry) ?? read.then((found) => found.get(entry)),
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

  #list(suite: string): Promise<Records> {
    const list =
      this.#listings.get(suite) ??
      coalesce(async () => {
        const folders = findExistingDataFolders(suite);
        return { folders, records: await recordsOf(folders) };
      });
    this.#listings.set(suite, list);
    return list();
  }
}

interface Newest {
  readonly record: string;
  /** One per repetition. */
  readonly entries: readonly CaseStats[];
}

/** Whether missing repetitions could change the result. */
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

class CaseIndex {
  #indexed: readonly CaseStats[] = [];
  #count = 0;
  /** By suite, id and variant. */
  cases = new Map<string, CaseStats[]>();
  /** By suite and id. */
  variants = new Map<string, VariantStats[]>();
  /** Size of the record up to its last case. */
  bytes = 0;

  /** @param cases the list of the last update with new cases, or another list if the record was rewritten */
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
  /** Absolute, newest first. */
  readonly records: readonly string[];
}

/** Records of version 1 contain the path of an eval file as given. */
function ofSuite<One>(
  lists: ReadonlyMap<string, readonly One[]>,
  { path }: ExistingDataFolders,
  suite: string,
  identity: Omit<CaseIdentity, 'suite'>,
): readonly One[] {
  const listOf = (of: string) => lists.get(caseKey({ suite: of, ...identity }));
  return listOf(path) ?? listOf(suite) ?? [];
}

function asNamed(line: CaseLine, folders: ExistingDataFolders): CaseLine {
  if (folders.path === folders.named || line.suite === folders.named) return line;
  return mapCasePaths(line, (path) => namedPath(folders, path));
}

/** Maximum number of runs to search for verdicts on labeled conversations. */
const LABELLED_RUNS = 20;

/**
 * The cases of the last runs that may have labels, newest run first. The newest run may have renamed cases, so it yields all.
 * @param evalFile absolute @param ids of labeled cases. Default: all
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
