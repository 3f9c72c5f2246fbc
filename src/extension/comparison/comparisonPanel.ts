import type * as vscode from 'vscode';
import type { Comparison } from '../../analysis/compareRuns.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { Results, ResultsState } from '../../protocol/resultsProtocol.ts';
import { findingsOf } from '../../report/comparedTable.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import type { FoundCases } from '../../store/records/search.ts';
import { Disposing } from '../disposables.ts';
import { type TableActions, TablePage, type TablePageParts } from '../results/tablePage.ts';
import type { ComparedRuns, PlacedCase } from './comparedRuns.ts';
import { isOfPair, type RunPair } from './runPair.ts';

/** Milliseconds of reading after which what is known is shown. */
const EARLY = 150;

export interface ComparisonParts extends TablePageParts {
  readonly openPair: (pair: RunPair, shown: PlacedCase, turn: number | undefined) => void;
}

/** The table of two runs. It sends whole snapshots, as the results of one run do. */
export class ComparisonPanel extends Disposing {
  readonly pair: RunPair;
  /** Of the second run, absolute; others once it was continued. */
  records: readonly string[];
  readonly #page: TablePage;
  readonly #parts: ComparisonParts;
  readonly #runs: Promise<ComparedRuns>;
  #shows = 0;

  constructor(
    panel: vscode.WebviewPanel,
    { records, base = records }: ResultsState,
    runs: Promise<ComparedRuns>,
    parts: ComparisonParts,
  ) {
    super();
    this.pair = { base, head: records };
    this.records = records;
    this.#parts = parts;
    this.#runs = runs;
    this.#page = this.keep(
      new TablePage(panel, parts, {
        isOf: (path) => isOfPair(this.pair, path),
        send: () => this.#send(),
        act: (message) => this.#act(message),
      }),
    );
  }

  get active(): boolean {
    return this.#page.active;
  }

  reveal(): void {
    this.#page.reveal();
  }

  /** Rows come before what the numbers say of them, which takes longer to work out. */
  async #send(): Promise<void> {
    const runs = await this.#runs;
    this.#shows += 1;
    const show = this.#shows;
    const early = setTimeout(() => {
      runs.compareEarly();
      this.#show(runs, 'reading').catch((error: unknown) => this.#page.fail(error));
    }, EARLY);
    await runs.readNew().finally(() => clearTimeout(early));
    if (show !== this.#shows) return;
    await this.#show(runs, 'reading');
    const comparison = await runs.comparison();
    if (show === this.#shows) await this.#show(runs, 'over', comparison);
  }

  async #show(runs: ComparedRuns, phase: Results['phase'], comparison?: Comparison): Promise<void> {
    const { generation, table, base, head } = runs;
    this.records = head.paths;
    const title = 'Comparison of two runs';
    this.#page.title = 'Comparison';
    await this.#page.post({
      kind: 'snapshot',
      results: {
        records: head.paths,
        ...{ title, phase, generation, table },
        facts: [],
        problems: phase === 'over' ? runs.problems : [],
        comparison: {
          base: base.paths,
          ...(comparison && { findings: findingsOf(comparison) }),
        },
      },
    });
  }

  async #act(message: Parameters<TableActions['act']>[0]): Promise<void> {
    const runs = await this.#runs;
    switch (message.kind) {
      case 'open': {
        const shown = runs.at(message.case);
        if (shown) this.#parts.openPair(this.pair, shown, runs.turnOf(shown, message.column));
        break;
      }
      case 'search': {
        const { places, rows } = linesOf(runs);
        const told = ({ cases, looked }: FoundCases) => ({
          cases: cases.flatMap((one) => rows[one] ?? []),
          looked: Math.floor((runs.table.cases.length * looked) / Math.max(1, places.length)),
        });
        await this.#page.find(places, { ...message, from: 0 }, told);
        break;
      }
      case 'copy':
        await this.#page.copy(runs.table, message.cases);
        break;
      case 'compare':
      case 'resume':
      case 'export':
        break;
      default:
        unreachable(message);
    }
  }
}

/** The lines of all cases in the order in which they stand on the disk, and the row of each. */
function linesOf(runs: ComparedRuns): {
  readonly places: readonly CaseStats[];
  readonly rows: readonly number[];
} {
  const all = runs.table.cases.flatMap((_, row) => {
    const { base = [], head = [] } = runs.at(row) ?? {};
    return [...base, ...head].map((place) => ({ place, row }));
  });
  const records = [...new Set(all.map(({ place }) => place.record))];
  const order = new Map(records.map((record, index) => [record, index]));
  all.sort(
    ({ place: a }, { place: b }) =>
      (order.get(a.record) ?? 0) - (order.get(b.record) ?? 0) || a.offset - b.offset,
  );
  return { places: all.map(({ place }) => place), rows: all.map(({ row }) => row) };
}
