import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { errorText, stackText } from '../../core/errors.ts';
import { costText, durationText } from '../../core/presentation/amounts.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import { visibleLine } from '../../core/presentation/visibleText.ts';
import { runDuration } from '../../core/record/runRecord.ts';
import { unreachable } from '../../core/unreachable.ts';
import { isFailure } from '../../core/verdict.ts';
import {
  type FromResults,
  fromResultsSchema,
  type Results,
  type ResultsState,
  type ToResults,
} from '../../protocol/resultsProtocol.ts';
import { isClaimed } from '../../store/claim.ts';
import { RecordReader } from '../../store/recordIndex.ts';
import { runIdOf } from '../../store/recordNames.ts';
import { readNote } from '../../store/runNotes.ts';
import { searchRecords } from '../../store/searchRecords.ts';
import { Disposing } from '../disposables.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import { runTitle, timeText } from '../runs/runText.ts';
import { showPage } from '../viewer/page.ts';
import type { ConversationLocation } from '../viewer/viewer.ts';
import { type CasePlace, RunResults, rootFor } from './runResults.ts';

/** Milliseconds between two snapshots of a run that goes on. */
const PACE = 500;

/** Milliseconds of reading after which what is known is shown. */
const EARLY = 150;

export interface ResultsParts {
  readonly extensionUri: vscode.Uri;
  readonly files: RecordFiles;
  readonly log: vscode.LogOutputChannel;
  readonly openConversation: (location: ConversationLocation) => Promise<void>;
}

/** The results of one run. It sends whole snapshots, as the conversation view does. */
export class ResultsPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: ResultsParts;
  #state: ResultsState;
  #results: Promise<RunResults> | undefined;
  #ready = false;
  #shows = 0;
  #timer: NodeJS.Timeout | undefined;
  #search = new AbortController();

  constructor(panel: vscode.WebviewPanel, state: ResultsState, parts: ResultsParts) {
    super();
    this.#panel = panel;
    this.#state = state;
    this.#parts = parts;
    this.keep(panel.webview.onDidReceiveMessage((message) => this.#receive(message)));
    this.keep(
      parts.files.onDidChange((path) => {
        if (this.isOf(path)) this.#later();
      }),
    );
    this.keep(panel);
    showPage(panel.webview, parts.extensionUri, 'results');
  }

  /** Whether a record is of the run that is shown. */
  isOf(record: string): boolean {
    const { records } = this.#state;
    const isSame = (one: string) =>
      one === record || (dirname(one) === dirname(record) && runIdOf(one) === runIdOf(record));
    return records.some(isSame);
  }

  reveal(): void {
    this.#panel.reveal(undefined, false);
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    this.#search.abort();
    super.dispose();
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send().catch((error: unknown) => this.#fail(error));
    }, PACE);
  }

  #open(): Promise<RunResults> {
    this.#results ??= openResults(this.#state.records);
    return this.#results;
  }

  /** Of a long record what is read so far is shown before all of it is. */
  async #send(): Promise<void> {
    if (!this.#ready) return;
    const results = await this.#open();
    const reading = results.readOn();
    const early = setTimeout(() => {
      this.#show(results, 'reading').catch((error: unknown) => this.#fail(error));
    }, EARLY);
    await reading.finally(() => clearTimeout(early));
    const goesOn = results.ends.length < results.runs.length && (await isRunning(results));
    await this.#show(results, goesOn ? 'running' : 'over');
  }

  async #show(results: RunResults, phase: Results['phase']): Promise<void> {
    this.#shows += 1;
    const show = this.#shows;
    const title = await titleOf(results);
    // What is known by now is shown already.
    if (show !== this.#shows) return;
    const { table, records, generation, problems } = results;
    this.#state = { ...this.#state, records };
    this.#panel.title = title;
    const facts = factsOf(results);
    await this.#post({
      kind: 'snapshot',
      results: { records, title, facts, phase, generation, problems, table },
    });
  }

  async #post(message: ToResults): Promise<boolean> {
    return this.#panel.webview.postMessage(message);
  }

  async #receive(given: unknown): Promise<void> {
    const message = fromResultsSchema.safeParse(given);
    if (!message.success) {
      this.#parts.log.warn('Ignored an invalid message from the results view.');
      return;
    }
    await this.#act(message.data).catch((error: unknown) => this.#fail(error));
  }

  async #act(message: FromResults): Promise<void> {
    switch (message.kind) {
      case 'ready':
        this.#ready = true;
        await this.#send();
        break;
      case 'open':
        await this.#openCase(message.case, message.column);
        break;
      case 'search':
        await this.#find(message.search, message.text, message.from);
        break;
      case 'copy': {
        const { resultsMarkdown } = await import('../../report/resultsMarkdown.ts');
        const { table } = await this.#open();
        await vscode.env.clipboard.writeText(resultsMarkdown(table, message.cases));
        vscode.window.setStatusBarMessage('Copied as Markdown', 3000);
        break;
      }
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
    const place = results.places[index];
    if (!place) return;
    const { suite, id, variant, repetition, record } = place;
    const name = column === undefined ? undefined : results.table.columns[column]?.name;
    const turn = name === undefined ? undefined : await failingTurn(results, place, name);
    await this.#parts.openConversation({
      uri: vscode.Uri.file(suite),
      id,
      variant,
      repetition,
      turn,
      shown: { record, root: results.rootOf(record) },
    });
  }

  async #find(search: number, text: string, from: number): Promise<void> {
    this.#search.abort();
    this.#search = new AbortController();
    const { signal } = this.#search;
    if (text.trim() === '') return;
    const { places } = await this.#open();
    const known = [...places];
    for await (const { cases, looked } of searchRecords(known, text.trim(), from, signal)) {
      if (signal.aborted) return;
      const done = looked === known.length;
      await this.#post({ kind: 'found', search, cases: [...cases], looked, done });
    }
  }

  #fail(error: unknown): void {
    this.#parts.log.error(stackText(error));
    const text = `The results view failed: ${errorText(error)}`;
    void vscode.window.showErrorMessage(noticeText(text));
  }
}

