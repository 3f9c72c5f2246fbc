import * as vscode from 'vscode';
import { groupBy } from '../../core/data/data.ts';
import { errorText } from '../../core/errors.ts';
import type { CaseRef } from '../../core/identity.ts';
import { overheardLog } from '../../core/logger.ts';
import { noticeText } from '../../core/presentation/editorText.ts';
import { caseName } from '../../core/presentation/executionTitle.ts';
import { isError, type Problem } from '../../core/problem.ts';
import type { SuiteCase } from '../../core/suite.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { expandSuite } from '../../evalfile/variants/expandSuite.ts';
import { SECTION, SETTINGS } from '../../protocol/settings.ts';
import type { RunEvent } from '../../runner/events.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { Secrets } from '../secrets.ts';
import { mayRun } from '../trust.ts';
import type { ItemData } from './itemData.ts';
import { listedCases, unlistedErrors } from './listedCases.ts';
import type { Edit } from './movedLines.ts';
import type { CaseProgress } from './progress.ts';
import type { RecordedRuns } from './recordedRuns.ts';
import { RunQueue } from './runQueue.ts';
import type { RunStatus } from './runStatus.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

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
    if (!request.include) await this.#parts.tree.findAll();
    // From here on: what was typed before stands in the files as they are read now.
    const edits: Edit[] = [];
    const listening = hearEdits(edits);
    const chosen = await this.#choose(request, edits);
    const run = this.#parts.controller.createTestRun(request);
    if (fresh) this.#fresh.add(run);
    const firstsOf = ({ items }: ChosenFile) => items.map((item) => this.#parts.tree.firstOf(item));
    for (const item of chosen.flatMap(firstsOf)) run.enqueued(item);
    await this.#queue.add(async () => {
      this.#parts.status.begin();
      const left: vscode.TestItem[] = [];
      try {
        for (const one of chosen) {
          const stop = run.token.isCancellationRequested;
          left.push(...(stop ? firstsOf(one) : await this.#runFile(one, run)));
        }
      } finally {
        run.end();
        listening.dispose();
        this.#parts.status.end();
      }
      if (run.token.isCancellationRequested) await this.#parts.recorded.showAgain(left);
    });
  }

  /** The cases that a request is about, by file. */
  async #choose(
    { include, exclude }: vscode.TestRunRequest,
    edits: readonly Edit[],
  ): Promise<ChosenFile[]> {
    const { controller, tree } = this.#parts;
    const excluded = new Set(exclude ?? []);
    const files = new Map<string, { uri: vscode.Uri; wanted: Wanted | undefined }>();
    for (const item of include ?? [...controller.items].map(([, one]) => one)) {
      const data = tree.dataOf(item);
      if (!data || excluded.has(item)) continue;
      const key = data.uri.toString();
      const known = files.get(key);
      if (data.kind === 'file') files.set(key, { uri: data.uri, wanted: undefined });
      else if (known?.wanted) want(known.wanted, data);
      else if (!known) files.set(key, { uri: data.uri, wanted: want(new Map(), data) });
    }
    return Promise.all(
      [...files.values()].map(async ({ uri, wanted }) => {
        const isWanted = (id: string) => !wanted || wanted.has(id);
        const suite = await this.#expanded(uri, await tree.refresh(uri), isWanted);
        const variants = groupBy(suite.suite?.cases ?? [], ({ id }) => id);
        const items = suite.outline.flatMap(({ id }) => {
          const item = id !== undefined && isWanted(id) ? tree.find(uri, id) : undefined;
          if (id === undefined || !item || excluded.has(item)) return [];
          const names = (variants.get(id) ?? []).flatMap(({ variant }) => variant ?? []);
          if (names.length === 0) return [item];
          const only = wanted?.get(id);
          return names
            .filter((name) => !only || only.has(name))
            .flatMap((name) => tree.find(uri, id, undefined, name) ?? [])
            .filter((one) => !excluded.has(one));
        });
        return { uri, suite, items: [...new Set(items)], whole: wanted === undefined, edits };
      }),
    );
  }

  /** With the conversations that wanted cases stand for, which the panel shows from now on. */
  async #expanded(
    uri: vscode.Uri,
    loaded: LoadedSuite,
    isWanted: (id: string) => boolean,
  ): Promise<LoadedSuite> {
    const problems = new Map<string, readonly Problem[]>();
    const { suite } = await expandSuite(loaded, async (one) => {
      const expanded = isWanted(one.id) ? await one.expand?.() : undefined;
      if (!expanded) return undefined;
      this.#parts.tree.showVariants(uri, one.id, expanded);
      problems.set(one.id, expanded.problems.filter(isError));
      return expanded;
    });
    const outline = loaded.outline.map((one) => ({
      ...one,
      errors: [...one.errors, ...(problems.get(one.id ?? '') ?? [])],
    }));
    return { ...loaded, outline, ...(suite && { suite }) };
  }

  /** @returns the executions that came to no outcome */
  async #runFile(chosen: ChosenFile, run: vscode.TestRun): Promise<readonly vscode.TestItem[]> {
    const { uri, items, edits } = chosen;
    const { CaseProgress: Progress } = await import('./progress.ts');
    const invalid = await this.#reportInvalid(chosen, run);
    const valid = items.filter((item) => !invalid.has(item));
    const progress = new Progress(uri, this.#parts.tree, run, valid, edits);
    try {
      const keys = valid.flatMap((item) => this.#keyOf(item) ?? []);
      await this.#runCases(chosen, new Set(keys), run, progress);
    } catch (error) {
      this.#parts.log.error(String(error instanceof Error ? error.stack : error));
      progress.fail(errorText(error));
    } finally {
      progress.end();
    }
    return progress.waiting;
  }

  /** What tells a case, or a variant of one, from the others of its file. */
  #keyOf(item: vscode.TestItem): string | undefined {
    const data = this.#parts.tree.dataOf(item);
    return data && data.kind !== 'file' ? caseName(data) : undefined;
  }

  /** @param names of cases and variants */
  async #runCases(
    { uri, suite: { suite } }: ChosenFile,
    names: ReadonlySet<string>,
    run: vscode.TestRun,
    progress: CaseProgress,
  ): Promise<void> {
    if (!suite?.cases.some((one) => names.has(caseName(one)))) return;
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
    const chosen = suite.cases.filter((one) => names.has(caseName(one)));
    const allowedHosts = await askForHosts(chosen, secrets.keys);
    const settings = vscode.workspace.getConfiguration(SECTION, uri);
    const maxCost = settings.get<number | null>(SETTINGS.maxCost, null);
    const abort = new AbortController();
    const cancelling = run.token.onCancellationRequested(() => abort.abort());
    if (run.token.isCancellationRequested) abort.abort();
    const refs: CaseRef[] = [];
    const records: string[] = [];
    let lacksKey = false;
    try {
      const { unwritten } = await runSuites({
        suites: [suite],
        select: (_suite, one) => names.has(caseName(one)),
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
          progress.hear(event);
          status.hear(event);
          lacksKey ||= isMissingKey(event);
        },
      });
      for (const { message } of unwritten) {
        void vscode.window.showErrorMessage(noticeText(message));
      }
    } finally {
      cancelling.dispose();
      live.end(refs);
    }
    if (lacksKey) void this.#offerKey(uri, chosen);
  }

  async #offerKey(uri: vscode.Uri, cases: readonly SuiteCase[]): Promise<void> {
    const { offerKey } = await import('../lm/missingKey.ts');
    await offerKey(uri, cases, this.#parts.secrets, async () => {
      await this.#parts.tree.refresh(uri);
      const items = cases.flatMap(
        ({ id, variant }) => this.#parts.tree.find(uri, id, undefined, variant) ?? [],
      );
      await this.run(new vscode.TestRunRequest(items));
    });
  }

  /**
   * Reports why cases cannot run, where the error is; the others go on. If a whole file is run, it
   * also tells of what has no item of its own: cases without an id, a file that is not YAML.
   *
   * @returns the items that cannot run
   */
  async #reportInvalid(
    { uri, suite, items, whole, edits }: ChosenFile,
    run: vscode.TestRun,
  ): Promise<ReadonlySet<vscode.TestItem>> {
    const { problemMessages } = await import('./messages.ts');
    const { tree, status } = this.#parts;
    const errorsOf = new Map(listedCases(suite.outline).map(({ id, errors }) => [id, errors]));
    const invalid = new Set<vscode.TestItem>();
    for (const item of items) {
      const data = tree.dataOf(item);
      const errors = (data && data.kind !== 'file' && errorsOf.get(data.id)) || [];
      if (errors.length === 0) continue;
      invalid.add(item);
      run.errored(tree.firstOf(item), problemMessages(errors, edits));
    }
    status.invalid(invalid.size);
    const file = tree.find(uri);
    const rest = whole ? unlistedErrors(suite) : [];
    if (file && rest.length > 0) run.errored(file, problemMessages(rest, edits));
    return invalid;
  }
}

