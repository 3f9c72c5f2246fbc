import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  compareVariants,
  type VariantLine,
  variantLineOf,
} from '../../analysis/compareVariants.ts';
import { LIMITS, readable } from '../../core/limits.ts';
import { indexInColumn, outcomeAt } from '../../core/presentation/assertionColumns.ts';
import { isFailure } from '../../core/scoring.ts';
import { runCooperatively, stepsOf } from '../../node/cooperative.ts';
import { isInDataFolder, rootOfRecord } from '../../node/paths.ts';
import type { ResultsTable, VariantTable } from '../../protocol/resultsProtocol.ts';
import { variantTable } from '../../report/findings/variantReport.ts';
import { TableBuilder, type TableExecution } from '../../report/resultsTable.ts';
import { rootAbove } from '../../store/dataFolder.ts';
import type { CaseStats, SummaryLine } from '../../store/records/parseLine.ts';
import { RunReader, readRunLine } from '../../store/records/runRecord.ts';
import { inReadingOrder } from '../testing/listedCases.ts';

/** The results of a run, updated as its records grow: a table of summaries, and the locations of the full results. */
export class RunResults extends RunReader {
  readonly #displayPath: (path: string) => string;
  #builder: TableBuilder;
  /** Executions that ran a variant of their target. */
  #varied: VariantLine[] = [];
  /** Locations of `executions`, in the same order. */
  places: CaseStats[] = [];
  /** Incremented if a record was rewritten. */
  generation = 0;

  /** @param roots root folders, by record path */
  constructor(roots: ReadonlyMap<string, string>, displayPath: (path: string) => string) {
    super(roots, {
      onReset: () => this.#reset(),
      onCase: (summary, stats) => this.#add(summary, stats),
    });
    this.#displayPath = displayPath;
    this.#builder = new TableBuilder(displayPath);
  }

  get table(): ResultsTable {
    return this.#builder.table;
  }

  /** The position of each execution in the table. */
  get executions(): readonly TableExecution[] {
    return this.#builder.executions;
  }

  /** The rows in the order of the files; in a record, they are in order of completion. */
  get order(): number[] {
    const rows = new Map(this.places.map((one, at) => [one, this.executions[at]?.row ?? 0]));
    return [...new Set(inReadingOrder(this.places).map((one) => rows.get(one) ?? 0))];
  }

  /**
   * The execution to open for a row: the first execution that failed (according to a column, if given), or else the
   * first one.
   */
  caseToOpen(row: number, column: number | undefined): CaseStats | undefined {
    const { cells = [] } = this.table.cases[row] ?? {};
    const own = this.executions.flatMap((one, index) =>
      one.row === row ? [{ ...one, index }] : [],
    );
    const failing = own.find(({ isFailure, from }, at) =>
      column === undefined ? isFailure : this.#fails(column, cells.slice(from, own[at + 1]?.from)),
    );
    const { index } = failing ?? own[0] ?? {};
    return index === undefined ? undefined : this.places[index];
  }

  /** The first turn that failed according to a column's verdict, or else the first turn that the verdict mentions. */
  async failingTurn(place: CaseStats, column: number | undefined): Promise<number | undefined> {
    const shown = column === undefined ? undefined : this.table.columns[column];
    if (!shown) return undefined;
    const { verdicts = [] } = (await this.lines([place])).get(place) ?? {};
    const names = verdicts.map(({ assertion }) => assertion.name);
    const turns = verdicts[indexInColumn(names, shown)]?.turns;
    return (turns?.find(isFailure) ?? turns?.[0])?.turn;
  }

  #fails(column: number, cells: readonly number[]): boolean {
    const outcome = outcomeAt(this.table, { cells }, column);
    return outcome !== undefined && isFailure(outcome);
  }

  /** Descriptions of what couldn't be read, one sentence each. */
  get problems(): string[] {
    const count = this.records.reduce((sum, { problems }) => sum + problems.length, 0);
    return [
      ...(this.run ? [] : ['This file is not a run record.']),
      ...(count === 0 ? [] : [`${count} of the run's lines couldn't be read.`]),
      ...(this.places.length >= LIMITS.recordCases
        ? [`Only the first ${readable(LIMITS.recordCases)} cases are shown.`]
        : []),
    ];
  }

  /** Comparisons of the targets' variants. */
  async variants(): Promise<VariantTable[]> {
    const compared = await runCooperatively(compareVariants(this.#varied), stepsOf());
    return compared.map(variantTable);
  }

  #reset(): void {
    this.generation += 1;
    this.places = [];
    this.#varied = [];
    this.#builder = new TableBuilder(this.#displayPath);
  }

  #add(summary: SummaryLine, stats: CaseStats): void {
    if (this.places.length >= LIMITS.recordCases) return;
    this.#builder.add(summary);
    const varied = variantLineOf(summary);
    if (varied) this.#varied.push(varied);
    this.places.push(stats);
  }
}

/**
 * The folder that paths in a record are relative to. For a record from elsewhere, such as from CI, this is the first
 * candidate folder that contains one of the run's eval files.
 *
 * @param folders absolute paths of candidates, such as workspace folders
 */
export async function rootFor(record: string, folders: readonly string[]): Promise<string> {
  if (isInDataFolder(record)) return rootOfRecord(record);
  const candidates = [...folders, dirname(record)].flatMap((folder) => [
    folder,
    rootAbove(folder) ?? folder,
  ]);
  for (const root of candidates) {
    const run = await readRunLine(record, root);
    if (run?.files.some(({ path }) => existsSync(path))) return root;
  }
  return dirname(record);
}
