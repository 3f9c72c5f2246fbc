import { ComparisonData } from '../../analysis/comparisonData.ts';
import { type CaseIdentity, caseKey } from '../../core/identity.ts';
import { LIMITS } from '../../core/limits.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { CaseFacts } from '../../report/comparedTable.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { RunReader } from '../../store/records/runRecord.ts';

/** What is kept of a case besides what is compared. */
interface KeptCase extends CaseFacts {
  /** Of each repetition. */
  readonly places: readonly CaseStats[];
}

/** One of two runs that are compared, as its records grow. */
export class ComparedRun extends RunReader {
  /** What a suite is known by in both runs. */
  readonly nameOf: (suite: string) => string;
  #cases = new Map<string, KeptCase>();
  #data: ComparisonData;
  /** Cases that were read, and how often they were reset. */
  #changes = 0;
  /** Cases that are left out, because there are too many. */
  #left = 0;

  /** @param roots of the records, by their paths */
  constructor(roots: ReadonlyMap<string, string>, nameOf: (suite: string) => string) {
    super(roots, {
      onReset: () => this.#reset(),
      onWholeCase: (line, stats) => this.#add(line, stats),
    });
    this.nameOf = nameOf;
    this.#data = new ComparisonData(nameOf);
  }

  get data(): ComparisonData {
    return this.#data;
  }

  /** Number of lines that could not be read. */
  get unread(): number {
    const counts = this.records.map(({ problems, left }) => problems.length + left);
    return counts.reduce((sum, count) => sum + count, this.#left);
  }

  /** Changes with whatever is read. */
  get stamp(): string {
    return `${this.#changes} ${this.run !== undefined} ${this.state}`;
  }

  /** @param identity with the name of the suite */
  of(identity: CaseIdentity): KeptCase | undefined {
    return this.#cases.get(caseKey(identity));
  }

  #reset(): void {
    this.#changes += 1;
    this.#left = 0;
    this.#cases = new Map();
    this.#data = new ComparisonData(this.nameOf);
  }

  #add(line: CaseLine, stats: CaseStats): void {
    this.#changes += 1;
    if (this.#cases.size >= LIMITS.recordCases) {
      this.#left += 1;
      return;
    }
    this.#data.add(line);
    const { suite, id, variant } = stats;
    const key = caseKey({ suite: this.nameOf(suite), id, variant });
    this.#cases.set(key, withRepetition(this.#cases.get(key), stats, line.tags));
  }
}

function withRepetition(
  known: KeptCase | undefined,
  one: CaseStats,
  tags: readonly string[],
): KeptCase {
  const cost = known?.cost ?? null;
  return {
    places: [...(known?.places ?? []), one],
    tags,
    cost: one.cost === null ? cost : (cost ?? 0) + one.cost,
    duration: (known?.duration ?? 0) + one.duration,
  };
}
