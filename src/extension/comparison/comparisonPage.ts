import * as vscode from 'vscode';
import type { Comparison } from '../../analysis/compareRuns.ts';
import { rootOfRecord } from '../../node/paths.ts';
import type { Results, resultsProtocol, ToResults } from '../../protocol/resultsProtocol.ts';
import { findingsOf } from '../../report/comparedTable.ts';
import { runIdOf } from '../../store/records/files.ts';
import type { ListedRun } from '../../store/records/list.ts';
import { createPanel, type PageActions, type PageParts, revealPage } from '../pages/webviewPage.ts';
import { activeRecords, TablePage } from '../results/tablePage.ts';
import { isListed, runText } from '../runs/runText.ts';
import { inform } from '../workspace.ts';
import type { ComparedRuns } from './comparedRuns.ts';
import { openPair } from './pairPage.ts';
import { isOfPair, pairKey, type RunPair, SharedRuns } from './runPair.ts';

/** The table that compares two runs. */
export class ComparisonPage extends TablePage {
  readonly pair: RunPair;
  /** The records change if the run is resumed. */
  records: readonly string[];
  readonly #shared: SharedRuns;
  #shows = 0;

  constructor(panel: vscode.WebviewPanel, pair: RunPair, parts: PageParts) {
    super(panel, parts);
    this.title = 'Comparison';
    this.pair = pair;
    this.records = pair.head;
    this.#shared = this.keep(new SharedRuns(pair));
  }

  isOf(record: string): boolean {
    return isOfPair(this.pair, record);
  }

  /** Shows the rows first, because the statistics take longer. */
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

  /** Posts the statistics, unless newer rows have been shown since. */
  async #compare(runs: ComparedRuns, show: number): Promise<void> {
    const comparison = await runs.comparison();
    if (show === this.#shows) await this.post(this.#snapshot(runs, 'over', comparison));
  }

  #snapshot(runs: ComparedRuns, phase: Results['phase'], comparison?: Comparison): ToResults {
    const { generation, table, base, head } = runs;
    this.records = head.paths;
    return {
      kind: 'snapshot',
      results: {
        records: head.paths,
        ...{ title: 'Comparison of two runs', phase, generation, table },
        facts: [],
        problems: phase === 'over' ? runs.problems : [],
        comparison: { base: base.paths, findings: comparison && findingsOf(comparison) },
      },
    };
  }

  protected readonly actions: Pick<
    PageActions<typeof resultsProtocol>,
    'open' | 'search' | 'copy'
  > = {
    open: async (message) => {
      const runs = await this.#shared.runs;
      const shown = runs.at(message.case);
      if (shown) openPair(this.pair, shown, runs.turnOf(shown, message.column), this.parts);
    },
    search: async (message) => {
      const runs = await this.#shared.runs;
      const { places, rows } = linesOf(runs);
      await this.find(places, { ...message, from: 0 }, ({ cases, looked }) => ({
        cases: cases.flatMap((one) => rows[one] ?? []),
        looked: Math.floor((runs.table.cases.length * looked) / Math.max(1, places.length)),
      }));
    },
    copy: async ({ cases }) => this.copy((await this.#shared.runs).table, cases),
  };
}

/** The location of each recorded line, in disk order, and its table row. */
function linesOf(runs: ComparedRuns) {
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

type Records = readonly string[];

/** Asks for another run, and compares it with the run that has these records. */
export async function compareWith(records: Records, parts: PageParts): Promise<void> {
  const other = await pickRun(await parts.runs.all(), 'Compare with…', records);
  if (other) await compare(records, other.records, parts);
}

/** @param given the run in a list row; default: the active table's run, the selected run, or one that the user picks */
export async function compareRun(given: unknown, parts: PageParts): Promise<void> {
  const { runs } = parts;
  const chosen = isListed(given) ? given.records : (activeRecords() ?? runs.focused?.records);
  const records = chosen ?? (await pickRun(await runs.all(), 'Compare a run', []))?.records;
  if (records) await compareWith(records, parts);
}

/** @param given the selected rows; default: the rows selected in the list */
export async function compareSelected(given: unknown, parts: PageParts): Promise<void> {
  const selected: readonly unknown[] = Array.isArray(given) ? given : parts.runs.selection;
  const [one, other, ...more] = selected.filter(isListed);
  if (one && other && more.length === 0) await compare(one.records, other.records, parts);
  else inform('Select two runs to compare them.');
}

/** Compares two runs, the earlier one as the base. Reuses an open page. */
async function compare(one: Records, other: Records, parts: PageParts): Promise<void> {
  const [first, second] = [await startedOf(one), await startedOf(other)];
  const pair = second < first ? { base: other, head: one } : { base: one, head: other };
  if (revealPage(ComparisonPage, (page) => pairKey(page.pair) === pairKey(pair))) return;
  new ComparisonPage(createPanel('results'), pair, parts);
}

async function startedOf([record = '']: Records): Promise<string> {
  const { readRunLine } = await import('../../store/records/runRecord.ts');
  return (await readRunLine(record, rootOfRecord(record)))?.started ?? '';
}

/** @param chosen records of the run to leave out */
async function pickRun(
  all: readonly ListedRun[],
  title: string,
  chosen: Records,
): Promise<ListedRun | undefined> {
  const ids = new Set(chosen.map(runIdOf));
  const others = all.filter(({ id }) => !ids.has(id));
  if (others.length === 0) {
    inform(ids.size === 0 ? 'There are no runs yet.' : 'There is no other run to compare with.');
    return undefined;
  }
  const items = others.map((run) => {
    const { label, detail } = runText(run);
    return { label, description: detail, run };
  });
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return picked?.run;
}
