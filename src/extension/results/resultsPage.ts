import * as vscode from 'vscode';
import { runDuration } from '../../core/record/runRecord.ts';
import { costText, durationText } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import {
  type Results,
  type ResultsState,
  type resultsProtocol,
  resultsStateSchema,
  type ToResults,
} from '../../protocol/resultsProtocol.ts';
import { runIdOf } from '../../store/records/files.ts';
import { readNote } from '../../store/records/list.ts';
import { isSameRun, rootsOf } from '../comparison/runPair.ts';
import { createPanel, type PageActions, type PageParts, revealPage } from '../pages/webviewPage.ts';
import { fileTitle, runTitle, timeText } from '../runs/runText.ts';
import { readCases } from '../workspace.ts';
import { RunResults } from './runResults.ts';
import { TablePage } from './tablePage.ts';

/** Shows the results of a run; reuses its page if one is open. @param records absolute paths */
export function openResults(records: readonly string[], parts: PageParts): void {
  if (revealPage(ResultsPage, (page) => records.some((record) => page.isOf(record)))) return;
  new ResultsPage(createPanel('results'), { records: [...records] }, parts);
}

/** Restores a page after a reload. */
export async function restoreResults(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: PageParts,
): Promise<void> {
  const { data: state } = resultsStateSchema.safeParse(given);
  if (!state) panel.dispose();
  else if (state.base) {
    const { ComparisonPage } = await import('../comparison/comparisonPage.ts');
    new ComparisonPage(panel, { base: state.base, head: state.records }, parts);
  } else new ResultsPage(panel, state, parts);
}

class ResultsPage extends TablePage {
  records: readonly string[];
  #results: Promise<RunResults> | undefined;

  constructor(panel: vscode.WebviewPanel, { records }: ResultsState, parts: PageParts) {
    super(panel, parts);
    this.records = records;
    this.watchFiles('**/*.labels/*.jsonl', () => void this.update());
  }

  isOf(record: string): boolean {
    return this.records.some((one) => isSameRun(one, record));
  }

  #open(): Promise<RunResults> {
    this.#results ??= readResults(this.records);
    return this.#results;
  }

  protected async show(): Promise<void> {
    const results = await this.#open();
    await this.showEarly(results.readNew(), () => this.#snapshot(results, 'reading'));
    const phase = results.state === 'finished' ? 'over' : results.state;
    await this.post(await this.#snapshot(results, phase));
    const { markLabels } = await import('./markLabels.ts');
    if (await markLabels(results, readCases)) await this.post(await this.#snapshot(results, phase));
  }

  async #snapshot(results: RunResults, phase: Results['phase']): Promise<ToResults> {
    const title = await titleOf(results);
    const { table, paths: records, generation, problems, order } = results;
    this.records = records;
    // The eval file's own tab shows only its name.
    this.title = `${title} (results)`;
    const facts = factsOf(results, phase);
    // Before the run is over, a random difference could look like a result.
    const isOver = phase === 'over' || phase === 'interrupted';
    const variants = isOver && table.variants.length > 1 ? await results.variants() : undefined;
    return {
      kind: 'snapshot',
      results: {
        ...{ records, title, facts, phase, generation, problems, table, order },
        ...(variants && { variants }),
      },
    };
  }

  protected readonly actions: PageActions<typeof resultsProtocol> = {
    open: (message) => this.#openCase(message.case, message.column),
    search: async (message) => {
      const { places, executions } = await this.#open();
      await this.find(places, message, ({ cases, looked }) => ({
        cases: cases.flatMap((one) => executions[one]?.row ?? []),
        looked,
      }));
    },
    copy: async ({ cases }) => this.copy((await this.#open()).table, cases),
    compare: async () => {
      const { compareWith } = await import('../comparison/comparisonPage.ts');
      await compareWith(this.records, this.parts);
    },
    resume: () => this.parts.resume(this.records),
    export: async ({ format }) => {
      const { exportRun } = await import('./exportRun.ts');
      await exportRun(await this.#open(), format);
    },
  };

  async #openCase(index: number, column: number | undefined): Promise<void> {
    const results = await this.#open();
    const place = results.caseToOpen(index, column);
    if (!place) return;
    const { suite, id, variant, repetition, record } = place;
    const turn = await results.failingTurn(place, column);
    const { openConversation } = await import('../viewer/conversationPage.ts');
    const shown = { record, root: results.rootOf(record) };
    const uri = vscode.Uri.file(suite);
    openConversation({ uri, id, variant, repetition, turn, shown }, this.parts);
  }
}

async function readResults(records: readonly string[]): Promise<RunResults> {
  const roots = await rootsOf(records);
  return new RunResults(roots, (path) => visibleLine(vscode.workspace.asRelativePath(path)));
}

async function titleOf(results: RunResults): Promise<string> {
  const { run } = results;
  const [record = ''] = results.paths;
  if (!run) return fileTitle(record);
  const note = await readNote(results.rootOf(record), runIdOf(record));
  return runTitle({ note, run });
}

function factsOf(results: RunResults, phase: Results['phase']): string[] {
  const { run, ends, hasEnded, table } = results;
  const costs = table.cases.flatMap(({ cost }) => cost ?? []);
  const finished = ends.map((end) => end.finished).sort();
  const last = finished.at(-1);
  return [
    ...(run ? [timeText(new Date(run.started))] : []),
    ...(costs.length > 0 ? [`cost ${costText(costs.reduce((sum, one) => sum + one, 0))}`] : []),
    ...(run && last !== undefined && hasEnded ? [durationText(runDuration(run, last))] : []),
    ...(phase === 'interrupted' && !hasEnded ? ['not finished'] : []),
    ...(ends.some(({ incomplete }) => incomplete) ? ['based on incomplete records'] : []),
    ...(ends.some(({ cancelled }) => cancelled) ? ['cancelled'] : []),
    ...(ends.some(({ stopped }) => stopped) ? ['stopped at its cost limit'] : []),
    ...(run && run.judges.length > 0
      ? [`judged by ${run.judges.map((one) => visibleLine(one, 60)).join(', ')}`]
      : []),
  ];
}
