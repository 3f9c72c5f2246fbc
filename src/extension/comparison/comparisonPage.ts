import type * as vscode from 'vscode';
import type { Comparison } from '../../analysis/compareRuns.ts';
import { unreachable } from '../../core/errors.ts';
import type { Results, resultsProtocol, ToResults } from '../../protocol/resultsProtocol.ts';
import { findingsOf } from '../../report/comparedTable.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import type { FoundCases } from '../../store/records/search.ts';
import { createPanel, type PageAction, type PageParts, revealPage } from '../pages/webviewPage.ts';
import { TablePage } from '../results/tablePage.ts';
import type { ComparedRuns } from './comparedRuns.ts';
import { openPair } from './pairPage.ts';
import { isOfPair, pairKey, type RunPair, SharedRuns } from './runPair.ts';

/** Compares two runs, in the page that is open if there is one. */
export function openComparison(pair: RunPair, parts: PageParts): void {
  if (revealPage(ComparisonPage, (page) => pairKey(page.pair) === pairKey(pair))) return;
  new ComparisonPage(createPanel('results', 'Comparison'), pair, parts);
}

/** The table of two runs. */
export class ComparisonPage extends TablePage {
  readonly pair: RunPair;
  /** Others once the run was continued. */
  records: readonly string[];
  readonly #parts: PageParts;
  readonly #shared: SharedRuns;
  #shows = 0;

  constructor(panel: vscode.WebviewPanel, pair: RunPair, parts: PageParts) {
    super(panel, parts);
    this.pair = pair;
    this.records = pair.head;
    this.#parts = parts;
    this.#shared = this.keep(new SharedRuns(pair));
  }

  isOf(record: string): boolean {
    return isOfPair(this.pair, record);
  }

  /** Rows come before what the numbers say of them, which takes longer to work out. */
  protected async show(): Promise<void> {
    const runs = await this.#shared.runs;
    this.#shows += 1;
    await this.showEarly(runs.readNew(), async () => {
      runs.compareEarly();
      return this.#snapshot(runs, 'reading');
    });
    await this.post(this.#snapshot(runs, 'reading'));
    this.#compare(runs, this.#shows).catch((error: unknown) => this.report(error));
  }

  /** Rows that are read meanwhile are shown at once. */
  async #compare(runs: ComparedRuns, show: number): Promise<void> {
    const comparison = await runs.comparison();
    if (show === this.#shows) await this.post(this.#snapshot(runs, 'over', comparison));
  }

  #snapshot(runs: ComparedRuns, phase: Results['phase'], comparison?: Comparison): ToResults {
    const { generation, table, base, head } = runs;
    this.records = head.paths;
    this.title = 'Comparison';
    return {
      kind: 'snapshot',
      results: {
        records: head.paths,
        ...{ title: 'Comparison of two runs', phase, generation, table },
        facts: [],
        problems: phase === 'over' ? runs.problems : [],
        comparison: {
          base: base.paths,
          ...(comparison && { findings: findingsOf(comparison) }),
        },
      },
    };
  }

  protected async act(message: PageAction<typeof resultsProtocol>): Promise<void> {
    const runs = await this.#shared.runs;
    switch (message.kind) {
      case 'open': {
        const shown = runs.at(message.case);
        if (shown) openPair(this.pair, shown, runs.turnOf(shown, message.column), this.#parts);
        break;
      }
      case 'search': {
        const { places, rows } = linesOf(runs);
        const told = ({ cases, looked }: FoundCases) => ({
          cases: cases.flatMap((one) => rows[one] ?? []),
          looked: Math.floor((runs.table.cases.length * looked) / Math.max(1, places.length)),
        });
        await this.find(places, { ...message, from: 0 }, told);
        break;
      }
      case 'copy':
        await this.copy(runs.table, message.cases);
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
