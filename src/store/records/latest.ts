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
import { damageOf, RunRecord, unfinishedText } from './runRecord.ts';

export interface FoundCase {
  readonly line: CaseLine;
  /** Absolute path of the run's record. */
  readonly record: string;
}

/** Maximum number of a case's runs to search for variants that newer runs left out. */
const MAX_RUNS = 20;

/** Maximum bytes of one case's lines to read, and of all lines to keep in memory. */
const MAX_BYTES = 64_000_000;

/** Maximum bytes of records to search for a case's last results. */
const MAX_HISTORY = 100_000_000;

/** A case's result in one run. */
interface FoundRun {
  readonly record: string;
  readonly first: CaseStats;
  readonly combined: RepeatedCase;
}

export interface LastResult {
  readonly status: Status;
  /** `shortHash` of the inputs of each repetition of a variant; empty if they weren't recorded. */
  readonly inputs: readonly string[];
}

export interface Search {
  readonly variant?: string | undefined;
  /** Absolute path of the record to search. Default: all records of the eval file. */
  readonly record?: string | undefined;
  /** The folder that paths in that record are relative to. Default: the folder that contains its `.turnlight`. */
  readonly root?: string | undefined;
  /** Which executions to read. Default: all. */
  readonly wants?: (entry: CaseStats) => boolean;
}

/** Finds cases' last results. Records that haven't changed are not read again. */
export class LatestRuns {
  readonly #records = new Map<string, IndexedRecord>();
  /** Lines in the order in which they were read. */
  readonly #lines = new Map<CaseStats, Promise<CaseLine | undefined>>();
  #bytes = 0;
  /** Runs that ended before some cases that have no newer result. */
  readonly #cutOff = new Set<string>();
  /** Ensures that simultaneous look-ups read an eval file's folders only once. */
  readonly #listings = new Map<string, () => Promise<Records>>();

  /** A case's newest results, in the order of its repetitions. @param suite absolute path of the eval file */
  async find(suite: string, id: string, search: Search = {}): Promise<FoundCase[]> {
    const { folders, records } = await this.#list(suite);
    let bytes = 0;
    for (const record of search.record === undefined ? records : [search.record]) {
      if (bytes > MAX_HISTORY) break;
      const index = await this.#index(record, search.root);
      bytes += index.bytes;
      const { cases } = index;
      const entries = ofSuite(cases, folders, suite, { id, variant: search.variant });
      const wanted = entries.filter((entry) => search.wants?.(entry) ?? true);
      const lines = await this.#linesOf(record, wanted);
      if (lines.length === 0 && wanted.length === entries.length) continue;
      return lines.map((line) => ({ line: asNamed(line, folders), record }));
    }
    return [];
  }

  /**
   * The last result of each of a case's variants, in the order of the last run. The results may be from different runs.
   */
  async variants(suite: string, id: string): Promise<readonly VariantOutcome[]> {
    const { folders, records } = await this.#list(suite);
    const outcomes = new Map<string, VariantOutcome>();
    let [runs, bytes] = [0, 0];
    for (const record of records) {
      const index = await this.#index(record);
      const { variants } = index;
      const entries = ended(ofSuite(variants, folders, suite, { id }));
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
      bytes += index.bytes;
      if (runs === MAX_RUNS || bytes > MAX_HISTORY) break;
    }
    return [...outcomes.values()];
  }

  /**
   * The last result of each case that has run, by `caseKey`. If a run ended between a case's repetitions, it counts only
   * if they failed.
   *
   * @param suite absolute path of their eval file
   */
  async results(
    suite: string,
    cases: readonly Omit<CaseIdentity, 'suite'>[],
  ): Promise<ReadonlyMap<string, LastResult>> {
    const newest = await this.#newest(suite, cases);
    const results = [...newest].map(([key, { entries }]): [string, LastResult] => {
      const inputs = entries.flatMap(({ input }) => input ?? []);
      return [key, { status: combineLines(entries).status, inputs }];
    });
    return new Map(results);
  }

  /**
   * The newest results of each case, within `MAX_HISTORY`. Keeps none of them in memory.
   *
   * @param suite absolute path of their eval file
   */
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

