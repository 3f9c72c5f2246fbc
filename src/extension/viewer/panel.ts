import * as vscode from 'vscode';
import { stackText } from '../../core/errors.ts';
import { type CaseRef, executionKey } from '../../core/identity.ts';
import { caseTitle } from '../../core/presentation/executionTitle.ts';
import { Throttle } from '../../core/throttle.ts';
import { unreachable } from '../../core/unreachable.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { isRunning } from '../../protocol/running.ts';
import { COMMANDS } from '../../protocol/serverProtocol.ts';
import {
  type FromView,
  fromViewSchema,
  type Snapshot,
  type ViewState,
} from '../../protocol/viewProtocol.ts';
import { LatestRuns } from '../../store/latest.ts';
import { Disposing } from '../disposables.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import { receive } from '../pageMessages.ts';
import { readSuite } from '../suites.ts';
import { CaseLabels, isLabelFile } from './caseLabels.ts';
import { failingIn } from './failingIn.ts';
import { openPlace } from './openPlace.ts';
import { showPage } from './page.ts';
import type { Showing } from './showing.ts';
import { openVariant, type ShownCase, saidBefore } from './shownCase.ts';
import { ShownHistory } from './shownHistory.ts';
import { snapshotOf } from './snapshot.ts';
import { SnapshotSender } from './snapshotSender.ts';

/** Milliseconds between two snapshots of a case that runs. */
const PACE = 100;

export interface PanelParts {
  readonly extensionUri: vscode.Uri;
  readonly live: LiveRuns;
  readonly language: LanguageSupport;
  readonly log: vscode.LogOutputChannel;
}

