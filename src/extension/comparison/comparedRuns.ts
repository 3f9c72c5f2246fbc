import {
  type ComparedCase,
  type Comparison,
  comparedCases,
  compareRuns,
} from '../../analysis/compareRuns.ts';
import type { Compared } from '../../analysis/differences.ts';
import { suiteNames } from '../../analysis/suiteNames.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import type { ResultsTable } from '../../protocol/resultsProtocol.ts';
import { comparedTable } from '../../report/comparedTable.ts';
import type { CasePlace } from '../results/runResults.ts';
import { ComparedRun } from './comparedRun.ts';

/** A case in both runs, the places of its repetitions in each. */
export interface PlacedCase {
  readonly compared: ComparedCase;
  readonly base: readonly CasePlace[];
  readonly head: readonly CasePlace[];
}

/** Two runs that are compared, as their records grow. */
export class ComparedRuns {
  readonly base: ComparedRun;
  readonly head: ComparedRun;
  #cases: ComparedCase[] = [];
  #table: ResultsTable = { suites: [], tags: [], columns: [], cases: [] };
  #comparison: Comparison | undefined;
  #stamp = '';
  #reading: Promise<void> | undefined;
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

  /** What the numbers say of all cases; undefined where one of the records is not that of a run. */
  get comparison(): Comparison | undefined {
    const [base, head] = [comparedOf(this.base), comparedOf(this.head)];
    if (base && head) this.#comparison ??= compareRuns(base, head, this.#cases);
    return this.#comparison;
  }

  /** Reads what is new. */
  readOn(): Promise<void> {
    this.#reading ??= Promise.all([this.base.readOn(), this.head.readOn()])
      .then(() => this.#compare(() => true))
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** While both are read: the cases that were found in both so far. */
  compareEarly(): void {
    this.#compare(({ base, head }) => base !== undefined && head !== undefined);
  }

  at(row: number): PlacedCase | undefined {
    const compared = this.#cases[row];
    if (!compared) return undefined;
    const placesIn = (run: ComparedRun) => run.of(compared)?.places ?? [];
    return { compared, base: placesIn(this.base), head: placesIn(this.head) };
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

  #compare(wanted: (one: ComparedCase) => boolean): void {
    const { base, head } = this;
    const stamp = `${base.stamp} ${head.stamp}`;
    const cases = comparedCases(base.gathered, head.gathered).filter(wanted);
    if (stamp === this.#stamp && cases.length === this.#cases.length) return;
    this.#stamp = stamp;
    this.#cases = cases;
    this.#comparison = undefined;
    this.generation += 1;
    this.#table = comparedTable(cases, (one) => {
      const [then, now] = [base.of(one), head.of(one)];
      return { ...(then && { base: then }), ...(now && { head: now }) };
    });
  }
}

function comparedOf({ run, gathered, finished }: ComparedRun): Compared | undefined {
  return run && { run, gathered, finished };
}
