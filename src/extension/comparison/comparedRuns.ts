import {
  type ComparableRun,
  type ComparedCase,
  type Comparison,
  comparedCases,
  compareRuns,
  type RunFacts,
  runFactsOf,
} from '../../analysis/compareRuns.ts';
import { ComparisonData, suiteNames } from '../../analysis/comparisonData.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import { LIMITS } from '../../core/limits.ts';
import { indexInColumn } from '../../core/presentation/assertionColumns.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { coalesce } from '../../core/scheduling.ts';
import { runCooperatively, runSync, stepsOf, type Work } from '../../node/cooperative.ts';
import type { ResultsTable } from '../../protocol/resultsProtocol.ts';
import { type CaseFacts, comparedTable } from '../../report/comparedTable.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { RunReader } from '../../store/records/runRecord.ts';
import { fileTitle } from '../runs/runText.ts';

/** A case in both runs, with the positions of its repetitions in each. */
export interface PlacedCase {
  readonly compared: ComparedCase;
  readonly base: readonly CaseStats[];
  readonly head: readonly CaseStats[];
}

/** Two compared runs, updated as their records grow. */
export class ComparedRuns {
  readonly base: ComparedRun;
  readonly head: ComparedRun;
  #rows: Rows = {
    cases: [],
    table: { suites: [], tags: [], variants: [], columns: [], cases: [] },
  };
  #facts: { readonly base: RunFacts; readonly head: RunFacts } | undefined;
  #comparison: Promise<Comparison | undefined> | undefined;
  /** Aborts the statistics for outdated rows. */
  #abort = new AbortController();
  #version = '';
  #isComparing = false;
  /** Incremented when the rows change. */
  generation = 0;

  /** @param base root folders of the first run's records, by record path @param head the same for the second run */
  constructor(base: ReadonlyMap<string, string>, head: ReadonlyMap<string, string>) {
    const [before, after] = [[...base.values()], [...head.values()]];
    this.base = new ComparedRun(base, suiteNames(before, after));
    this.head = new ComparedRun(head, suiteNames(after, before));
  }

  get table(): ResultsTable {
    return this.#rows.table;
  }

  /** Facts about both runs; undefined if a file isn't a run record. */
  get facts(): { readonly base: RunFacts; readonly head: RunFacts } | undefined {
    const [base, head] = [comparedOf(this.base), comparedOf(this.head)];
    if (base && head) this.#facts ??= { base: runFactsOf(base), head: runFactsOf(head) };
    return this.#facts;
  }

  /** Descriptions of what couldn't be read, one sentence each. */
  get problems(): string[] {
    const runs = [this.base, this.head];
    const others = runs.flatMap(({ run, paths }) => (run ? [] : paths));
    const unreadable = runs.reduce((sum, one) => sum + one.unreadable, 0);
    return [
      ...others.map((path) => `${fileTitle(path)} is not a run record.`),
      ...(unreadable === 0 ? [] : [`${unreadable} of the runs' lines couldn't be read.`]),
    ];
  }

  /** Statistics of all cases, computed cooperatively; undefined without `facts`. */
  async comparison(): Promise<Comparison | undefined> {
    for (;;) {
      this.#comparison ??= this.#compareRuns();
      const own = this.#comparison;
      const found = await own;
      if (own === this.#comparison) return found;
    }
  }

  async #compareRuns(): Promise<Comparison | undefined> {
    const [base, head] = [comparedOf(this.base), comparedOf(this.head)];
    if (!base || !head) return undefined;
    const { signal } = this.#abort;
    try {
      return await runCooperatively(compareRuns(base, head, this.#rows.cases), stepsOf(signal));
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  readonly readNew = coalesce(async () => {
    await Promise.all([this.base.readNew(), this.head.readNew()]);
    await this.#compareAll();
  });

  /** Compares the cases found in both runs so far, while both are being read. */
  compareEarly(): void {
    if (this.#isComparing) return;
    const inBoth = ({ base, head }: ComparedCase) => base !== undefined && head !== undefined;
    this.#setRows(`${this.#readVersion} in both`, runSync(this.#rowsOf(inBoth)));
  }

  at(row: number): PlacedCase | undefined {
    const compared = this.#rows.cases[row];
    if (!compared) return undefined;
    const { base, head } = this.#find(compared);
    return { compared, base: base?.places ?? [], head: head?.places ?? [] };
  }

  /** The first turn that changed according to a column's assertion, or by default to any assertion. */
  turnOf({ compared: { assertions } }: PlacedCase, column: number | undefined): number | undefined {
    const shown = column === undefined ? undefined : this.table.columns[column];
    const names = assertions.map(({ name }) => name);
    const own = shown
      ? assertions.filter((_, index) => index === indexInColumn(names, shown))
      : assertions;
    return own.flatMap((one) => one.turns.worse)[0] ?? own.flatMap((one) => one.turns.better)[0];
  }

  #find(one: ComparedCase) {
    return {
      base: this.base.of({ ...one, suite: one.suiteBefore ?? one.suite }),
      head: this.head.of(one),
    };
  }

  /** @returns the row of a case, by the path of its suite; -1 if there is none */
  rowOf(identity: CaseIdentity): number {
    const keys = [this.base, this.head].map((run) =>
      caseKey({ ...identity, suite: run.nameOf(identity.suite) }),
    );
    return this.#rows.cases.findIndex(
      (one) =>
        keys.includes(caseKey(one)) ||
        (one.suiteBefore !== undefined &&
          keys.includes(caseKey({ ...one, suite: one.suiteBefore }))),
    );
  }

  /** Rows of changed cases, in order. */
  get changed(): number[] {
    return this.#rows.cases.flatMap(({ outcome }, row) => (outcome === 'unchanged' ? [] : [row]));
  }

  async #compareAll(): Promise<void> {
    const version = this.#readVersion;
    if (version === this.#version) return;
    this.#isComparing = true;
    try {
      const work = this.#rowsOf(() => true);
      this.#setRows(version, await runCooperatively(work, stepsOf()));
    } finally {
      this.#isComparing = false;
    }
  }

  /** Changes whenever records are read. */
  get #readVersion(): string {
    return `${this.base.version} ${this.head.version}`;
  }

  *#rowsOf(wanted: (one: ComparedCase) => boolean): Work<Rows> {
    const { base, head } = this;
    const all = yield* comparedCases(base.data, head.data);
    const cases = all.filter(wanted);
    const table = yield* comparedTable(cases, (one) => {
      const { base, head } = this.#find(one);
      return { ...(base && { base }), ...(head && { head }) };
    });
    return { cases, table };
  }

  #setRows(version: string, rows: Rows): void {
    this.#version = version;
    this.#rows = rows;
    this.#facts = undefined;
    this.#comparison = undefined;
    this.#abort.abort();
    this.#abort = new AbortController();
    this.generation += 1;
  }
}

