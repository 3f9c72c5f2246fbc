import * as vscode from 'vscode';
import { stackText } from '../../core/errors.ts';
import { caseName } from '../../core/presentation/words.ts';
import { stepsOf } from '../../node/cooperative.ts';
import { Debouncer, Disposing } from '../disposables.ts';
import { mayRun } from '../workspace.ts';
import { chooseFile, type RequestedFile, requestedFiles } from './chosenFiles.ts';
import type { TestRunner } from './runner.ts';
import type { TestTree } from './tree.ts';

/** Milliseconds to wait for further saves. */
const DEBOUNCE = 300;

interface ContinuousParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly runner: Pick<TestRunner, 'run'>;
  readonly log: vscode.LogOutputChannel;
}

/** Runs cases whenever a saved file changes them. */
export class ContinuousRuns extends Disposing {
  readonly #parts: ContinuousParts;
  readonly #watches = new Set<Watch>();

  constructor(parts: ContinuousParts) {
    super();
    this.#parts = parts;
  }

  /** Watches until the token is canceled. Doesn't stop an active run. */
  watch(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    if (!mayRun()) return;
    const watch = new Watch(request, this.#parts);
    this.#watches.add(watch);
    token.onCancellationRequested(() => {
      this.#watches.delete(watch);
      watch.dispose();
    });
  }

  override dispose(): void {
    for (const watch of this.#watches) watch.dispose();
    super.dispose();
  }
}

/** A run that was started by a save. */
interface StartedRun {
  readonly items: ReadonlySet<vscode.TestItem>;
  readonly stale: AbortController;
  /** Resolves to the items without an outcome. */
  readonly unfinished: Promise<readonly vscode.TestItem[]>;
}

/** The cases in one request for continuous runs. */
class Watch extends Disposing {
  readonly #request: vscode.TestRunRequest;
  readonly #parts: ContinuousParts;
  /** The last digest of each case, by file and name. */
  readonly #digests = new Map<string, string>();
  /** The files that each eval file depends on, by the eval file's path. */
  readonly #dependencies = new Map<string, ReadonlySet<string>>();
  readonly #saved = new Set<string>();
  readonly #started = new Set<StartedRun>();
  #pending: Promise<unknown> = Promise.resolve();
  readonly #debouncer = this.keep(new Debouncer(DEBOUNCE));
  #isOver = false;

  constructor(request: vscode.TestRunRequest, parts: ContinuousParts) {
    super();
    this.#request = request;
    this.#parts = parts;
    this.#check(() => this.#findChanged(() => true));
    // Other programs, such as coding agents, also write files.
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher('**/*', false, false, true));
    this.keep(watcher.onDidCreate((uri) => this.#onSaved(uri)));
    this.keep(watcher.onDidChange((uri) => this.#onSaved(uri)));
    this.keep(vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#onSaved(uri)));
  }

  override dispose(): void {
    this.#isOver = true;
    super.dispose();
  }

  /** Runs one check at a time. */
  #check(check: () => Promise<unknown>): void {
    this.#pending = this.#pending.then(check).catch((error: unknown) => this.#logError(error));
  }

  #onSaved({ scheme, fsPath, path }: vscode.Uri): void {
    if (scheme !== 'file' || path.includes('/.turnlight/')) return;
    this.#saved.add(fsPath);
    this.#debouncer.schedule('saved', () => this.#check(() => this.#runChanged()));
  }

  #logError(error: unknown): void {
    this.#parts.log.error(stackText(error));
  }

  async #runChanged(): Promise<void> {
    const saved = new Set(this.#saved);
    this.#saved.clear();
    const changed = await this.#findChanged((path) => {
      const dependencies = this.#dependencies.get(path);
      return saved.has(path) || [...saved].some((one) => dependencies?.has(one));
    });
    // Continuous runs can be turned off while a check reads files.
    if (changed.length === 0 || this.#isOver) return;
    const stale = [...this.#started].filter(({ items }) => changed.some((item) => items.has(item)));
    for (const one of stale) one.stale.abort();
    const unfinished = (await Promise.all(stale.map((one) => one.unfinished))).flat();
    this.#start(new Set([...changed, ...unfinished.map((item) => this.#caseOf(item))]));
  }

  #start(items: ReadonlySet<vscode.TestItem>): void {
    const stale = new AbortController();
    const { profile } = this.#request;
    const request = new vscode.TestRunRequest([...items], undefined, profile, true, true);
    const unfinished = this.#parts.runner.run(request, { stale: stale.signal }).catch((error) => {
      this.#logError(error);
      return [];
    });
    const started = { items, stale, unfinished };
    this.#started.add(started);
    void unfinished.then(() => this.#started.delete(started));
  }

  /** The case or variant that an item, such as a repetition, belongs to. */
  #caseOf(item: vscode.TestItem): vscode.TestItem {
    const { tree } = this.#parts;
    const data = tree.caseDataOf(item);
    return (data && tree.find(data.uri, { id: data.id, variant: data.variant })) ?? item;
  }

  /** Reads the requested files again. @returns the changed cases */
  async #findChanged(isAffected: (path: string) => boolean): Promise<vscode.TestItem[]> {
    const changed: vscode.TestItem[] = [];
    for (const wanted of requestedFiles(this.#request, this.#parts)) {
      if (isAffected(wanted.uri.fsPath)) changed.push(...(await this.#changedIn(wanted)));
    }
    return changed;
  }

  async #changedIn(wanted: RequestedFile): Promise<vscode.TestItem[]> {
    const { tree } = this.#parts;
    const { caseDigest, programsOf } = await import('../../runner/case/describeCase.ts');
    const { uri, suite, items } = await chooseFile(wanted, tree);
    const cases = new Map(suite.suite?.cases.map((one) => [caseName(one), one]));
    const changed: vscode.TestItem[] = [];
    const programs: string[] = [];
    const step = stepsOf();
    for (const item of items) {
      const data = tree.caseDataOf(item);
      const one = data && cases.get(caseName(data));
      if (!one) continue;
      programs.push(...programsOf(one));
      await step();
      const key = `${uri.fsPath} ${caseName(one)}`;
      const digest = await caseDigest(one);
      if (this.#digests.get(key) !== digest) changed.push(item);
      this.#digests.set(key, digest);
    }
    // Editing a file that the suite used before it became invalid may fix it.
    const before = suite.suite ? [] : (this.#dependencies.get(uri.fsPath) ?? []);
    this.#dependencies.set(uri.fsPath, new Set([...suite.dependencies, ...programs, ...before]));
    return changed;
  }
}
