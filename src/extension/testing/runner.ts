import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { pushAll } from '../../core/data/data.ts';
import { errorText, stackText } from '../../core/errors.ts';
import type { CaseRef } from '../../core/identity.ts';
import { teeLog, visibleLog } from '../../core/logger.ts';
import type { RunEvent } from '../../runner/events.ts';
import type { ChosenSuite } from '../../runner/plan.ts';
import type { RunOptions } from '../../runner/runOptions.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { Secrets } from '../secrets.ts';
import { mayRun, reportError } from '../workspace.ts';
import {
  type ChosenFile,
  chooseFile,
  knownItems,
  requestedFiles,
  suitesToRun,
} from './chosenFiles.ts';
import type { Edit } from './edits.ts';
import type { CaseProgress } from './progress.ts';
import type { RecordedRuns } from './recordedRuns.ts';
import { RunQueue } from './runQueue.ts';
import type { RunStatus } from './runStatus.ts';
import type { TestTree } from './tree.ts';

/** Number of items to enqueue at once. */
const BATCH_SIZE = 200;

interface RunnerParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly secrets: Secrets;
  readonly live: LiveRuns;
  readonly recorded: RecordedRuns;
  readonly language: LanguageSupport;
  readonly status: RunStatus;
  readonly log: vscode.LogOutputChannel;
}

export interface RunRequestOptions {
  /** Ignores cached answers. */
  readonly fresh?: boolean;
  /** Attaches the debugger to the user's functions. */
  readonly debugged?: boolean;
  /** The run to resume, or the run whose conversations to judge again. */
  readonly previous?: Pick<RunOptions, 'resume' | 'judgeAgain'>;
  /** Stops the run when another one replaces it. */
  readonly stale?: AbortSignal;
}

/** Where to show messages that aren't about one case. */
interface Output {
  readonly run: Pick<vscode.TestRun, 'appendOutput'>;
}

/** A run that has started. */
interface ActiveRun {
  readonly run: vscode.TestRun;
  readonly options: RunRequestOptions;
  readonly signal: AbortSignal;
  /** Edits since the files were read; the list grows. */
  readonly edits: readonly Edit[];
}

