import {
  type ComparableRun,
  type ComparedCase,
  type Comparison,
  comparedCases,
  compareRuns,
  type RunFacts,
  runFactsOf,
} from '../../analysis/compareRuns.ts';
import { suiteNames } from '../../analysis/comparisonData.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import { indexInColumn } from '../../core/presentation/assertionColumns.ts';
import { coalesce } from '../../core/scheduling.ts';
import { runCooperatively, runSync, stepsOf, type Work } from '../../node/cooperative.ts';
import type { ResultsTable } from '../../protocol/resultsProtocol.ts';
import { comparedTable } from '../../report/comparedTable.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { fileTitle } from '../runs/runText.ts';
import { ComparedRun } from './comparedRun.ts';

/** A case in both runs, the places of its repetitions in each. */
export interface PlacedCase {
  readonly compared: ComparedCase;
  readonly base: readonly CaseStats[];
  readonly head: readonly CaseStats[];
}

/** Two runs that are compared, as their records grow. */
export class ComparedRuns {
  readonly base: ComparedRun;
  readonly head: ComparedRun;
  #cases: ComparedCase[] = [];
  #table: ResultsTable = { suites: [], tags: [], columns: [], cases: [] };
  #facts: { readonly base: RunFacts; readonly head: RunFacts } | undefined;
  #comparison: Promise<Comparison | undefined> | undefined;
  /** Ends the work on what the numbers say of rows that are no more. */
  #others = new AbortController();
  #stamp = '';
  #isComparing = false;
  /** Raised where the rows are others. */
  generation = 0;

  /** @param base the roots of the records by their paths @param head the same of the second run */
  constructor(base: ReadonlyMap<string, string>, head: ReadonlyMap<string, string>) {
    const [before, after] = [[...base.values()], [...head.values()]];
    this.base = new ComparedRun(base, suiteNames(before, after));
    this.head = new ComparedRun(head, suiteNames(after, before));
  }

  /** A row for each case. */
  get table(): ResultsTable {
    return this.#table;
  }

  /** What the two runs are; undefined where one of the records is not that of a run. */
  get facts(): { readonly base: RunFacts; readonly head: RunFacts } | undefined {
    const [base, head] = [comparedOf(this.base), comparedOf(this.head)];
    if (base && head) this.#facts ??= { base: runFactsOf(base), head: runFactsOf(head) };
    return this.#facts;
  }

  /** What could not be read, each as a sentence. */
  get problems(): string[] {
    const runs = [this.base, this.head];
    const others = runs.flatMap(({ run, paths }) => (run ? [] : paths));
    const unread = runs.reduce((sum, one) => sum + one.unread, 0);
    return [
      ...others.map((path) => `${fileTitle(path)} is not the record of a run.`),
      ...(unread === 0 ? [] : [`${unread} of their lines could not be read.`]),
    ];
  }

  /** What the numbers say of all cases, worked out in steps; undefined where there are no `facts`. */
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
    const { signal } = this.#others;
    try {
      return await runCooperatively(compareRuns(base, head, this.#cases), stepsOf(signal));
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  /** Reads what is new. */
  readonly readNew = coalesce(async () => {
    await Promise.all([this.base.readNew(), this.head.readNew()]);
    await this.#compareAll();
  });

  /** While both are read: the cases that were found in both so far. */
  compareEarly(): void {
    if (this.#isComparing) return;
    const inBoth = ({ base, head }: ComparedCase) => base !== undefined && head !== undefined;
    this.#take(`${this.#read} in both`, runSync(this.#rowsOf(inBoth)));
  }

  at(row: number): PlacedCase | undefined {
    const compared = this.#cases[row];
    if (!compared) return undefined;
    const placesIn = (run: ComparedRun) => run.of(compared)?.places ?? [];
    return { compared, base: placesIn(this.base), head: placesIn(this.head) };
  }

  /** The first turn that the assertion in a column, or else any, says has changed. */
  turnOf({ compared: { assertions } }: PlacedCase, column: number | undefined): number | undefined {
    const shown = column === undefined ? undefined : this.#table.columns[column];
    const names = assertions.map(({ name }) => name);
    const own = shown
      ? assertions.filter((_, index) => index === indexInColumn(names, shown))
      : assertions;
    const turns = [
      ...own.flatMap(({ turns: { worse } }) => worse),
      ...own.flatMap(({ turns: { better } }) => better),
    ];
    return turns[0];
  }

  /** The row of a case, by the suite's file. @returns -1 where there is none */
  rowOf(identity: CaseIdentity): number {
    const keys = [this.base, this.head].map((run) =>
      caseKey({ ...identity, suite: run.nameOf(identity.suite) }),
    );
    return this.#cases.findIndex((one) => keys.includes(caseKey(one)));
  }

  /** The rows of cases that are not as they were, in their order. */
  get changed(): number[] {
    return this.#cases.flatMap(({ outcome }, row) => (outcome === 'unchanged' ? [] : [row]));
  }

  async #compareAll(): Promise<void> {
    const stamp = this.#read;
    if (stamp === this.#stamp) return;
    this.#isComparing = true;
    try {
      this.#take(
        stamp,
        await runCooperatively(
          this.#rowsOf(() => true),
          stepsOf(),
        ),
      );
    } finally {
      this.#isComparing = false;
    }
  }

  /** Changes with whatever is read. */
  get #read(): string {
    return `${this.base.stamp} ${this.head.stamp}`;
  }

  *#rowsOf(wanted: (one: ComparedCase) => boolean): Work<Rows> {
    const { base, head } = this;
    const all = yield* comparedCases(base.data, head.data);
    const cases = all.filter(wanted);
    const table = yield* comparedTable(cases, (one) => {
      const [then, now] = [base.of(one), head.of(one)];
      return { ...(then && { base: then }), ...(now && { head: now }) };
    });
    return { cases, table };
  }

  #take(stamp: string, { cases, table }: Rows): void {
    this.#stamp = stamp;
    this.#cases = cases;
    this.#table = table;
    this.#facts = undefined;
    this.#comparison = undefined;
    this.#others.abort();
    this.#others = new AbortController();
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
