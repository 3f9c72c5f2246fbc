import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorText, stackText } from '../../core/errors.ts';
import type { CaseRef } from '../../core/identity.ts';
import { teeLog } from '../../core/logger.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import type { RunEvent } from '../../runner/events.ts';
import type { ChosenSuite } from '../../runner/plan.ts';
import type { RunOptions } from '../../runner/runOptions.ts';
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

export interface RunWishes {
  /** Asks models anew, also what earlier runs asked. */
  readonly fresh?: boolean;
  /** Attaches the debugger to the functions of the user's. */
  readonly debugged?: boolean;
  /** Goes on with a run, or judges what it said. */
  readonly back?: Pick<RunOptions, 'resume' | 'judgeAgain'>;
  /** Stops the run, because another one takes its place. */
  readonly stale?: AbortSignal;
}

/** A run that goes on. */
interface Going {
  readonly run: vscode.TestRun;
  readonly fresh: boolean;
  readonly debugged: boolean;
  readonly back: RunWishes['back'];
  readonly signal: AbortSignal;
  /** Made since the files were read; grows. */
  readonly edits: readonly Edit[];
}

/** Runs what is asked for in the Testing panel, one request after the other. */
export class TestRunner {
  readonly #parts: RunnerParts;
  readonly #queue = new RunQueue();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /**
   * Resolves when the run has ended. The run's own token is what the panel's Cancel stops.
   *
   * @returns the executions that came to no outcome
   */
  async run(
    request: vscode.TestRunRequest,
    { fresh = false, debugged = false, back, stale }: RunWishes = {},
  ): Promise<readonly vscode.TestItem[]> {
    if (!mayRun()) return [];
    const { controller, tree, status, recorded } = this.#parts;
    if (!request.include) await tree.list();
    const run = controller.createTestRun(request);
    const abort = new AbortController();
    const cancelling = run.token.onCancellationRequested(() => abort.abort());
    stale?.addEventListener('abort', () => abort.abort());
    // At once: reading the files takes longer than a person waits for a sign.
    const known = wantedFiles(request, this.#parts)
      .flatMap((wanted) => knownItems(wanted, request.exclude, tree))
      .map((item) => tree.firstOf(item));
    status.expect(known.length);
    await enqueue(run, known);
    let left: readonly vscode.TestItem[] = known;
    await this.#queue.add(async () => {
      status.begin(known.length);
      // From here on: what was typed before stands in the files as they are read now.
      const edits: Edit[] = [];
      const listening = hearEdits(edits);
      const going = { run, fresh, debugged, back, signal: abort.signal, edits };
      try {
        const chosen = await this.#choose(request, going, new Set(known));
        if (!abort.signal.aborted) left = await this.#runFiles(chosen, going);
      } finally {
        run.end();
        listening.dispose();
        cancelling.dispose();
        status.end();
      }
      if (run.token.isCancellationRequested) await recorded.showAgain(left);
    });
    return left;
  }

  /**
   * Reads the files; one that cannot be read keeps the others from nothing.
   *
   * @param known items that are shown as waiting already
   */
  async #choose(
    request: vscode.TestRunRequest,
    { run, signal }: Going,
    known: ReadonlySet<vscode.TestItem>,
  ): Promise<ChosenFile[]> {
    const { tree, log } = this.#parts;
    const chosen: ChosenFile[] = [];
    for (const wanted of wantedFiles(request, this.#parts)) {
      if (signal.aborted) break;
      try {
        const one = await chooseFile(wanted, request.exclude, tree);
        const firsts = one.items.map((item) => tree.firstOf(item));
        await enqueue(
          run,
          firsts.filter((item) => !known.has(item)),
        );
        chosen.push(one);
      } catch (error) {
        log.error(stackText(error));
        const item = tree.find(wanted.uri);
        if (item) run.errored(item, new vscode.TestMessage(errorText(error)));
      }
    }
    return chosen;
  }

  /** @returns the executions that came to no outcome */
  async #runFiles(
    chosen: readonly ChosenFile[],
    going: Going,
  ): Promise<readonly vscode.TestItem[]> {
    const { tree, status } = this.#parts;
    const { run, edits } = going;
    const [{ CaseProgress: Progress }, { reportInvalid }] = await Promise.all([
      import('./progress.ts'),
      import('./messages.ts'),
    ]);
    const invalid = new Set(chosen.flatMap((one) => reportInvalid(one, run, tree, edits)));
    status.invalid(invalid.size);
    const valid = chosen.flatMap(({ items }) => items).filter((item) => !invalid.has(item));
    const progress = new Progress(tree, run, valid, edits);
    try {
      await this.#runSuites(chosenSuites(chosen, invalid, tree), going, progress);
    } catch (error) {
      this.#parts.log.error(stackText(error));
      progress.fail(errorText(error));
    } finally {
      progress.end();
    }
    return progress.waiting;
  }

  /** Runs suites as one run; where it is refused because of some of them, the others run without these. */
  async #runSuites(
    suites: readonly ChosenSuite[],
    going: Going,
    progress: CaseProgress,
  ): Promise<void> {
    if (suites.length === 0) return;
    let began = false;
    try {
      await this.#runOnce(suites, going, (event) => {
        began = true;
        progress.hear(event);
      });
    } catch (error) {
      const { refusedSuites } = await import('../../runner/plan.ts');
      const refused = began ? suites : refusedSuites(error, suites);
      if (refused.length === 0 || refused.length === suites.length) throw error;
      const paths = new Set(refused.map(({ suite }) => suite.path));
      const isRefused = (item: vscode.TestItem) =>
        paths.has(this.#parts.tree.dataOf(item)?.uri.fsPath ?? '');
      progress.fail(errorText(error), isRefused);
      const others = suites.filter((one) => !refused.includes(one));
      await this.#runSuites(others, going, progress);
    }
  }

  async #runOnce(
    chosen: readonly ChosenSuite[],
    { run, signal, fresh, debugged, back }: Going,
    hear: (event: RunEvent) => void,
  ): Promise<void> {
    const { live, secrets, status, language, log } = this.#parts;
    const [
      { runSuites },
      { editorModels },
      { askForHosts },
      { Scrubber },
      { visibleLog },
      { runSettings },
    ] = await Promise.all([
      import('../../runner/run.ts'),
      import('../lm/editorModels.ts'),
      import('../allowedHosts.ts'),
      import('../../core/scrubber.ts'),
      import('../../core/logger.ts'),
      import('./runSettings.ts'),
    ]);
    const suites = chosen.map(({ suite }) => suite);
    const cases = new Set(chosen.flatMap((one) => one.cases));
    const allowedHosts = await askForHosts([...cases], secrets.keys);
    const refs: CaseRef[] = [];
    const records: string[] = [];
    const lackKeys = new Set<string>();
    try {
      const { writeErrors: unwritten } = await runSuites({
        suites,
        select: (_suite, one) => cases.has(one),
        forbidOnly: false,
        keepRecord: true,
        ...back,
        ...runSettings(suites, secrets.keys.env, { fresh, debugged }),
        ...secrets.keys,
        allowedHosts,
        scrubber: new Scrubber(process.env),
        editorModels,
        follow: true,
        // What concerns no case in particular, such as an endpoint that is down.
        log: visibleLog(teeLog(log, (text) => run.appendOutput(terminalText(text)))),
        signal,
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
    if (index % SLICE === 0) await setImmediate();
    run.enqueued(item);
  }
}

/** A judge's key is missing, or that of the model that plays the assistant. */
function isMissingKey(
  event: RunEvent,
): event is Extract<RunEvent, { kind: 'verdict' | 'case-finished' }> {
  if (event.kind === 'verdict') return event.verdict.reason === 'missing-key';
  return event.kind === 'case-finished' && (event.line.reason ?? '').startsWith('missing-key:');
}

/** @param edits grows with all that is typed from now on */
function hearEdits(edits: Edit[]): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document: { uri }, contentChanges }) => {
    for (const { range, text } of contentChanges) edits.push({ path: uri.fsPath, range, text });
  });
}
