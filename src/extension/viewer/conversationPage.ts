import * as vscode from 'vscode';
import { stackText } from '../../core/errors.ts';
import { type CaseIdentity, caseKey, executionKey } from '../../core/identity.ts';
import type { ImageSources } from '../../core/image.ts';
import { caseTitle } from '../../core/presentation/words.ts';
import { historyText } from '../../core/record/caseHistory.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { rootOfRecord } from '../../node/paths.ts';
import { COMMANDS } from '../../protocol/names.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import {
  type conversationProtocol,
  type Snapshot,
  type ViewState,
  viewStateSchema,
} from '../../protocol/viewProtocol.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import type { CaseLocation } from '../commands/caseLocation.ts';
import { CaseLabels, isLabelFile, type LabelRequest } from '../labels/caseLabels.ts';
import { createPanel, openPages, type PageActions, type PageParts } from '../pages/webviewPage.ts';
import { readSuite } from '../workspace.ts';
import {
  type CurrentCase,
  failingCasesIn,
  messageHistoryOf,
  openVariant,
  snapshotOf,
} from './snapshot.ts';
import { SnapshotPage } from './snapshotPage.ts';

/** Milliseconds between two snapshots of a running case. */
const INTERVAL = 100;

/** The URI scheme of received conversations, which are lost on reload. */
export const RECEIVED_SCHEME = 'turnlight-received';

interface ConversationLocation extends CaseLocation {
  /** Absolute paths of a run's record and its root; default: the last run. */
  readonly shown?: Required<Pick<ViewState, 'record' | 'root'>>;
}

/** Shows a conversation; reuses its page if one is open. */
export function openConversation(location: ConversationLocation, parts: PageParts): void {
  const { uri, id, variant, repetition = 1 } = location;
  const state: ViewState = { file: uri.toString(), id, variant, repetition };
  const pages = openPages(ConversationPage);
  const page = pages.find((one) => keyOf(one.state) === keyOf(state));
  // All pages share one editor column: `Beside` would create another column if a page has the focus.
  const column = pages.at(-1)?.viewColumn ?? vscode.ViewColumn.Beside;
  const create = () => new ConversationPage(createPanel('conversation', column), state, parts);
  (page ?? create()).goTo(location);
}

/** The eval file that the focused conversation belongs to. */
export function activeConversation(): vscode.Uri | undefined {
  const active = openPages(ConversationPage).find((page) => page.active);
  return active && vscode.Uri.parse(active.state.file);
}

/** Restores a page after a reload. */
export async function restoreConversation(
  panel: vscode.WebviewPanel,
  given: unknown,
  parts: PageParts,
): Promise<void> {
  const { data: state } = viewStateSchema.safeParse(given);
  if (!state || state.file.startsWith(RECEIVED_SCHEME)) panel.dispose();
  else if (state.compared) {
    const { PairPage } = await import('../comparison/pairPage.ts');
    new PairPage(panel, { ...state, compared: state.compared }, parts);
  } else new ConversationPage(panel, state, parts);
}

function keyOf({ file, id, variant }: ViewState): string {
  return caseKey({ suite: file, id, variant });
}