/** One conversation view. It sends whole snapshots, so a view that was hidden is right again with the next. */
export class ConversationPanel extends Disposing {
  readonly #panel: vscode.WebviewPanel;
  readonly #parts: PanelParts;
  readonly #runs = new LatestRuns();
  readonly #labels = new CaseLabels(
    () => this.#throttle.schedule(),
    (error) => this.#parts.log.error(stackText(error)),
  );
  readonly #history = new ShownHistory(this.#runs, () => this.#throttle.schedule());
  #state: ViewState;
  #opened: { readonly key: string; readonly opened: ReturnType<typeof openVariant> } | undefined;
  /** What the case was read from besides its file, absolute. */
  #files: ReadonlySet<string> = new Set();
  readonly #sender: SnapshotSender;
  readonly #throttle = this.keep(new Throttle(PACE, () => void this.#sender.send()));

  constructor(panel: vscode.WebviewPanel, state: ViewState, parts: PanelParts) {
    super();
    this.#panel = panel;
    this.#state = state;
    this.#parts = parts;
    this.#sender = new SnapshotSender(panel.webview, parts.log, () => this.#read());
    panel.title = caseTitle(state);
    const { webview } = panel;
    const page = { name: 'conversation view', log: parts.log };
    this.keep(receive(webview, page, fromViewSchema, (message) => this.#act(message)));
    this.keep(
      parts.live.onDidChange((ref) => {
        if (executionKey(ref) === executionKey(this.#ref)) {
          this.#followLast();
          this.#throttle.schedule();
        }
      }),
    );
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher('**/*'));
    const hear = (uri: vscode.Uri) => this.#fileChanged(uri);
    this.keep(watcher.onDidCreate(hear));
    this.keep(watcher.onDidChange(hear));
    this.keep(watcher.onDidDelete(hear));
    this.keep(vscode.workspace.onDidSaveTextDocument(({ uri }) => hear(uri)));
    this.keep(
      parts.language.onDidRenameCase(({ suite, from, to }) => {
        if (suite === this.#uri.fsPath && from === this.#state.id) this.#follow(to);
      }),
    );
    this.keep(panel);
    showPage(webview, parts.extensionUri, 'conversation');
  }

  get state(): ViewState {
    return this.#state;
  }

  get active(): boolean {
    return this.#panel.active;
  }

  get viewColumn(): vscode.ViewColumn | undefined {
    return this.#panel.viewColumn;
  }

  show({ turn, repetition = this.#state.repetition, shown }: Showing): void {
    this.#opened = undefined;
    this.#panel.reveal(undefined, false);
    this.#followLast();
    this.#state = { ...this.#state, repetition, ...shown };
    this.#sender.reveal(turn);
    this.#throttle.schedule();
  }

  #follow(id: string): void {
    this.#state = { ...this.#state, id };
    this.#panel.title = caseTitle(this.#state);
    this.#throttle.schedule();
  }

  /** What the case is made of has changed: it is read again. */
  #fileChanged({ fsPath }: vscode.Uri): void {
    const isRead = this.#files.has(fsPath);
    if (isRead && fsPath !== this.#uri.fsPath) this.#opened = undefined;
    if (fsPath !== this.#uri.fsPath && !isRead && !isLabelFile(fsPath, this.#uri.fsPath)) return;
    this.#throttle.schedule();
  }

  /** The last run is what is shown, whatever record was. */
  #followLast(): void {
    const { record: _record, root: _root, ...rest } = this.#state;
    this.#state = rest;
  }

  get #uri(): vscode.Uri {
    return vscode.Uri.parse(this.#state.file);
  }

  get #ref(): CaseRef {
    const { id, variant, repetition } = this.#state;
    return { suite: this.#uri.fsPath, id, variant, repetition };
  }

  async #read(): Promise<Snapshot> {
    const uri = this.#uri;
    const state = this.#state;
    const { id, variant, repetition, record, root } = state;
    const suite = await readSuite(uri);
    const live = this.#parts.live.get(this.#ref);
    // What is not on the disk has no records.
    const isFile = uri.scheme === 'file';
    const found = isFile ? await this.#runs.find(uri.fsPath, id, { record, root, variant }) : [];
    const one = found.find(({ line }) => line.repetition === repetition) ?? found[0];
    // Another run may have begun meanwhile, whose record is not known yet.
    if (one && !isRunning(live?.phase) && this.#state === state) {
      // The last run may have had fewer repetitions, or been cancelled before this one.
      const shown = { record: one.record, repetition: one.line.repetition };
      this.#state = { ...this.#state, ...shown };
    }
    const { suiteCase, lacks } = await this.#caseIn(suite);
    const [{ stateAssertions }, { changeOf }] = await Promise.all([
      import('../../assertions/stateAssertions.ts'),
      import('../../evalfile/caseChanges.ts'),
    ]);
    const stated = suite.outline.find((known) => known.id === id);
    const failing = await failingIn(this.#runs, this.#state, this.#ref);
    const ended = isRunning(live?.phase) ? undefined : one;
    const labels = isFile ? await this.#labels.read(uri.fsPath, ended) : undefined;
    return snapshotOf(this.#state, {
      suite,
      said: variant === undefined ? undefined : saidBefore(suiteCase),
      assertions: suiteCase ? stateAssertions(suiteCase) : [],
      live,
      finished: one?.line,
      repeats: found.map(({ line }) => line),
      changed:
        lacks === 'gone'
          ? lacks
          : stated && one && (await changeOf(one.line, stated, lacks ?? suiteCase)),
      failing,
      labels,
      history: isFile ? this.#history.of(this.#ref) : undefined,
    });
  }

  async #showFailing(step: 1 | -1): Promise<void> {
    const found = (await failingIn(this.#runs, this.#state, this.#ref))?.beside(step);
    if (!found) return;
    this.#labels.forget();
    const { variant: _, ...rest } = this.#state;
    const { suite, id, variant, repetition } = found;
    const file = vscode.Uri.file(suite).toString();
    this.#state = { ...rest, file, id, repetition, ...(variant !== undefined && { variant }) };
    this.#panel.title = caseTitle(this.#state);
    this.#sender.reveal(undefined);
    await this.#sender.send();
  }

  /** The case as the file has it now; a variant is read once for each text. */
  async #caseIn({ suite, dependencies }: LoadedSuite): Promise<ShownCase> {
    const { id, variant } = this.#state;
    const found = suite?.cases.find((known) => known.id === id);
    this.#files = new Set(dependencies);
    if (variant === undefined || !found?.expand) return { suiteCase: found };
    const key = `${suite?.hash} ${id} ${variant}`;
    if (this.#opened?.key !== key) this.#opened = { key, opened: openVariant(found, variant) };
    const opened = await this.#opened.opened;
    this.#files = new Set([...dependencies, ...opened.files]);
    return opened;
  }

  async #act(message: FromView): Promise<void> {
    const { file, id, variant, repetition, record } = this.#state;
    const { runCase, saveConversation, judgeAgain } = COMMANDS;
    switch (message.kind) {
      case 'ready':
        await this.#sender.ready();
        break;
      case 'open-turn':
      case 'open-assertion':
      case 'open-fault':
        if (this.#sender.last) await openPlace(message, this.#sender.last);
        break;
      case 'show-request': {
        const { showJudgeRequest } = await import('./judgeRequest.ts');
        await showJudgeRequest(this.#state, message.key, this.viewColumn);
        break;
      }
      case 'run':
        await vscode.commands.executeCommand(runCase, file, id, variant);
        break;
      case 'save':
        await vscode.commands.executeCommand(saveConversation, file, id, variant, repetition);
        break;
      case 'judge-again':
        await vscode.commands.executeCommand(judgeAgain, file, id, variant, record);
        break;
      case 'cancel':
        await vscode.commands.executeCommand('testing.cancelRun');
        break;
      case 'show-repetition':
        this.#state = { ...this.#state, repetition: message.repetition };
        await this.#sender.send();
        break;
      case 'show-changed':
        break;
      case 'show-failing':
        await this.#showFailing(message.step);
        break;
      case 'label':
      case 'remove-label':
      case 'undo-label':
        await this.#labels.write(message);
        await this.#sender.send();
        break;
      default:
        unreachable(message);
    }
  }
}