  /** The newest results by `caseKey`, in the order of the cases. @param maxBytes maximum bytes of records to read */
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
        const entries = ended(ofSuite(index.cases, folders, suite, identity));
        if (entries.length === 0 || isUndecided(entries)) continue;
        found.set(key, { record, entries });
        wanted.delete(key);
      }
      const read = this.#recordOf(record).record;
      if (wanted.size > 0 && read.run && read.state === 'interrupted') {
        const newer = cases.flatMap((one) => {
          const isMissing = ofSuite(index.cases, folders, suite, one).length === 0;
          const newest = isMissing ? found.get(caseKey({ ...one, suite })) : undefined;
          return newest?.entries ?? [];
        });
        // The missing cases may have run since then.
        const { run, missing } = read;
        if (missing > newer.length) this.#cutOff.add(unfinishedText(run, missing));
      }
      bytes += index.bytes;
    }
    return new Map([...found].flatMap(([key, one]) => (one ? [[key, one]] : [])));
  }

  /** The history of a case or variant; undefined if it ran fewer than two times. */
  async history(
    suite: string,
    { id, variant }: Omit<CaseIdentity, 'suite'>,
  ): Promise<CaseHistory | undefined> {
    const { folders, records } = await this.#list(suite);
    const runs: FoundRun[] = [];
    let bytes = 0;
    for (const record of records) {
      const index = await this.#index(record);
      const own = ended(ofSuite(index.cases, folders, suite, { id, variant }));
      const [first] = own;
      if (first) runs.push({ record, first, combined: combineLines(own) });
      bytes += index.bytes;
      if (runs.length === HISTORY_RUNS || bytes > MAX_HISTORY) break;
    }
    const history = historyOf(runs.map(({ combined }) => combined));
    if (history?.kind !== 'flaky') return history;
    // An edit may explain the changes. This is checked only now, because it requires reading the lines.
    const sources = runs.map(async ({ record, first, combined }) => {
      const [line] = await this.#linesOf(record, [first]);
      return { ...combined, source: line && sourceOf(line) };
    });
    return historyOf(await Promise.all(sources));
  }

  /** Why the records that were read may lack results: `NAME.jsonl, line 3: …`. */
  get damage(): readonly string[] {
    const records = [...this.#records.values()].map(({ record }) => record);
    return [...damageOf(records), ...this.#cutOff];
  }

  /** Reads a record's new lines. @param path absolute @param root see `Search` */
  async record(path: string, root?: string): Promise<Pick<RunRecord, 'cases' | 'end' | 'state'>> {
    const { record } = this.#recordOf(path, root);
    await record.readNew();
    return record;
  }

  /** The index of a record; empty if the record doesn't exist. @param root see `Search` */
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
  /** One entry per repetition. */
  readonly entries: readonly CaseStats[];
}

/** Whether the missing repetitions could change the result. */
function isUndecided(entries: readonly CaseStats[]): boolean {
  const found = new Set(entries.map(({ repetition }) => repetition)).size;
  return found < (entries[0]?.repetitions ?? 0) && !isFailure(combineLines(entries));
}

/** Without executions that have no result because their run was canceled. */
function ended<One extends CaseStats>(entries: readonly One[]): readonly One[] {
  return entries.filter(({ isCanceled }) => !isCanceled);
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
  /** Cases by suite, id, and variant. */
  cases = new Map<string, CaseStats[]>();
  /** Variants by suite and id. */
  variants = new Map<string, VariantStats[]>();
  /** Size of the record up to the end of its last case. */
  bytes = 0;

  /**
   * @param cases the same list as in the last update, with new cases added, or a different list if the record was
   * rewritten
   */
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
  /** Absolute paths, newest first. */
  readonly records: readonly string[];
}

/** The entries for a suite. Records of version 1 contain an eval file's path as it was given. */
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
const LABELED_RUNS = 20;

/**
 * The cases of the last runs that may have labels, newest run first.
 *
 * @param evalFile absolute
 * @param ids default: all cases
 */
export async function* labeledLines(
  evalFile: string,
  ids?: ReadonlySet<string>,
): AsyncGenerator<FoundCase> {
  const folders = findExistingDataFolders(evalFile);
  let runs = 0;
  for (const path of await recordsOf(folders)) {
    if (runs === LABELED_RUNS) return;
    const record = new RunRecord(path);
    await record.readNew();
    const own = record.cases.filter(({ suite }) => suite === folders.path || suite === evalFile);
    const wanted = own.filter(({ id }) => ids?.has(id) ?? true);
    let isOfFile = false;
    for await (const { line } of record.each(wanted)) {
      isOfFile = true;
      yield { line: asNamed(line, folders), record: path };
    }
    if (isOfFile) runs += 1;
  }
}

/** Identifies the case and its inputs; undefined in older records. */
function sourceOf({ source, input_hash }: CaseLine): string | undefined {
  return input_hash === undefined ? undefined : `${source.hash} ${input_hash}`;
}