/** Executes the Testing panel's run requests, one at a time. */
export class TestRunner {
  readonly #parts: RunnerParts;
  readonly #queue = new RunQueue();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /**
   * Cancelling the run in the panel cancels the run's own token.
   *
   * @returns the executions without an outcome, once the run has ended
   */
  async run(
    request: vscode.TestRunRequest,
    options: RunRequestOptions = {},
  ): Promise<readonly vscode.TestItem[]> {
    if (!mayRun()) return [];
    const { controller, tree, status, recorded } = this.#parts;
    if (!request.include) await tree.list();
    const run = controller.createTestRun(request);
    const abort = new AbortController();
    const cancelling = run.token.onCancellationRequested(() => abort.abort());
    options.stale?.addEventListener('abort', () => abort.abort());
    // Shows queued items immediately, because reading the files may take a while.
    const known = requestedFiles(request, this.#parts)
      .flatMap((wanted) => knownItems(wanted, tree))
      .map((item) => tree.firstOf(item));
    status.expect(known.length);
    await enqueue(run, known);
    let unfinished: readonly vscode.TestItem[] = known;
    await this.#queue.add(async () => {
      status.begin(known.length);
      const edits: Edit[] = [];
      const listening = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const path = document.uri.fsPath;
        for (const { range, text } of contentChanges) edits.push({ path, range, text });
      });
      const active = { run, options, signal: abort.signal, edits };
      try {
        const chosen = await this.#choose(request, active, new Set(known));
        if (!abort.signal.aborted) unfinished = await this.#runFiles(chosen, active);
      } finally {
        run.end();
        listening.dispose();
        cancelling.dispose();
        status.end();
      }
      if (run.token.isCancellationRequested) await recorded.showAgain(unfinished);
    });
    return unfinished;
  }

  /** Runs a case that isn't in its file, and so has no item in the panel. */
  async runUnlisted(
    chosen: ChosenSuite,
    signal: AbortSignal,
    onEvent: (event: RunEvent) => void,
  ): Promise<void> {
    const { status } = this.#parts;
    status.expect(1);
    await this.#queue.add(async () => {
      status.begin(1);
      const active = { run: { appendOutput: () => {} }, signal, options: {} };
      try {
        const again = () => this.runUnlisted(chosen, signal, onEvent);
        await this.#runOnce([chosen], active, onEvent, again);
      } finally {
        status.end();
      }
    });
  }

  /** Reads the files. If a file can't be read, the others still run. @param known items that are already enqueued */
  async #choose(
    request: vscode.TestRunRequest,
    { run, signal }: ActiveRun,
    known: ReadonlySet<vscode.TestItem>,
  ): Promise<ChosenFile[]> {
    const { tree, log } = this.#parts;
    const chosen: ChosenFile[] = [];
    for (const wanted of requestedFiles(request, this.#parts)) {
      if (signal.aborted) break;
      try {
        const one = await chooseFile(wanted, tree);
        const firsts = one.items.map((item) => tree.firstOf(item));
        const added = firsts.filter((item) => !known.has(item));
        await enqueue(run, added);
        chosen.push(one);
      } catch (error) {
        log.error(stackText(error));
        const item = tree.find(wanted.uri);
        if (item) run.errored(item, new vscode.TestMessage(errorText(error)));
      }
    }
    return chosen;
  }

  /** @returns the executions without an outcome */
  async #runFiles(
    chosen: readonly ChosenFile[],
    active: ActiveRun,
  ): Promise<readonly vscode.TestItem[]> {
    const { tree, status } = this.#parts;
    const { run, edits } = active;
    const { CaseProgress, reportInvalid } = await import('./progress.ts');
    const invalid = new Set(chosen.flatMap((one) => reportInvalid(one, run, tree, edits)));
    status.invalid(invalid.size);
    const valid = chosen.flatMap(({ items }) => items).filter((item) => !invalid.has(item));
    const progress = new CaseProgress(tree, run, valid, edits);
    try {
      await this.#runSuites(suitesToRun(chosen, invalid, tree), active, progress);
    } catch (error) {
      this.#parts.log.error(stackText(error));
      progress.fail(errorText(error));
    } finally {
      progress.end();
    }
    return progress.waiting;
  }

  /** Runs suites as one run. If some of them are refused, runs the rest. */
  async #runSuites(
    suites: readonly ChosenSuite[],
    active: ActiveRun,
    progress: CaseProgress,
  ): Promise<void> {
    if (suites.length === 0) return;
    let began = false;
    try {
      await this.#runOnce(suites, active, (event) => {
        began = true;
        progress.handle(event);
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
      await this.#runSuites(others, active, progress);
    }
  }

  /** @param again runs the suites with missing keys again, once the first key is set */
  async #runOnce(
    chosen: readonly ChosenSuite[],
    { run, signal, options }: Pick<ActiveRun, 'signal' | 'options'> & Output,
    onEvent: (event: RunEvent) => void,
    again = (suites: readonly ChosenSuite[]) => this.#runAgain(suites),
  ): Promise<void> {
    const { live, secrets, status, language, log } = this.#parts;
    const [{ runSuites }, { editorModels }, { askForHosts }, { terminalText }, { runSettings }] =
      await Promise.all([
        import('../../runner/run.ts'),
        import('../lm/editorModels.ts'),
        import('../allowedHosts.ts'),
        import('./output.ts'),
        import('./runSettings.ts'),
      ]);
    const suites = chosen.map(({ suite }) => suite);
    const cases = new Set(chosen.flatMap((one) => one.cases));
    const allowedHosts = await askForHosts([...cases], secrets.keys);
    const refs: CaseRef[] = [];
    const records: string[] = [];
    const missingKeys = new Set<string>();
    const missingJudges = new Set<string>();
    try {
      const { writeErrors } = await runSuites({
        suites,
        select: (_suite, one) => cases.has(one),
        forbidOnly: false,
        keepRecord: true,
        ...options.previous,
        ...runSettings(suites, secrets.keys.env, options),
        ...secrets.keys,
        allowedHosts,
        scrubber: await secrets.scrubber(),
        editorModels,
        follow: true,
        // Messages that aren't about one case, for example because an endpoint is down.
        log: visibleLog(teeLog(log, (text) => run.appendOutput(terminalText(text)))),
        signal,
        onEvent: (event) => {
          if (event.kind === 'run-started') {
            pushAll(refs, event.cases);
            pushAll(records, event.records);
          } else if (event.kind === 'case-finished') {
            language.notifyRecords(records);
            // The API key for a chat target.
            if (event.line.reason?.startsWith('missing-key:')) missingKeys.add(event.ref.suite);
          } else if (event.kind === 'verdict' && event.verdict.reason === 'missing-key') {
            missingKeys.add(event.ref.suite);
          } else if (event.kind === 'verdict' && event.verdict.reason === 'no-judge') {
            missingJudges.add(event.ref.suite);
          }
          live.handle(event);
          onEvent(event);
          status.handle(event);
        },
      });
      for (const { message } of writeErrors) reportError(message);
    } finally {
      live.end(refs);
    }
    const missing = chosen.filter(({ suite }) => missingKeys.has(suite.path));
    void this.#offerKey(missing, () => again(missing));
    const unjudged = chosen.filter(({ suite }) => missingJudges.has(suite.path));
    void this.#offerJudge(unjudged, () => again(unjudged));
  }

  /** Offers to select a judge for the first of these suites, which have none. */
  async #offerJudge(suites: readonly ChosenSuite[], again: () => Promise<void>): Promise<void> {
    const [first] = suites;
    if (!first) return;
    const { offerJudge } = await import('../lm/keys.ts');
    await offerJudge(vscode.Uri.file(first.suite.path), this.#parts.secrets, again);
  }

  /**
   * Offers to set the key that the first of these suites is missing.
   *
   * @param suites suites with cases that need a key that isn't set
   */
  async #offerKey(suites: readonly ChosenSuite[], again: () => Promise<void>): Promise<void> {
    const [first] = suites;
    if (!first) return;
    const { offerKey } = await import('../lm/keys.ts');
    await offerKey(vscode.Uri.file(first.suite.path), first.cases, this.#parts.secrets, again);
  }

  async #runAgain(suites: readonly ChosenSuite[]): Promise<void> {
    const { tree } = this.#parts;
    const items: vscode.TestItem[] = [];
    for (const { suite, cases } of suites) {
      const uri = vscode.Uri.file(suite.path);
      await tree.refresh(uri);
      pushAll(
        items,
        cases.flatMap((one) => tree.find(uri, one) ?? []),
      );
    }
    await this.run(new vscode.TestRunRequest(items));
  }
}

/** Shows items as queued. Works in batches, because there may be thousands of items. */
async function enqueue(run: vscode.TestRun, items: readonly vscode.TestItem[]): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % BATCH_SIZE === 0) await setImmediate();
    run.enqueued(item);
  }
}
