import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { pushAll, uniqueBy } from '../../core/data/data.ts';
import type { CaseIdentity } from '../../core/identity.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import type { LatestRuns } from '../../store/records/latest.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { Debouncer, Disposing } from '../disposables.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import { filesOnScreen, isEvalFile, readSuite } from '../workspace.ts';
import type { Edit } from './edits.ts';
import { listedCases } from './listedCases.ts';
import type { RunStatus } from './runStatus.ts';
import type { TestTree } from './tree.ts';

/**
 * Milliseconds without a change before a record is read; this is longer than the tree waits while the user types an id.
 */
const DEBOUNCE = 600;

/** Milliseconds between checks for whether a run was killed. */
const CHECK_INTERVAL = 5_000;

interface RecordedRunsParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly live: LiveRuns;
  readonly records: RecordFiles;
  readonly status: RunStatus;
  readonly log: vscode.LogOutputChannel;
}

interface RecordedOutcome {
  readonly item: vscode.TestItem;
  readonly line: CaseLine;
  /** Edits since the run. */
  readonly edits?: readonly Edit[];
}

/** Shows runs from the command line in the Testing panel, as well as results that moved to a case's new id. */
export class RecordedRuns extends Disposing {
  readonly #parts: RecordedRunsParts;
  #runs: Promise<LatestRuns> | undefined;
  readonly #debouncer = this.keep(new Debouncer(DEBOUNCE));
  /** Active runs of other processes, keyed by record. */
  readonly #open = new Map<
    string,
    { readonly run: vscode.TestRun; readonly check: NodeJS.Timeout }
  >();

  constructor(parts: RecordedRunsParts) {
    super();
    this.#parts = parts;
    this.keep(parts.records.onDidChange((path) => this.#schedule(path)));
  }

  override dispose(): void {
    for (const record of this.#open.keys()) this.#end(record);
    super.dispose();
  }

  /** Loaded on first use, to keep activation fast. */
  latest(): Promise<LatestRuns> {
    this.#runs ??= import('../../store/records/latest.ts').then(
      ({ LatestRuns }) => new LatestRuns(),
    );
    return this.#runs;
  }

  #schedule(path: string): void {
    this.#debouncer.schedule(path, () => {
      this.#show(path).catch((error: unknown) => this.#parts.log.error(String(error)));
    });
  }

  async #show(record: string): Promise<void> {
    const { tree, status } = this.#parts;
    const { cases, end, state } = await (await this.latest()).record(record);
    await tree.findAll();
    const found = uniqueBy(cases, caseName).flatMap(({ id, variant }) =>
      tree.findById(id).map(({ uri }) => this.#newOutcomes(uri, id, variant)),
    );
    const outcomes = (await Promise.all(found)).flat();
    if (outcomes.length > 0) await reportOutcomes(this.#runOf(record, outcomes), outcomes, tree);
    if (end && this.#open.has(record)) status.recorded(cases, end);
    if (state !== 'running') this.#end(record);
  }

  /** Shows recorded results again: VS Code marks items as skipped if a canceled run left them out. */
  async showAgain(items: readonly vscode.TestItem[]): Promise<void> {
    const latest = await this.latest();
    const found = items.map(async (item): Promise<RecordedOutcome[]> => {
      const data = this.#parts.tree.caseDataOf(item);
      if (!data) return [];
      const { uri, id, variant } = data;
      const repetition = data.kind === 'repetition' ? data.repetition : 1;
      const wants = (entry: CaseStats) => entry.repetition === repetition;
      const [known] = await latest.find(uri.fsPath, id, { wants, variant });
      return known ? [{ item, line: known.line }] : [];
    });
    const outcomes = (await Promise.all(found)).flat();
    if (outcomes.length === 0) return;
    const run = this.#create(outcomes);
    await reportOutcomes(run, outcomes, this.#parts.tree);
    run.end();
  }

  #create(outcomes: readonly RecordedOutcome[]): vscode.TestRun {
    const request = new vscode.TestRunRequest(outcomes.map(({ item }) => item));
    return this.#parts.controller.createTestRun(request, 'Recorded run', false);
  }

  /** Uses one test run per record, no matter how many updates it gets. */
  #runOf(record: string, outcomes: readonly RecordedOutcome[]): vscode.TestRun {
    const open = this.#open.get(record);
    if (open) return open.run;
    const run = this.#create(outcomes);
    run.token.onCancellationRequested(() => this.#end(record));
    this.#open.set(record, { run, check: setInterval(() => this.#check(record), CHECK_INTERVAL) });
    return run;
  }

  /** Checks whether the run was killed, because a killed run's record no longer changes. */
  #check(record: string): void {
    this.latest()
      .then((latest) => latest.record(record))
      .then(({ state }) => state !== 'running' && this.#schedule(record))
      .catch((error: unknown) => this.#parts.log.error(String(error)));
  }

  #end(record: string): void {
    const open = this.#open.get(record);
    this.#open.delete(record);
    clearInterval(open?.check);
    open?.run.end();
  }

  /** Outcomes that aren't shown yet and aren't from an active run in this window. */
  async #newOutcomes(
    uri: vscode.Uri,
    id: string,
    variant: string | undefined,
  ): Promise<RecordedOutcome[]> {
    const { tree, live } = this.#parts;
    const suite = uri.fsPath;
    const wants = ({ repetition, finished }: CaseStats) => {
      const item = tree.find(uri, { id, variant, repetition });
      const isLive = isRunning(live.get({ suite, id, variant, repetition })?.phase);
      return item !== undefined && !isLive && tree.shown.get(item) !== finished;
    };
    const runs = await (await this.latest()).find(suite, id, { wants, variant });
    return runs.flatMap(({ line }) => {
      live.notify({ ...line, suite });
      const item = tree.find(uri, line);
      if (item) tree.shown.set(item, line.finished);
      return item ? [{ item, line }] : [];
    });
  }
}