/** By the ids of cases the variants that are wanted; undefined where all are. */
type Wanted = Map<string, Set<string> | undefined>;

function want(wanted: Wanted, { id, variant }: Exclude<ItemData, { kind: 'file' }>): Wanted {
  const known = wanted.get(id);
  if (variant === undefined || (wanted.has(id) && !known)) return wanted.set(id, undefined);
  return wanted.set(id, (known ?? new Set()).add(variant));
}

/** @param edits grows with all that is typed from now on */
function hearEdits(edits: Edit[]): vscode.Disposable {
  return vscode.workspace.onDidChangeTextDocument(({ document: { uri }, contentChanges }) => {
    for (const { range, text } of contentChanges) edits.push({ path: uri.fsPath, range, text });
  });
}

/** A judge's key is missing, or that of the model that plays the assistant. */
function isMissingKey(event: RunEvent): boolean {
  if (event.kind === 'verdict') return event.verdict.reason === 'missing-key';
  return event.kind === 'case-finished' && (event.line.reason ?? '').startsWith('missing-key:');
}

interface ChosenFile {
  readonly uri: vscode.Uri;
  readonly suite: LoadedSuite;
  readonly items: readonly vscode.TestItem[];
  /** Whether the file as a whole was asked for. */
  readonly whole: boolean;
  /** Made since the file was read; grows. */
  readonly edits: readonly Edit[];
}
