import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { CaseIdentity } from '../../core/identity.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import { Disposing } from '../disposables.ts';
import type { LiveRuns } from '../liveRuns.ts';
import { filesOnScreen, isEvalFile, readSuite } from '../suites.ts';
import { listedCases } from './listedCases.ts';
import type { Edit } from './movedLines.ts';
import { type Outcome, type RecordedRuns, tellOutcomes } from './recordedRuns.ts';
import type { TestTree } from './tree.ts';

/** Milliseconds that the next file may take to be found, and be shown with the others. */
const LINGER = 400;

/** As many outcomes are told at once. */
const SLICE = 200;

export interface LastResultsParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly live: LiveRuns;
  readonly recorded: RecordedRuns;
  readonly log: vscode.LogOutputChannel;
}

/** Shows in the Testing panel how cases ended when they last ran, once their file comes into it, as after a reload. */
export class LastResults extends Disposing {
  readonly #parts: LastResultsParts;
  #found: LoadedSuite[] = [];
  #showing: Promise<void> | undefined;

  constructor(parts: LastResultsParts) {
    super();
    this.#parts = parts;
    this.keep(parts.tree.onDidFind((suite) => this.#later(suite)));
  }

  override dispose(): void {
    this.#found = [];
    super.dispose();
  }

  #later(suite: LoadedSuite): void {
    this.#found.push(suite);
    this.#showing ??= this.#show()
      .catch((error: unknown) => this.#parts.log.error(String(error)))
      .finally(() => {
        this.#showing = undefined;
      });
  }

  async #show(): Promise<void> {
    const { controller, tree } = this.#parts;
    const shown = new Set<string>();
    const outdated: vscode.TestItem[] = [];
    let run: vscode.TestRun | undefined;
    const show = async (suite: LoadedSuite, again: boolean) => {
      shown.add(suite.path);
      for await (const outcomes of this.#outcomesOf(suite, again)) {
        if (run?.token.isCancellationRequested) return;
        run ??= controller.createTestRun(new vscode.TestRunRequest(), 'Last results', false);
        await tellOutcomes(run, outcomes, tree);
        outdated.push(...outcomes.filter((one) => one.isOutdated).map(({ item }) => item));
      }
    };
    try {
      for (let suite = this.#found.shift(); suite; suite = this.#found.shift()) {
        await show(suite, false);
        if (this.#found.length === 0) await setTimeout(LINGER);
      }
      // In the text VS Code marks what its newest run says, and nothing of those before it.
      for (const { document } of run ? vscode.window.visibleTextEditors : []) {
        const { uri } = document;
        if (isEvalFile(uri) && !shown.has(uri.fsPath)) await show(await readSuite(uri), true);
      }
    } finally {
      run?.end();
      if (outdated.length > 0) controller.invalidateTestResults(outdated);
    }
  }

  /** @param again what the panel shows already as well */
  async *#outcomesOf(
    suite: LoadedSuite,
    again: boolean,
  ): AsyncGenerator<(Outcome & { readonly isOutdated: boolean })[]> {
    const { tree, live, recorded } = this.#parts;
    const [latest, { changeDetector }, files] = await Promise.all([
      recorded.latest(),
      import('../../evalfile/caseChanges.ts'),
      filesOnScreen(),
    ]);
    const uri = vscode.Uri.file(suite.path);
    const now = changeDetector(files);
    const cases = new Map(listedCases(suite.outline).map((one) => [one.id, one]));
    const wanted: Omit<CaseIdentity, 'suite'>[] = [];
    for (const { id, several } of cases.values()) {
      if (several === undefined) wanted.push({ id });
      else {
        const variants = await latest.variants(suite.path, id);
        wanted.push(...variants.map(({ variant }) => ({ id, variant })));
      }
    }
    let slice: (Outcome & { readonly isOutdated: boolean })[] = [];
    for await (const lines of latest.each(suite.path, wanted)) {
      for (const line of lines) {
        const { id, variant, repetition, finished } = line;
        const found = cases.get(id);
        const isLive = isRunning(live.get({ suite: suite.path, id, variant, repetition })?.phase);
        const change = found && (await now(suite, found).changeOf(line));
        if (!found || isLive || change === 'gone') continue;
        const item = tree.find(uri, id, repetition, variant);
        if (!item || (!again && tree.shown.has(item))) continue;
        tree.shown.set(item, finished);
        const isOutdated = change !== undefined;
        slice.push({ item, line, isOutdated, edits: editsSince(line, found) });
      }
      if (slice.length < SLICE) continue;
      yield slice;
      slice = [];
    }
    if (slice.length > 0) yield slice;
  }
}

/** As if all that moved a case had happened right before it. */
function editsSince({ source }: CaseLine, { path, range }: OutlineCase): Edit[] {
  const lines = range.start.line - source.range.start.line;
  if (path !== source.path || lines === 0) return [];
  const end = { line: source.range.start.line, character: 0 };
  const start = { ...end, line: end.line + Math.min(lines, 0) };
  return [{ path, range: { start, end }, text: '\n'.repeat(Math.max(lines, 0)) }];
}