class ConversationPage extends SnapshotPage {
  readonly #runs = new LatestRuns();
  readonly #labels = new CaseLabels(
    () => this.refresh(),
    (error) => this.parts.log.error(stackText(error)),
  );
  #history: { readonly key: string; readonly text: string | undefined } = {
    key: '',
    text: undefined,
  };
  #images: ImageSources | undefined;
  #opened: { readonly key: string; readonly opened: ReturnType<typeof openVariant> } | undefined;
  /** Absolute paths of the other files that were read for the case. */
  #files: ReadonlySet<string> = new Set();

  constructor(panel: vscode.WebviewPanel, state: ViewState, parts: PageParts) {
    super(panel, state, parts, INTERVAL);
    this.title = caseTitle(state);
    this.keep(
      parts.live.onDidChange((ref) => {
        if (executionKey(ref) === executionKey(this.ref)) {
          this.#followLast();
          this.refresh();
        }
      }),
    );
    const changed = (uri: vscode.Uri) => this.#fileChanged(uri);
    this.watchFiles('**/*', changed);
    this.keep(vscode.workspace.onDidSaveTextDocument(({ uri }) => changed(uri)));
    this.keep(
      parts.language.onDidRenameCase(({ suite, from, to }) => {
        if (suite !== this.#uri.fsPath || from !== this.state.id) return;
        this.state = { ...this.state, id: to };
        this.title = caseTitle(this.state);
        this.refresh();
      }),
    );
  }

  goTo({ turn, repetition = this.state.repetition, shown }: ConversationLocation): void {
    this.#opened = undefined;
    this.reveal();
    this.#followLast();
    this.state = { ...this.state, repetition, ...shown };
    this.scrollTo(turn);
    this.refresh();
  }

  /** Refreshes if the case depends on the changed file. */
  #fileChanged({ fsPath }: vscode.Uri): void {
    const file = this.#uri.fsPath;
    const isDependency = fsPath !== file && this.#files.has(fsPath);
    if (isDependency) this.#opened = undefined;
    if (isDependency || fsPath === file || isLabelFile(fsPath, file)) this.refresh();
  }

  /** Shows the last run instead of a specific record. */
  #followLast(): void {
    const { record: _record, root: _root, ...rest } = this.state;
    this.state = rest;
  }

  get #uri(): vscode.Uri {
    return vscode.Uri.parse(this.state.file);
  }

  protected get images() {
    const { record, root = record && rootOfRecord(record) } = this.state;
    return { sources: this.#images, roots: root === undefined ? [] : [root] };
  }

  protected async read(): Promise<Snapshot> {
    const uri = this.#uri;
    const state = this.state;
    const { id, variant, repetition, record, root } = state;
    const suite = await readSuite(uri);
    const live = this.parts.live.get(this.ref);
    // There are no records for files that aren't on disk.
    const isFile = uri.scheme === 'file';
    const found = isFile ? await this.#runs.find(uri.fsPath, id, { record, root, variant }) : [];
    const one = found.find(({ line }) => line.repetition === repetition) ?? found[0];
    // Another run may have started in the meantime, and its record isn't known yet.
    if (one && !isRunning(live?.phase) && this.state === state) {
      // The last run may have fewer repetitions, or may have been canceled before this one.
      this.state = { ...state, record: one.record, repetition: one.line.repetition };
    }
    const { suiteCase, missing } = await this.#caseIn(suite);
    this.#images = suiteCase?.images;
    const [{ stateAssertions }, { changeOf }] = await Promise.all([
      import('../../assertions/stateAssertions.ts'),
      import('../../evalfile/caseChanges.ts'),
    ]);
    const stated = suite.outline.find((known) => known.id === id);
    const failing = await failingCasesIn(this.#runs, this.state, this.ref);
    const ended = isRunning(live?.phase) ? undefined : one;
    const labels = isFile ? await this.#labels.read(suite, ended) : undefined;
    return snapshotOf(this.state, {
      suite,
      said: variant === undefined ? undefined : messageHistoryOf(suiteCase),
      assertions: suiteCase ? stateAssertions(suiteCase) : [],
      live,
      finished: one?.line,
      repeats: found.map(({ line }) => line),
      changed:
        missing === 'gone'
          ? missing
          : stated && one && (await changeOf(one.line, stated, missing ?? suiteCase)),
      failing,
      labels,
      history: isFile ? this.#historyOf(this.ref) : undefined,
    });
  }

  async #showFailing(step: 1 | -1): Promise<void> {
    const found = (await failingCasesIn(this.#runs, this.state, this.ref))?.neighbor(step);
    if (!found) return;
    this.#labels.reset();
    this.title = caseTitle(found);
    await this.showCase(found, found.repetition);
  }

  /** The case in the current file. Reads a variant again only if its file has changed. */
  async #caseIn({ suite, dependencies }: LoadedSuite): Promise<CurrentCase> {
    const { id, variant } = this.state;
    const found = suite?.cases.find((known) => known.id === id);
    this.#files = new Set(dependencies);
    if (variant === undefined || !found?.expand) return { suiteCase: found };
    const key = `${suite?.hash} ${id} ${variant}`;
    if (this.#opened?.key !== key) this.#opened = { key, opened: openVariant(found, variant) };
    const opened = await this.#opened.opened;
    this.#files = new Set([...dependencies, ...opened.files]);
    return opened;
  }

  /** The case's history, as far as it is known. Reloads it in the background, because it may span ten records. */
  #historyOf(identity: CaseIdentity): string | undefined {
    const key = caseKey(identity);
    if (key !== this.#history.key) this.#history = { key, text: undefined };
    this.#runs
      .history(identity.suite, identity)
      .then((found) => {
        const text = found && historyText(found);
        if (key !== this.#history.key || text === this.#history.text) return;
        this.#history = { key, text };
        this.refresh();
      })
      // The view also works without the history.
      .catch(() => {});
    return this.#history.text;
  }

  async #changeLabels(message: LabelRequest): Promise<void> {
    await this.#labels.write(message);
    await this.update();
  }

  /** Runs a command on the visible case. */
  async #execute(command: string, ...further: readonly unknown[]): Promise<void> {
    const { file, id, variant } = this.state;
    await vscode.commands.executeCommand(command, file, id, variant, ...further);
  }

  protected readonly actions: Omit<PageActions<typeof conversationProtocol>, 'show-changed'> = {
    ...this.sharedActions,
    'show-request': async ({ key }) => {
      const { showJudgeRequest } = await import('./judgeRequest.ts');
      await showJudgeRequest(this.state, key, this.viewColumn);
    },
    run: () => this.#execute(COMMANDS.runCase),
    save: () => this.#execute(COMMANDS.saveConversation, this.state.repetition),
    'judge-again': () => this.#execute(COMMANDS.judgeAgain, this.state.record),
    cancel: () => vscode.commands.executeCommand('testing.cancelRun'),
    'show-failing': ({ step }) => this.#showFailing(step),
    label: (message) => this.#changeLabels(message),
    'remove-label': (message) => this.#changeLabels(message),
    'undo-label': (message) => this.#changeLabels(message),
  };
}
