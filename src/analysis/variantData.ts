import { latenciesOf } from '../core/conversation.ts';
import type { CaseLine, RunLine } from '../core/record/runRecord.ts';
import type { Work } from '../node/cooperative.ts';
import { type Comparison, compareRuns } from './compareRuns.ts';
import {
  compareVariants,
  namesOf,
  suiteNamesOf,
  type VariantComparison,
  type VariantLine,
  variantLineOf,
  withoutTargetVariant,
} from './compareVariants.ts';
import { ComparisonData } from './comparisonData.ts';

/** A comparison of variants with its details. */
export interface VariantReport {
  readonly summary: VariantComparison;
  /** Each variant except the first, compared with the first as if they were separate runs. */
  readonly others: readonly { readonly name: string; readonly comparison: Comparison }[];
}

/** A run's cases, grouped by their target's variant, or by the suite that includes them. */
export class VariantData {
  readonly #lines: VariantLine[] = [];
  readonly #data = new Map<string, ComparisonData>();
  readonly #suites = new Map<string, ComparisonData>();
  readonly #nameOf: (suite: string) => string;

  /** @param nameOf returns, for example, a path from the root */
  constructor(nameOf: (suite: string) => string) {
    this.#nameOf = nameOf;
  }

  add(line: CaseLine): void {
    const own = variantLineOf({ ...line, latencies: latenciesOf(line.conversation) });
    if (!own) return;
    this.#lines.push(own);
    const { target_variant: target } = line;
    if (target) this.#of(namesOf(target), target.name).add(withoutTargetVariant(line));
    else this.#ofSuite(line.suite).add({ ...line, suite: line.source.path });
  }

  /** @param finished whether the run has finished */
  *compare(run: RunLine, finished: boolean): Work<VariantReport[]> {
    const reports: VariantReport[] = [];
    const suites = new Map([...suiteNamesOf(this.#lines)].map(([suite, name]) => [name, suite]));
    for (const summary of yield* compareVariants(this.#lines)) {
      const [first = '', ...names] = summary.variants.map(({ name }) => name);
      const dataOf = (name: string) =>
        this.#data.get(keyOf(summary.of, name)) ?? this.#ofSuite(suites.get(name) ?? name);
      const runOf = (name: string) => ({ run, finished, data: dataOf(name) });
      const others: VariantReport['others'][number][] = [];
      for (const name of names) {
        others.push({ name, comparison: yield* compareRuns(runOf(first), runOf(name)) });
      }
      reports.push({ summary, others });
    }
    return reports;
  }

  /** @param of names of all compared variants */
  #of(of: readonly string[], name: string): ComparisonData {
    return this.#newData(this.#data, keyOf(of, name));
  }

  /** A suite's cases from files that it includes, under the names of these files. */
  #ofSuite(suite: string): ComparisonData {
    return this.#newData(this.#suites, suite);
  }

  #newData(known: Map<string, ComparisonData>, key: string): ComparisonData {
    const data = known.get(key) ?? new ComparisonData(this.#nameOf);
    known.set(key, data);
    return data;
  }
}

function keyOf(of: readonly string[], name: string): string {
  return JSON.stringify([of, name]);
}
