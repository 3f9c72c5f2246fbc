import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorText } from '../../core/errors.ts';
import type { CaseRef } from '../../core/identity.ts';
import { overheardLog } from '../../core/logger.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import { SECTION, SETTINGS } from '../../protocol/settings.ts';
import type { RunEvent } from '../../runner/events.ts';
import type { ChosenSuite } from '../../runner/refusedSuites.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { Secrets } from '../secrets.ts';
import { mayRun } from '../trust.ts';
import {
  type ChosenFile,
  chooseFile,
  chosenSuites,
  knownItems,
  wantedFiles,
} from './chosenFiles.ts';
import type { Edit } from './movedLines.ts';
import type { CaseProgress } from './progress.ts';
import type { RecordedRuns } from './recordedRuns.ts';
import { RunQueue } from './runQueue.ts';
import type { RunStatus } from './runStatus.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

/** Items that are shown as waiting at once. */
const SLICE = 200;

export interface RunnerParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly secrets: Secrets;
  readonly live: LiveRuns;
  readonly recorded: RecordedRuns;
  readonly language: LanguageSupport;
  readonly status: RunStatus;
  readonly log: vscode.LogOutputChannel;
}

/** Runs what is asked for in the Testing panel, one request after the other. */
export class TestRunner {
  readonly #parts: RunnerParts;
  readonly #queue = new RunQueue();
  /** Those that ask models anew. */
  readonly #fresh = new WeakSet<vscode.TestRun>();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the run has ended. The run's own token is what the panel's Cancel stops.
   *
   * @param fresh asks models anew, also what earlier runs asked
   */
  async run(request: vscode.TestRunRequest, fresh = false): Promise<void> {
    if (!mayRun()) return;
    const { controller, tree, status, recorded } = this.#parts;
    if (!request.include) await tree.list();
    const run = controller.createTestRun(request);
    if (fresh) this.#fresh.add(run);
    // At once: reading the files takes longer than a person waits for a sign.
    const known = wantedFiles(request, this.#parts)
      .flatMap((wanted) => knownItems(wanted, request.exclude, tree))
      .map((item) => tree.firstOf(item));
    status.expect(known.length);
    await enqueue(run, known);
    await this.#queue.add(async () => {
      status.begin(known.length);
      // From here on: what was typed before stands in the files as they are read now.
      const edits: Edit[] = [];
      const listening = hearEdits(edits);
      let left: readonly vscode.TestItem[] = known;
      try {
        const chosen = await this.#choose(request, run, new Set(known));
        if (!run.token.isCancellationRequested) left = await this.#runFiles(chosen, run, edits);
      } finally {
        run.end();
        listening.dispose();
        status.end();
      }
      if (run.token.isCancellationRequested) await recorded.showAgain(left);
    });
  }

  /**
   * Reads the files; one that cannot be read keeps the others from nothing.
   *
   * @param known items that are shown as waiting already
   */
  async #choose(
    request: vscode.TestRunRequest,
    run: vscode.TestRun,
    known: ReadonlySet<vscode.TestItem>,
  ): Promise<ChosenFile[]> {
    const { tree, log } = this.#parts;
    const chosen: ChosenFile[] = [];
    for (const wanted of wantedFiles(request, this.#parts)) {
      if (run.token.isCancellationRequested) break;
      try {
        const one = await chooseFile(wanted, request.exclude, tree);
        const firsts = one.items.map((item) => tree.firstOf(item));
        await enqueue(
          run,
          firsts.filter((item) => !known.has(item)),
        );
        chosen.push(one);
      } catch (error) {
        log.error(String(error instanceof Error ? error.stack : error));
        const item = tree.find(wanted.uri);
        if (item) run.errored(item, new vscode.TestMessage(errorText(error)));
      }
    }
    return chosen;
  }

  /** @returns the executions that came to no outcome */
  async #runFiles(
    chosen: readonly ChosenFile[],
    run: vscode.TestRun,
    edits: readonly Edit[],
  ): Promise<readonly vscode.TestItem[]> {
    const { tree, status } = this.#parts;
    const [{ CaseProgress: Progress }, { reportInvalid }] = await Promise.all([
      import('./progress.ts'),
      import('./reportInvalid.ts'),
    ]);
    const invalid = new Set(chosen.flatMap((one) => reportInvalid(one, run, tree, edits)));
    status.invalid(invalid.size);
    const valid = chosen.flatMap(({ items }) => items).filter((item) => !invalid.has(item));
    const progress = new Progress(tree, run, valid, edits);
    try {
      await this.#runSuites(chosenSuites(chosen, invalid, tree), run, progress);
    } catch (error) {
      this.#parts.log.error(String(error instanceof Error ? error.stack : error));
      progress.fail(errorText(error));
    } finally {
      progress.end();
    }
    return progress.waiting;
  }

  /** Runs suites as one run; where it is refused because of some of them, the others run without these. */
  async #runSuites(
    suites: readonly ChosenSuite[],
    run: vscode.TestRun,
    progress: CaseProgress,
  ): Promise<void> {
    if (suites.length === 0) return;
    let began = false;
    try {
      await this.#runOnce(suites, run, (event) => {
        began = true;
        progress.hear(event);
      });
    } catch (error) {
      const { refusedSuites } = await import('../../runner/refusedSuites.ts');
      const refused = began ? suites : refusedSuites(error, suites);
      if (refused.length === 0 || refused.length === suites.length) throw error;
      const paths = new Set(refused.map(({ suite }) => suite.path));
      const isRefused = (item: vscode.TestItem) =>
        paths.has(this.#parts.tree.dataOf(item)?.uri.fsPath ?? '');
      progress.fail(errorText(error), isRefused);
      const others = suites.filter((one) => !refused.includes(one));
      await this.#runSuites(others, run, progress);
    }
  }

  async #runOnce(
    chosen: readonly ChosenSuite[],
    run: vscode.TestRun,
    hear: (event: RunEvent) => void,
  ): Promise<void> {
    const { live, secrets, status, language, log } = this.#parts;
    const [
      { runSuites },
      { editorModels },
      { askForHosts },
      { Scrubber },
      { visibleLog },
      { answersFolder },
    ] = await Promise.all([
      import('../../runner/run.ts'),
      import('../lm/editorModels.ts'),
      import('../allowedHosts.ts'),
      import('../../core/scrubber.ts'),
      import('../../core/presentation/visibleLog.ts'),
      import('../../store/answersFolder.ts'),
    ]);
    const suites = chosen.map(({ suite }) => suite);
    const cases = new Set(chosen.flatMap((one) => one.cases));
    const allowedHosts = await askForHosts([...cases], secrets.keys);
    const settings = settingsFor(suites.map(({ path }) => path));
    const maxCost = settings.get<number | null>(SETTINGS.maxCost, null);
    const abort = new AbortController();
    const cancelling = run.token.onCancellationRequested(() => abort.abort());
    if (run.token.isCancellationRequested) abort.abort();
    const refs: CaseRef[] = [];
    const records: string[] = [];
    const lackKeys = new Set<string>();
    try {
      const { unwritten } = await runSuites({
        suites,
        select: (_suite, one) => cases.has(one),
        concurrency: settings.get<number>(SETTINGS.concurrency, 4),
        timeout: settings.get<number>(SETTINGS.timeout, 60_000),
        forbidOnly: false,
        keepRecord: true,
        ...(maxCost !== null && { maxCost }),
        ...(settings.get<boolean>(SETTINGS.cache, true) && {
          cache: { folder: answersFolder(secrets.keys.env), fresh: this.#fresh.has(run) },
        }),
        described: { from: 'editor', ...(maxCost !== null && { max_cost: maxCost }) },
        ...secrets.keys,
        allowedHosts,
        scrubber: new Scrubber(process.env),
        editorModels,
        follow: true,
        // What concerns no case in particular, such as an endpoint that is down.
        log: visibleLog(overheardLog(log, (text) => run.appendOutput(terminalText(text)))),
        signal: abort.signal,
        onEvent: (event) => {
          if (event.kind === 'run-started') {
            refs.push(...event.cases);
            records.push(...event.records);
          } else if (event.kind === 'case-finished') language.recorded(records);
          live.hear(event);
          hear(event);
          status.hear(event);
          if (isMissingKey(event)) lackKeys.add(event.ref.suite);
        },
      });
      for (const { message } of unwritten) {
        void vscode.window.showErrorMessage(noticeText(message));
      }
    } finally {
      cancelling.dispose();
      live.end(refs);
    }
    void this.#offerKey(chosen.filter(({ suite }) => lackKeys.has(suite.path)));
  }

  /** @param suites whose cases lack a key; the first one says which */
  async #offerKey(suites: readonly ChosenSuite[]): Promise<void> {
    const [first] = suites;
    if (!first) return;
    const { tree, secrets } = this.#parts;
    const { offerKey } = await import('../lm/missingKey.ts');
    await offerKey(vscode.Uri.file(first.suite.path), first.cases, secrets, async () => {
      const items: vscode.TestItem[] = [];
      for (const { suite, cases } of suites) {
        const uri = vscode.Uri.file(suite.path);
        await tree.refresh(uri);
        const found = cases.map(({ id, variant }) => tree.find(uri, id, undefined, variant));
        items.push(...found.filter((item) => item !== undefined));
      }
      await this.run(new vscode.TestRunRequest(items));
    });
  }
}

/** Shows that items wait; of thousands in slices, which arrive one by one. */
async function enqueue(run: vscode.TestRun, items: readonly vscode.TestItem[]): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    run.enqueued(item);
  }
}

/** Of the folder that the files are in; of the workspace where they are in several folders. */
function settingsFor(paths: readonly string[]): vscode.WorkspaceConfiguration {
  const uris = paths.map((path) => vscode.Uri.file(path));
  const folders = new Set(uris.map((uri) => vscode.workspace.getWorkspaceFolder(uri)));
  return vscode.workspace.getConfiguration(SECTION, folders.size === 1 ? uris[0] : null);
}

/** @param edits grows with all that is typed from now on */
function hearEdits(edits: Edit[]): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document: { uri }, contentChanges }) => {
    for (const { range, text } of contentChanges) edits.push({ path: uri.fsPath, range, text });
  });
}

/** A judge's key is missing, or that of the model that plays the assistant. */
function isMissingKey(
  event: RunEvent,
): event is Extract<RunEvent, { kind: 'verdict' | 'case-finished' }> {
  if (event.kind === 'verdict') return event.verdict.reason === 'missing-key';
  return event.kind === 'case-finished' && (event.line.reason ?? '').startsWith('missing-key:');
}