async function reportOutcomes(
  run: vscode.TestRun,
  outcomes: readonly RecordedOutcome[],
  tree: TestTree,
): Promise<void> {
  const [{ outcomeReporter }, { recordedOutput }, { BatchedTestRun }] = await Promise.all([
    import('./progress.ts'),
    import('./output.ts'),
    import('./batchedTestRun.ts'),
  ]);
  const batched = new BatchedTestRun(run);
  for (const { item, line, edits } of outcomes) {
    batched.output(item, recordedOutput(tree.titleOf(item), line));
    batched.ended(item, line.duration, outcomeReporter(line, edits));
  }
  batched.flush();
}

/** Milliseconds to wait for more files, so that they can share a test run. */
const BATCH_DELAY = 400;

/** Number of outcomes to report at once. */
const BATCH_SIZE = 200;

type LastOutcome = RecordedOutcome & { readonly isOutdated: boolean };

/** Shows the last recorded results in the Testing panel when a file is first listed, such as after a reload. */
export class LastResults extends Disposing {
  readonly #parts: Omit<RecordedRunsParts, 'records' | 'status'>;
  readonly #recorded: RecordedRuns;
  #found: LoadedSuite[] = [];
  #running: Promise<void> | undefined;

  constructor(parts: Omit<RecordedRunsParts, 'records' | 'status'>, recorded: RecordedRuns) {
    super();
    this.#parts = parts;
    this.#recorded = recorded;
    this.keep(parts.tree.onDidFind((suite) => this.#schedule(suite)));
  }

  override dispose(): void {
    this.#found = [];
    super.dispose();
  }

  #schedule(suite: LoadedSuite): void {
    this.#found.push(suite);
    this.#running ??= this.#show()
      .catch((error: unknown) => this.#parts.log.error(String(error)))
      .finally(() => {
        this.#running = undefined;
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
        await reportOutcomes(run, outcomes, tree);
        pushAll(
          outdated,
          outcomes.filter((one) => one.isOutdated).map(({ item }) => item),
        );
      }
    };
    try {
      for (let suite = this.#found.shift(); suite; suite = this.#found.shift()) {
        await show(suite, false);
        if (this.#found.length === 0) await delay(BATCH_DELAY);
      }
      // Editors show only the newest run's messages.
      for (const { document } of run ? vscode.window.visibleTextEditors : []) {
        const { uri } = document;
        if (isEvalFile(uri) && !shown.has(uri.fsPath)) await show(await readSuite(uri), true);
      }
    } finally {
      run?.end();
      if (outdated.length > 0) controller.invalidateTestResults(outdated);
    }
  }

  /** @param again whether to include outcomes that the panel already shows */
  async *#outcomesOf(suite: LoadedSuite, again: boolean): AsyncGenerator<LastOutcome[]> {
    const { tree, live } = this.#parts;
    const [latest, { changeDetector }, files] = await Promise.all([
      this.#recorded.latest(),
      import('../../evalfile/caseChanges.ts'),
      filesOnScreen(),
    ]);
    const uri = vscode.Uri.file(suite.path);
    const now = changeDetector(files);
    const cases = new Map(listedCases(suite.outline).map((one) => [one.id, one]));
    const wanted: Omit<CaseIdentity, 'suite'>[] = [];
    for (const { id, several } of cases.values()) {
      const variants = several === undefined ? [{}] : await latest.variants(suite.path, id);
      pushAll(
        wanted,
        variants.map(({ variant }: { variant?: string }) => ({ id, variant })),
      );
    }
    let batch: LastOutcome[] = [];
    for await (const lines of latest.each(suite.path, wanted)) {
      for (const line of lines) {
        const found = cases.get(line.id);
        const isLive = isRunning(live.get({ ...line, suite: suite.path })?.phase);
        const change = found && (await now(suite, found).changeOf(line));
        if (!found || isLive || change === 'gone') continue;
        const item = tree.find(uri, line);
        if (!item || (!again && tree.shown.has(item))) continue;
        tree.shown.set(item, line.finished);
        const isOutdated = change !== undefined;
        batch.push({ item, line, isOutdated, edits: editsSince(line, found) });
      }
      if (batch.length < BATCH_SIZE) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

/** Represents everything that moved a case as a single edit right before it. */
function editsSince({ source }: CaseLine, { path, range }: OutlineCase): Edit[] {
  const lines = range.start.line - source.range.start.line;
  if (path !== source.path || lines === 0) return [];
  const end = { line: source.range.start.line, character: 0 };
  const start = { ...end, line: end.line + Math.min(lines, 0) };
  return [{ path, range: { start, end }, text: '\n'.repeat(Math.max(lines, 0)) }];
}