interface Rows {
  readonly cases: ComparedCase[];
  readonly table: ResultsTable;
}

function comparedOf({ run, data, state }: ComparedRun): ComparableRun | undefined {
  return run && { run, data, finished: state === 'finished' };
}

/** Facts about a case, and the positions of its repetitions. */
interface StoredCase extends CaseFacts {
  readonly places: readonly CaseStats[];
}

/** One of two compared runs, updated as its records grow. */
class ComparedRun extends RunReader {
  /** Returns a suite's name, which is the same in both runs. */
  readonly nameOf: (suite: string) => string;
  data: ComparisonData;
  #cases = new Map<string, StoredCase>();
  /** Number of cases read, plus number of resets. */
  #changes = 0;
  /** Number of cases beyond the limit. */
  #omitted = 0;

  /** @param roots root folders, by record path */
  constructor(roots: ReadonlyMap<string, string>, nameOf: (suite: string) => string) {
    super(roots, {
      onReset: () => this.#reset(),
      onWholeCase: (line, stats) => this.#add(line, stats),
    });
    this.nameOf = nameOf;
    this.data = new ComparisonData(nameOf);
  }

  /** Number of lines that couldn't be read. */
  get unreadable(): number {
    const counts = this.records.map(({ problems, left }) => problems.length + left);
    return counts.reduce((sum, count) => sum + count, this.#omitted);
  }

  /** Changes whenever records are read. */
  get version(): string {
    return `${this.#changes} ${this.run !== undefined} ${this.state}`;
  }

  /** @param identity includes the suite's name */
  of(identity: CaseIdentity): StoredCase | undefined {
    return this.#cases.get(caseKey(identity));
  }

  #reset(): void {
    this.#changes += 1;
    this.#omitted = 0;
    this.#cases = new Map();
    this.data = new ComparisonData(this.nameOf);
  }

  #add(line: CaseLine, stats: CaseStats): void {
    this.#changes += 1;
    if (this.#cases.size >= LIMITS.recordCases) {
      this.#omitted += 1;
      return;
    }
    this.data.add(line);
    const key = caseKey({ ...stats, suite: this.nameOf(stats.suite) });
    const { places = [], cost = null, duration = 0 } = this.#cases.get(key) ?? {};
    this.#cases.set(key, {
      places: [...places, stats],
      tags: line.tags,
      target_variant: line.target_variant,
      cost: stats.cost === null ? cost : (cost ?? 0) + stats.cost,
      duration: duration + stats.duration,
    });
  }
}
