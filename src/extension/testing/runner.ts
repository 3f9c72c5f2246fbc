import * as vscode from 'vscode';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import type { CaseRef } from '../../runner/events.ts';
import { SECTION, SETTINGS } from '../../shared/settings.ts';
import type { LanguageSupport } from '../languageClient.ts';
import type { LiveRuns } from '../liveRuns.ts';
import { toRange, workspaceOf } from '../places.ts';
import type { Secrets } from '../secrets.ts';
import { mayRun } from '../trust.ts';
import { RunQueue } from './runQueue.ts';
import { terminalText } from './terminalText.ts';
import type { TestTree } from './tree.ts';

export interface RunnerParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly secrets: Secrets;
  readonly live: LiveRuns;
  readonly language: LanguageSupport;
  readonly log: vscode.LogOutputChannel;
}

/** Runs what is asked for in the Testing panel, one request after the other. */
export class TestRunner {
  readonly #parts: RunnerParts;
  readonly #queue = new RunQueue();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    if (!mayRun()) return;
    const { controller, log } = this.#parts;
    const chosen = await this.#choose(request);
    const run = controller.createTestRun(request);
    for (const item of chosen.flatMap(({ items }) => items)) run.enqueued(item);
    await this.#queue.add(async () => {
      try {
        for (const one of chosen) {
          if (token.isCancellationRequested) break;
          await this.#runFile(one, run, token);
        }
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        log.error(text);
        run.appendOutput(terminalText(text));
        for (const item of chosen.flatMap(({ items }) => items)) {
          run.errored(item, new vscode.TestMessage(text));
        }
      } finally {
        run.end();
      }
    });
  }

  /** The cases that a request is about, by file. */
  async #choose({ include, exclude }: vscode.TestRunRequest): Promise<ChosenFile[]> {
    const { controller, tree } = this.#parts;
    if (!include) await tree.findAll();
    const files = new Map<string, { uri: vscode.Uri; ids: Set<string> | undefined }>();
    for (const item of include ?? [...controller.items].map(([, one]) => one)) {
      const data = tree.dataOf(item);
      if (!data) continue;
      const key = data.uri.toString();
      const known = files.get(key);
      if (data.kind === 'file') files.set(key, { uri: data.uri, ids: undefined });
      else if (!known) files.set(key, { uri: data.uri, ids: new Set([data.id]) });
      else known.ids?.add(data.id);
    }
    const excluded = new Set(exclude ?? []);
    return Promise.all(
      [...files.values()].map(async ({ uri, ids }) => {
        const suite = await tree.refresh(uri);
        const items = suite.outline.flatMap(({ id }) => {
          const item = id === undefined || (ids && !ids.has(id)) ? undefined : tree.find(uri, id);
          return item && !excluded.has(item) ? [item] : [];
        });
        return { uri, suite, items: [...new Set(items)] };
      }),
    );
  }

  async #runFile(
    { uri, suite: loaded, items }: ChosenFile,
    run: vscode.TestRun,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const { live, language, secrets, log } = this.#parts;
    const ids = new Set(items.map(({ id }) => id));
    this.#reportInvalid(loaded, items, run);
    const { suite } = loaded;
    if (!suite?.cases.some(({ id }) => ids.has(id))) return;
    const [{ runSuites }, { CaseProgress }] = await Promise.all([
      import('../../runner/run.ts'),
      import('./progress.ts'),
    ]);
    const settings = vscode.workspace.getConfiguration(SECTION, uri);
    const abort = new AbortController();
    const cancelling = token.onCancellationRequested(() => abort.abort());
    if (token.isCancellationRequested) abort.abort();
    const refs: CaseRef[] = [];
    const progress = new CaseProgress(uri, this.#parts.tree, run);
    try {
      await runSuites({
        suites: [suite],
        select: (_suite, { id }) => ids.has(id),
        concurrency: settings.get<number>(SETTINGS.concurrency, 4),
        timeout: settings.get<number>(SETTINGS.timeout, 60_000),
        forbidOnly: false,
        workspace: workspaceOf(uri),
        keepRecord: true,
        described: { from: 'editor' },
        secret: (name) => secrets.get(name),
        env: (name) => process.env[name],
        log,
        signal: abort.signal,
        onEvent: (event) => {
          if (event.kind === 'run-started') refs.push(...event.cases);
          live.hear(event);
          progress.hear(event);
          if (event.kind === 'case-finished') void language.recordsChanged();
        },
      });
    } finally {
      cancelling.dispose();
      live.end(refs);
    }
  }

  /** Cases that cannot run say why, at its place; the others go on. */
  #reportInvalid(
    { outline }: LoadedSuite,
    items: readonly vscode.TestItem[],
    run: vscode.TestRun,
  ): void {
    for (const item of items) {
      const errors = outline.find(({ id }) => id === item.id)?.errors ?? [];
      if (errors.length === 0) continue;
      run.started(item);
      run.errored(
        item,
        errors.map(({ message, path, range }) => {
          const one = new vscode.TestMessage(message);
          one.location = new vscode.Location(vscode.Uri.file(path), toRange(range));
          return one;
        }),
      );
    }
  }
}

interface ChosenFile {
  readonly uri: vscode.Uri;
  readonly suite: LoadedSuite;
  readonly items: readonly vscode.TestItem[];
}
