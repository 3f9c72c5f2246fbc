import * as vscode from 'vscode';
import type { CaseRef } from '../../core/identity.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { SECTION, SETTINGS } from '../../protocol/settings.ts';
import type { LiveRuns } from '../liveRuns.ts';
import { workspaceOf } from '../places.ts';
import type { Secrets } from '../secrets.ts';
import { mayRun } from '../trust.ts';
import { listedCases, unlistedErrors } from './listedCases.ts';
import type { CaseProgress } from './progress.ts';
import { RunQueue } from './runQueue.ts';
import type { TestTree } from './tree.ts';

export interface RunnerParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly secrets: Secrets;
  readonly live: LiveRuns;
  readonly log: vscode.LogOutputChannel;
}

/** Runs what is asked for in the Testing panel, one request after the other. */
export class TestRunner {
  readonly #parts: RunnerParts;
  readonly #queue = new RunQueue();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Resolves when the run has ended. The run's own token is what the panel's Cancel stops. */
  async run(request: vscode.TestRunRequest): Promise<void> {
    if (!mayRun()) return;
    const chosen = await this.#choose(request);
    const run = this.#parts.controller.createTestRun(request);
    const { executionsOf } = await import('./progress.ts');
    for (const { items } of chosen) {
      for (const item of items.flatMap(executionsOf)) run.enqueued(item);
    }
    await this.#queue.add(async () => {
      try {
        for (const one of chosen) {
          if (run.token.isCancellationRequested) break;
          await this.#runFile(one, run);
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
    const excluded = new Set(exclude ?? []);
    const files = new Map<string, { uri: vscode.Uri; ids: Set<string> | undefined }>();
    for (const item of include ?? [...controller.items].map(([, one]) => one)) {
      const data = tree.dataOf(item);
      if (!data || excluded.has(item)) continue;
      const key = data.uri.toString();
      const known = files.get(key);
      if (data.kind === 'file') files.set(key, { uri: data.uri, ids: undefined });
      else if (!known) files.set(key, { uri: data.uri, ids: new Set([data.id]) });
      else known.ids?.add(data.id);
    }
    return Promise.all(
      [...files.values()].map(async ({ uri, ids }) => {
        const suite = await tree.refresh(uri);
        const items = suite.outline.flatMap(({ id }) => {
          const item = id === undefined || (ids && !ids.has(id)) ? undefined : tree.find(uri, id);
          return item && !excluded.has(item) ? [item] : [];
        });
        return { uri, suite, items: [...new Set(items)], whole: ids === undefined };
      }),
    );
  }

  async #runFile(chosen: ChosenFile, run: vscode.TestRun): Promise<void> {
    const { uri, items } = chosen;
    const { CaseProgress: Progress } = await import('./progress.ts');
    const invalid = await this.#reportInvalid(chosen, run);
    const valid = items.filter((item) => !invalid.has(item));
    const progress = new Progress(uri, this.#parts.tree, run, valid);
    try {
      await this.#runCases(chosen, new Set(valid.map(({ id }) => id)), run, progress);
    } catch (error) {
      this.#parts.log.error(String(error instanceof Error ? error.stack : error));
      progress.fail(error instanceof Error ? error.message : String(error));
    }
  }

  async #runCases(
    { uri, suite: { suite } }: ChosenFile,
    ids: ReadonlySet<string>,
    run: vscode.TestRun,
    progress: CaseProgress,
  ): Promise<void> {
    if (!suite?.cases.some(({ id }) => ids.has(id))) return;
    const { live, secrets, log } = this.#parts;
    const { runSuites } = await import('../../runner/run.ts');
    const settings = vscode.workspace.getConfiguration(SECTION, uri);
    const maxCost = settings.get<number | null>(SETTINGS.maxCost, null);
    const abort = new AbortController();
    const cancelling = run.token.onCancellationRequested(() => abort.abort());
    if (run.token.isCancellationRequested) abort.abort();
    const refs: CaseRef[] = [];
    try {
      await runSuites({
        suites: [suite],
        select: (_suite, { id }) => ids.has(id),
        concurrency: settings.get<number>(SETTINGS.concurrency, 4),
        timeout: settings.get<number>(SETTINGS.timeout, 60_000),
        forbidOnly: false,
        workspace: workspaceOf(uri),
        keepRecord: true,
        ...(maxCost !== null && { maxCost }),
        described: { from: 'editor', ...(maxCost !== null && { max_cost: maxCost }) },
        secret: (name) => secrets.get(name),
        env: (name) => process.env[name],
        log,
        signal: abort.signal,
        onEvent: (event) => {
          if (event.kind === 'run-started') refs.push(...event.cases);
          live.hear(event);
          progress.hear(event);
        },
      });
    } finally {
      cancelling.dispose();
      live.end(refs);
    }
  }

  /**
   * Cases that cannot run say why, at its place; the others go on. Where a whole file is run, it
   * also tells of what has no item of its own: cases without an id, a file that is no YAML.
   *
   * @returns the items that cannot run
   */
  async #reportInvalid(
    { uri, suite, items, whole }: ChosenFile,
    run: vscode.TestRun,
  ): Promise<ReadonlySet<vscode.TestItem>> {
    const [{ problemMessages }, { executionsOf }] = await Promise.all([
      import('./messages.ts'),
      import('./progress.ts'),
    ]);
    const invalid = new Set<vscode.TestItem>();
    for (const item of items) {
      const errors = listedCases(suite.outline).find(({ id }) => id === item.id)?.errors ?? [];
      if (errors.length === 0) continue;
      invalid.add(item);
      for (const one of executionsOf(item)) run.errored(one, problemMessages(errors));
    }
    const file = this.#parts.tree.find(uri);
    const rest = whole ? unlistedErrors(suite) : [];
    if (file && rest.length > 0) run.errored(file, problemMessages(rest));
    return invalid;
  }
}

interface ChosenFile {
  readonly uri: vscode.Uri;
  readonly suite: LoadedSuite;
  readonly items: readonly vscode.TestItem[];
  /** Whether the file as a whole was asked for. */
  readonly whole: boolean;
}