async function openResults(records: readonly string[]): Promise<RunResults> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const roots = new Map<string, string>();
  for (const record of records) roots.set(record, await rootFor(record, folders));
  return new RunResults(roots, (path) => visibleLine(vscode.workspace.asRelativePath(path)));
}

/** Whether a process still writes one of the records. */
async function isRunning(results: RunResults): Promise<boolean> {
  const claimed = results.records.map((one) => isClaimed(dirname(one), runIdOf(one)));
  return (await Promise.all(claimed)).includes(true);
}

async function titleOf(results: RunResults): Promise<string> {
  const [run] = results.runs;
  const [record = ''] = results.records;
  if (!run) return 'Results';
  const note = await readNote(results.rootOf(record), runIdOf(record));
  return runTitle({ note, run: { ...run, files: results.runs.flatMap(({ files }) => files) } });
}

function factsOf({ runs, ends, table }: RunResults): string[] {
  const [run] = runs;
  const costs = table.cases.flatMap(({ cost }) => cost ?? []);
  const finished = ends.map((end) => end.finished).sort();
  const last = finished.at(-1);
  return [
    ...(run ? [timeText(new Date(run.started))] : []),
    ...(costs.length > 0 ? [`cost ${costText(costs.reduce((sum, one) => sum + one, 0))}`] : []),
    ...(run && last !== undefined && ends.length === runs.length
      ? [durationText(runDuration(run, last))]
      : []),
    ...(ends.some(({ cancelled }) => cancelled) ? ['cancelled'] : []),
    ...(ends.some(({ stopped }) => stopped) ? ['stopped at its cost limit'] : []),
    ...(run && run.judges.length > 0
      ? [`judged by ${run.judges.map((one) => visibleLine(one, 60)).join(', ')}`]
      : []),
  ];
}

/** Where a verdict says that something went wrong; else the first turn that it speaks of. */
async function failingTurn(
  results: RunResults,
  place: CasePlace,
  name: string,
): Promise<number | undefined> {
  const reader = new RecordReader(place.record, results.rootOf(place.record));
  const line = await reader.lineAt(place);
  const verdict = line?.verdicts.find(({ assertion }) => assertion.name === name);
  return (verdict?.turns.find(isFailure) ?? verdict?.turns[0])?.turn;
}
