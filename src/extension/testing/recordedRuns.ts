import * as vscode from 'vscode';
import { uniqueBy } from '../../core/data/data.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { isRunning } from '../../protocol/viewPage.ts';
import type { LatestRuns } from '../../store/records/latest.ts';
import type { CaseStats } from '../../store/records/parseLine.ts';
import { Disposing } from '../disposables.ts';
import type { LiveRuns } from '../liveRuns.ts';
import type { RecordFiles } from '../runs/recordFiles.ts';
import type { Edit } from './movedLines.ts';
import type { RunStatus } from './runStatus.ts';
import type { TestTree } from './tree.ts';

/** Milliseconds without a change before a record is read; longer than the tree waits for a typed id. */
const DEBOUNCE = 600;

/** Milliseconds between two checks whether a run without news is still running. */
const CHECK = 5_000;

/** What is shown of the runs that other processes record. */
export interface RecordedRunsParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly live: LiveRuns;
  readonly records: RecordFiles;
  readonly status: RunStatus;
  readonly log: vscode.LogOutputChannel;
}

export interface Outcome {
  readonly item: vscode.TestItem;
  readonly line: CaseLine;
  /** Made since then. */
  readonly edits?: readonly Edit[];
}

/** A run of another process, as the Testing panel shows it. */
interface ShownRun {
  readonly run: vscode.TestRun;
  readonly check: NodeJS.Timeout;
}

/** Shows runs of the command line, and results that moved to a case's new id, in the Testing panel. */
export class RecordedRuns extends Disposing {
  readonly #parts: RecordedRunsParts;
  #runs: Promise<LatestRuns> | undefined;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Those that go on, by their records. */
  readonly #open = new Map<string, ShownRun>();

  constructor(parts: RecordedRunsParts) {
    super();
    this.#parts = parts;
    this.keep(parts.records.onDidChange((path) => this.#later(path)));
  }

  override dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const record of this.#open.keys()) this.#end(record);
    super.dispose();
  }

  /** Loaded once something was recorded: activation does not pay for it. */
  latest(): Promise<LatestRuns> {
    this.#runs ??= import('../../store/records/latest.ts').then(
      ({ LatestRuns }) => new LatestRuns(),
    );
    return this.#runs;
  }

  #later(path: string): void {
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(() => {
        this.#timers.delete(path);
        this.#show(path).catch((error: unknown) => this.#parts.log.error(String(error)));
      }, DEBOUNCE),
    );
  }

  async #show(record: string): Promise<void> {
    const { tree, status } = this.#parts;
    const { cases, end, state } = await (await this.latest()).record(record);
    await tree.findAll();
    const found = uniqueBy(cases, caseName).flatMap(({ id, variant }) =>
      tree.withId(id).map(({ uri }) => this.#newOutcomes(uri, id, variant)),
    );
    const outcomes = (await Promise.all(found)).flat();
    if (outcomes.length > 0) await tellOutcomes(this.#runOf(record, outcomes), outcomes, tree);
    if (end && this.#open.has(record)) status.recorded(cases, end);
    if (state !== 'running') this.#end(record);
  }

  /** Shows again what is recorded of cases: VS Code calls what a cancelled run left out "Skipped". */
  async showAgain(items: readonly vscode.TestItem[]): Promise<void> {
    const found = items.map(async (item): Promise<Outcome[]> => {
      const data = this.#parts.tree.dataOf(item);
      if (!data || data.kind === 'file') return [];
      const repetition = data.kind === 'repetition' ? data.repetition : 1;
      const wants = (entry: CaseStats) => entry.repetition === repetition;
      const { variant } = data;
      const search = { wants, variant };
      const [known] = await (await this.latest()).find(data.uri.fsPath, data.id, search);
      return known ? [{ item, line: known.line }] : [];
    });
    const outcomes = (await Promise.all(found)).flat();
    if (outcomes.length === 0) return;
    const run = this.#create(outcomes);
    await tellOutcomes(run, outcomes, this.#parts.tree);
    run.end();
  }

  #create(outcomes: readonly Outcome[]): vscode.TestRun {
    const request = new vscode.TestRunRequest(outcomes.map(({ item }) => item));
    return this.#parts.controller.createTestRun(request, 'Recorded run', false);
  }

  /** One run of the panel for each record, however many pieces it comes in. */
  #runOf(record: string, outcomes: readonly Outcome[]): vscode.TestRun {
    const open = this.#open.get(record);
    if (open) return open.run;
    const run = this.#create(outcomes);
    run.token.onCancellationRequested(() => this.#end(record));
    this.#open.set(record, { run, check: setInterval(() => this.#check(record), CHECK) });
    return run;
  }

  /** A run that was killed writes nothing more. */
  #check(record: string): void {
    const checked = this.latest().then((latest) => latest.record(record));
    checked
      .then(({ state }) => state !== 'running' && this.#later(record))
      .catch((error: unknown) => this.#parts.log.error(String(error)));
  }

  #end(record: string): void {
    const open = this.#open.get(record);
    this.#open.delete(record);
    clearInterval(open?.check);
    open?.run.end();
  }

  /** What is new of a case: neither shown before, nor of a run in this window. */
  async #newOutcomes(uri: vscode.Uri, id: string, variant: string | undefined): Promise<Outcome[]> {
    const { tree, live } = this.#parts;
    const suite = uri.fsPath;
    const refOf = ({ repetition }: Pick<CaseStats, 'repetition'>) => ({
      suite,
      id,
      variant,
      repetition,
    });
    const itemOf = ({ repetition }: Pick<CaseStats, 'repetition'>) =>
      tree.find(uri, id, repetition, variant);
    const wants = (entry: CaseStats) => {
      const item = itemOf(entry);
      if (!item || isRunning(live.get(refOf(entry))?.phase)) return false;
      return tree.shown.get(item) !== entry.finished;
    };
    const runs = await (await this.latest()).find(suite, id, { wants, variant });
    return runs.flatMap(({ line }) => {
      live.recorded(refOf(line));
      const item = itemOf(line);
      if (item) tree.shown.set(item, line.finished);
      return item ? [{ item, line }] : [];
    });
  }
}

export async function tellOutcomes(
  run: vscode.TestRun,
  outcomes: readonly Outcome[],
  tree: TestTree,
): Promise<void> {
  const [{ outcomeOf }, { recordedOutput }, { PacedRun }] = await Promise.all([
    import('./progress.ts'),
    import('./output.ts'),
    import('./pacedRun.ts'),
  ]);
  const paced = new PacedRun(run);
  for (const { item, line, edits } of outcomes) {
    paced.output(item, recordedOutput(tree.titleOf(item), line));
    paced.ended(item, line.duration, outcomeOf(line, edits));
  }
  paced.flush();
}
