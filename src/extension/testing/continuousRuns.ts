import * as vscode from 'vscode';
import { stackText } from '../../core/errors.ts';
import { caseName } from '../../core/presentation/words.ts';
import { stepsOf } from '../../node/cooperative.ts';
import { Disposing } from '../disposables.ts';
import { mayRun } from '../trust.ts';
import { chooseFile, type WantedFile, wantedFiles } from './chosenFiles.ts';
import type { TestRunner } from './runner.ts';
import type { TestTree } from './tree.ts';

/** Milliseconds without a save before what changed is looked for: several files are saved together. */
const DEBOUNCE = 300;

interface ContinuousParts {
  readonly controller: vscode.TestController;
  readonly tree: TestTree;
  readonly runner: Pick<TestRunner, 'run'>;
  readonly log: vscode.LogOutputChannel;
}

/** Runs chosen cases whenever something is saved that changes them. */
export class ContinuousRuns extends Disposing {
  readonly #parts: ContinuousParts;
  readonly #watches = new Set<Watch>();

  constructor(parts: ContinuousParts) {
    super();
    this.#parts = parts;
  }

  /** Until the token is cancelled; a run that goes on then comes to its end. */
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

/** A run that was started because of a save. */
interface Started {
  readonly items: ReadonlySet<vscode.TestItem>;
  readonly stale: AbortController;
  /** Resolves with what came to no outcome. */
  readonly left: Promise<readonly vscode.TestItem[]>;
}

/** The cases that one click on the eye is about. */
class Watch extends Disposing {
  readonly #request: vscode.TestRunRequest;
  readonly #parts: ContinuousParts;
  /** What each case was when it was looked at last, by its file and its name. */
  readonly #digests = new Map<string, string>();
  /** The files that each eval file rests on, by its own path. */
  readonly #uses = new Map<string, ReadonlySet<string>>();
  readonly #saved = new Set<string>();
  readonly #started = new Set<Started>();
  /** One look after the other. */
  #looking: Promise<void>;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: vscode.TestRunRequest, parts: ContinuousParts) {
    super();
    this.#request = request;
    this.#parts = parts;
    this.#looking = this.#look(() => true).then(
      () => {},
      (error) => this.#fail(error),
    );
    // Other programs write files as well, such as an agent that codes.
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher('**/*', false, false, true));
    this.keep(watcher.onDidCreate((uri) => this.#hear(uri)));
    this.keep(watcher.onDidChange((uri) => this.#hear(uri)));
    this.keep(vscode.workspace.onDidSaveTextDocument(({ uri }) => this.#hear(uri)));
  }

  override dispose(): void {
    clearTimeout(this.#timer);
    super.dispose();
  }

  #hear({ scheme, fsPath, path }: vscode.Uri): void {
    if (scheme !== 'file' || path.includes('/.turnlight/')) return;
    this.#saved.add(fsPath);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking
        .then(() => this.#runChanged())
        .catch((error) => this.#fail(error));
    }, DEBOUNCE);
  }

  #fail(error: unknown): void {
    this.#parts.log.error(stackText(error));
  }

  async #runChanged(): Promise<void> {
    const saved = new Set(this.#saved);
    this.#saved.clear();
    const changed = await this.#look((path) => {
      const uses = this.#uses.get(path);
      return saved.has(path) || [...saved].some((one) => uses?.has(one));
    });
    if (changed.length === 0) return;
    const stale = [...this.#started].filter(({ items }) => changed.some((item) => items.has(item)));
    for (const one of stale) one.stale.abort();
    const left = (await Promise.all(stale.map((one) => one.left))).flat();
    this.#start(new Set([...changed, ...left.map((item) => this.#caseOf(item))]));
  }

  #start(items: ReadonlySet<vscode.TestItem>): void {
    const stale = new AbortController();
    const { profile } = this.#request;
    const request = new vscode.TestRunRequest([...items], undefined, profile, true, true);
    const left = this.#parts.runner.run(request, { stale: stale.signal }).catch((error) => {
      this.#fail(error);
      return [];
    });
    const started = { items, stale, left };
    this.#started.add(started);
    void left.then(() => this.#started.delete(started));
  }

  /** The case or variant that an item, such as that of a repetition, belongs to. */
  #caseOf(item: vscode.TestItem): vscode.TestItem {
    const { tree } = this.#parts;
    const data = tree.dataOf(item);
    if (!data || data.kind === 'file') return item;
    return tree.find(data.uri, data.id, undefined, data.variant) ?? item;
  }

  /** Reads wanted files. @returns the cases that are not what they were */
  async #look(isMeant: (path: string) => boolean): Promise<vscode.TestItem[]> {
    const changed: vscode.TestItem[] = [];
    for (const wanted of wantedFiles(this.#request, this.#parts)) {
      if (isMeant(wanted.uri.fsPath)) changed.push(...(await this.#changedIn(wanted)));
    }
    return changed;
  }

  async #changedIn(wanted: WantedFile): Promise<vscode.TestItem[]> {
    const { tree } = this.#parts;
    const { caseDigest, programsOf } = await import('../../runner/case/describeCase.ts');
    const { uri, suite, items } = await chooseFile(wanted, this.#request.exclude, tree);
    const cases = new Map(suite.suite?.cases.map((one) => [caseName(one), one]));
    const changed: vscode.TestItem[] = [];
    const programs: string[] = [];
    const step = stepsOf();
    for (const item of items) {
      const data = tree.dataOf(item);
      const one = data && data.kind !== 'file' ? cases.get(caseName(data)) : undefined;
      if (!one) continue;
      programs.push(...programsOf(one));
      await step();
      const key = `${uri.fsPath} ${caseName(one)}`;
      const digest = await caseDigest(one);
      if (this.#digests.get(key) !== digest) changed.push(item);
      this.#digests.set(key, digest);
    }
    // What a file used before it was broken may be what mends it.
    const before = suite.suite ? [] : (this.#uses.get(uri.fsPath) ?? []);
    this.#uses.set(uri.fsPath, new Set([...suite.dependencies, ...programs, ...before]));
    return changed;
  }
}
