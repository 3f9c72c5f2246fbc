import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { costText, durationText } from '../../core/presentation/amounts.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { runDuration } from '../../core/record/runRecord.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { Results, ResultsState } from '../../protocol/resultsProtocol.ts';
import { runIdOf } from '../../store/records/files.ts';
import type { FoundCases } from '../../store/records/search.ts';
import { readNote } from '../../store/runNotes.ts';
import { Disposing } from '../disposables.ts';
import { fileTitle, runTitle, timeText } from '../runs/runText.ts';
import type { ConversationLocation } from '../viewer/viewer.ts';
import { RunResults, rootFor } from './runResults.ts';
import { type TableActions, TablePage, type TablePageParts } from './tablePage.ts';

/** Milliseconds of reading after which what is known is shown. */
const EARLY = 150;

export interface ResultsParts extends TablePageParts {
  readonly openConversation: (location: ConversationLocation) => Promise<void>;
  /** Asks for a run, and compares the one in these records with it. */
  readonly compareWith: (records: readonly string[]) => Promise<void>;
  /** Runs the cases that the run in these records didn't finish. */
  readonly resume: (records: readonly string[]) => Promise<void>;
}

/** The results of one run. It sends whole snapshots, as the conversation view does. */
export class ResultsPanel extends Disposing {
  readonly #page: TablePage;
  readonly #parts: ResultsParts;
  #state: ResultsState;
  #results: Promise<RunResults> | undefined;
  #shows = 0;

  constructor(panel: vscode.WebviewPanel, state: ResultsState, parts: ResultsParts) {
    super();
    this.#state = state;
    this.#parts = parts;
    this.#page = this.keep(
      new TablePage(panel, parts, {
        isOf: (path) => this.isOf(path),
        send: () => this.#send(),
        act: (message) => this.#act(message),
      }),
    );
    const labels = this.keep(vscode.workspace.createFileSystemWatcher('**/*.labels/*.jsonl'));
    const mark = () => void this.#send().catch((error: unknown) => this.#page.fail(error));
    this.keep(labels.onDidCreate(mark));
    this.keep(labels.onDidChange(mark));
    this.keep(labels.onDidDelete(mark));
  }

  get active(): boolean {
    return this.#page.active;
  }

  /** Absolute. */
  get records(): readonly string[] {
    return this.#state.records;
  }

  /** Whether a record is of the run that is shown. */
  isOf(record: string): boolean {
    return this.#state.records.some((one) => isSameRun(one, record));
  }

  reveal(): void {
    this.#page.reveal();
  }

  #open(): Promise<RunResults> {
    this.#results ??= openResults(this.#state.records);
    return this.#results;
  }

  /** Of a long record what is read so far is shown before all of it is. */
  async #send(): Promise<void> {
    const results = await this.#open();
    const reading = results.readNew();
    const early = setTimeout(() => {
      this.#show(results, 'reading').catch((error: unknown) => this.#page.fail(error));
    }, EARLY);
    await reading.finally(() => clearTimeout(early));
    const phase = results.state === 'finished' ? 'over' : results.state;
    await this.#show(results, phase);
    const { markLabels } = await import('./markLabels.ts');
    if (await markLabels(results)) await this.#show(results, phase);
  }

  async #show(results: RunResults, phase: Results['phase']): Promise<void> {
    this.#shows += 1;
    const show = this.#shows;
    const title = await titleOf(results);
    // What is known by now is shown already.
    if (show !== this.#shows) return;
    const { table, paths: records, generation, problems, order } = results;
    this.#state = { ...this.#state, records };
    // The tab of the eval file has its name alone.
    this.#page.title = `${title} (results)`;
    const facts = factsOf(results, phase);
    await this.#page.post({
      kind: 'snapshot',
      results: { records, title, facts, phase, generation, problems, table, order },
    });
  }

  async #act(message: Parameters<TableActions['act']>[0]): Promise<void> {
    switch (message.kind) {
      case 'open':
        await this.#openCase(message.case, message.column);
        break;
      case 'search': {
        const { places, executions } = await this.#open();
        const told = ({ cases, looked }: FoundCases) => ({
          cases: cases.flatMap((one) => executions[one]?.row ?? []),
          looked,
        });
        await this.#page.find([...places], message, told);
        break;
      }
      case 'copy':
        await this.#page.copy((await this.#open()).table, message.cases);
        break;
      case 'compare':
        await this.#parts.compareWith(this.records);
        break;
      case 'resume':
        await this.#parts.resume(this.records);
        break;
      case 'export': {
        const { exportRun } = await import('./exportRun.ts');
        await exportRun(await this.#open(), message.format);
        break;
      }
      default:
        unreachable(message);
    }
  }

  async #openCase(index: number, column: number | undefined): Promise<void> {
    const results = await this.#open();
    const place = results.opening(index, column);
    if (!place) return;
    const { suite, id, variant, repetition, record } = place;
    const turn = await results.failingTurn(place, column);
    await this.#parts.openConversation({
      uri: vscode.Uri.file(suite),
      id,
      variant,
      repetition,
      turn,
      shown: { record, root: results.rootOf(record) },
    });
  }
}

async function openResults(records: readonly string[]): Promise<RunResults> {
  const roots = await rootsOf(records);
  return new RunResults(roots, (path) => visibleLine(vscode.workspace.asRelativePath(path)));
}

/** What the paths of these records start from, by the records. */
export async function rootsOf(records: readonly string[]): Promise<Map<string, string>> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const roots = new Map<string, string>();
  for (const record of records) roots.set(record, await rootFor(record, folders));
  return roots;
}

/** Whether two records are of one run at one root: one that is continued gets another name. */
export function isSameRun(one: string, other: string): boolean {
  return one === other || (dirname(one) === dirname(other) && runIdOf(one) === runIdOf(other));
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
    ...(ends.some(({ cancelled }) => cancelled) ? ['cancelled'] : []),
    ...(ends.some(({ stopped }) => stopped) ? ['stopped at its cost limit'] : []),
    ...(run && run.judges.length > 0
      ? [`judged by ${run.judges.map((one) => visibleLine(one, 60)).join(', ')}`]
      : []),
  ];
}
