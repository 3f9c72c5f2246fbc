import type { ComparedWords } from '../core/compared.ts';
import { executionTitle } from '../core/presentation/executionTitle.ts';
import { caseScoreText } from '../core/presentation/score.ts';
import type { VerdictWords } from '../core/presentation/verdictText.ts';
import type { CaseSummary } from '../core/record/caseSummary.ts';
import { type Outcome, outcomeOf } from '../core/record/outcome.ts';
import type { Verdict } from '../core/verdict.ts';
import type { ResultsCase, ResultsColumn, ResultsTable } from '../protocol/resultsProtocol.ts';

/** Of a case's line what its row shows. */
export type TabledCase = Pick<
  CaseSummary,
  | 'suite'
  | 'id'
  | 'variant'
  | 'repetition'
  | 'repetitions'
  | 'tags'
  | 'status'
  | 'score'
  | 'threshold'
  | 'reason'
  | 'usage'
  | 'duration'
> & {
  readonly verdicts: readonly (VerdictWords & {
    readonly assertion: Pick<Verdict['assertion'], 'name'>;
    readonly compared?: ComparedWords;
    readonly judge?: { readonly spread: number | null } | undefined;
  })[];
} & Pick<ResultsCase, 'compared' | 'before'>;

/** Makes the table of a run case by case, each text in it once. */
export class TableBuilder {
  readonly table: ResultsTable = { suites: [], tags: [], columns: [], cases: [] };
  readonly #suites = new Places();
  readonly #tags = new Places();
  readonly #columns = new Places();
  readonly #outcomes: Places[] = [];
  readonly #shownPath: (suite: string) => string;

  /** @param shownPath what is shown of an eval file's path */
  constructor(shownPath: (suite: string) => string) {
    this.#shownPath = shownPath;
  }

  add(line: TabledCase): void {
    const { suites, tags, cases } = this.table;
    const { status, score, reason, usage, duration, verdicts, compared, before } = line;
    const scored = caseScoreText(line);
    const occurrences = new Map<string, number>();
    cases.push({
      suite: this.#suites.of(line.suite, () => suites.push(this.#shownPath(line.suite))),
      title: executionTitle(line),
      status,
      score,
      ...(scored !== undefined && { scored }),
      ...(reason !== undefined && { reason }),
      tags: line.tags.map((tag) => this.#tags.of(tag, () => tags.push(tag))),
      cost: usage.cost,
      duration,
      cells: verdicts.flatMap((verdict) => {
        const { name } = verdict.assertion;
        const occurrence = 1 + (occurrences.get(name) ?? 0);
        occurrences.set(name, occurrence);
        const column = this.#columnOf({ name, occurrence, outcomes: [] });
        const outcome = { ...outcomeOf(verdict), compared: verdict.compared };
        return [column, this.#outcomeIn(column, outcome)];
      }),
      ...(compared && { compared }),
      ...(before && { before }),
    });
  }

  #columnOf(column: ResultsColumn): number {
    return this.#columns.of(JSON.stringify([column.name, column.occurrence]), () => {
      this.table.columns.push(column);
      this.#outcomes.push(new Places());
    });
  }

  #outcomeIn(column: number, outcome: Outcome): number {
    const { compared, ...rest } = outcome;
    const { status, score, threshold, label, reason, spread } = rest;
    const told = [status, score, threshold, label, reason, spread, compared?.spoken];
    const key = JSON.stringify(told);
    const known = this.#outcomes[column] as Places;
    return known.of(key, () =>
      this.table.columns[column]?.outcomes.push(compared ? { ...rest, compared } : rest),
    );
  }
}

/** Where each of some texts stands in a list that grows. */
class Places {
  readonly #places = new Map<string, number>();

  of(key: string, add: () => void): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    add();
    this.#places.set(key, this.#places.size);
    return this.#places.size - 1;
  }
}
