import * as vscode from 'vscode';
import type { ExpandedCase } from '../../core/suite.ts';
import { labelText, visibleText } from '../../core/text/visibleText.ts';
import type { RenamedCase } from '../../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { EVAL_GLOB } from '../../node/paths.ts';
import { Disposing } from '../disposables.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';
import { CaseItems } from './caseItems.ts';
import type { ItemData } from './itemData.ts';
import { isMissing } from './listedCases.ts';
import { readingOrder } from './readingOrder.ts';
import { Repetitions } from './repetitions.ts';
import { Variants } from './variants.ts';

/** Milliseconds without a key press before the cases of an edited file are read again. */
const DEBOUNCE = 300;

/** Files in which conversations of a case may stand. */
const DATA_GLOB = '**/*.{json,jsonl,yaml,yml,csv}';

interface GoneVariants {
  readonly id: string;
  readonly variants: readonly string[];
}

/** Keeps the Testing panel in step with the files: file → case → variant → repetition. */
export class TestTree extends Disposing {
  readonly #controller: vscode.TestController;
  readonly #data = new WeakMap<vscode.TestItem, ItemData>();
  readonly #repetitions: Repetitions;
  readonly #variants: Variants;
  readonly #cases: CaseItems;
  /** When the run that is shown of an item had finished, ISO 8601 as in its record. */
  readonly shown = new WeakMap<vscode.TestItem, string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** The number of the read that each file shows; a read that began before it says nothing new. */
  readonly #read = new Map<string, number>();
  readonly #listed = this.keep(new vscode.EventEmitter<vscode.Uri>());
  /** An eval file came into the panel. */
  readonly onDidList = this.#listed.event;
  readonly #found = this.keep(new vscode.EventEmitter<LoadedSuite>());
  /** The cases of an eval file came into the panel. */
  readonly onDidFind = this.#found.event;
  readonly #gone = this.keep(new vscode.EventEmitter<GoneVariants>());
  /** Conversations of a case are not in its files any more. */
  readonly onDidLose = this.#gone.event;
  #reads = 0;
  #listedAll: Promise<readonly vscode.Uri[]> | undefined;
  #foundAll: Promise<void> | undefined;

  constructor(controller: vscode.TestController) {
    super();
    this.#controller = controller;
    this.#repetitions = new Repetitions(controller, this.#data);
    this.#variants = new Variants(controller, this.#data, this.#repetitions);
    this.#cases = new CaseItems({
      controller,
      data: this.#data,
      variants: this.#variants,
      repetitions: this.#repetitions,
    });
    controller.resolveHandler = async (item) => {
      if (!item) return this.findAll();
      const data = this.#data.get(item);
      if (data?.kind === 'file') await this.refresh(data.uri);
      else if (data?.kind === 'case' && data.several !== undefined) await this.#unfold(item);
      else this.#repetitions.unfold(item);
    };
    controller.refreshHandler = async () => {
      this.#listedAll = undefined;
      this.#foundAll = undefined;
      await this.findAll();
    };
    const data = this.keep(vscode.workspace.createFileSystemWatcher(DATA_GLOB));
    this.keep(data.onDidCreate((uri) => this.#dataChanged(uri, true)));
    this.keep(data.onDidChange((uri) => this.#dataChanged(uri, false)));
    this.keep(data.onDidDelete((uri) => this.#dataChanged(uri, false)));
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(EVAL_GLOB));
    this.keep(watcher.onDidCreate((uri) => isListed(uri) && this.refresh(uri)));
    this.keep(watcher.onDidChange((uri) => this.#later(uri)));
    // Of a folder that is deleted VS Code tells, and of nothing in it.
    const gone = this.keep(vscode.workspace.createFileSystemWatcher('**', true, true));
    this.keep(gone.onDidDelete((uri) => this.#removeUnder(uri)));
    this.keep(
      vscode.workspace.onDidDeleteFiles(({ files }) => {
        for (const uri of files) this.#removeUnder(uri);
      }),
    );
    this.keep(
      vscode.workspace.onDidRenameFiles(async ({ files }) => {
        // The new one first, so that the panel does not jump.
        for (const { newUri } of files) if (isEvalFile(newUri)) await this.refresh(newUri);
        for (const { oldUri } of files) this.#removeUnder(oldUri);
      }),
    );
    this.keep(
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.#later(document.uri)),
    );
    this.keep(vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#later(uri)));
    // After a reload they are open already.
    for (const { uri } of vscode.workspace.textDocuments) this.#later(uri);
  }

  override dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    super.dispose();
  }

  dataOf(item: vscode.TestItem): ItemData | undefined {
    return this.#data.get(item);
  }

  /** The item of a file, a case, a variant or a repetition, as far as the file has it. */
  find(
    uri: vscode.Uri,
    id?: string,
    repetition?: number,
    variant?: string,
  ): vscode.TestItem | undefined {
    const file = this.#controller.items.get(uri.toString());
    if (id === undefined) return file;
    const item = file && this.#cases.find(file, id);
    const found = item && variant !== undefined ? this.#variants.find(item, variant) : item;
    return found && repetition !== undefined ? this.#repetitions.find(found, repetition) : found;
  }

  /** Its label, after that of its case where it is one of several conversations. */
  titleOf(item: vscode.TestItem): string {
    const data = this.#data.get(item);
    const isOfVariant = data && data.kind !== 'file' && data.variant !== undefined;
    return isOfVariant ? `${labelText(data.id)}/${item.label}` : item.label;
  }

  /** Stands for all repetitions of a case until they begin: the first one, or the case itself. */
  firstOf(item: vscode.TestItem): vscode.TestItem {
    return this.#repetitions.find(item, 1) ?? item;
  }

  /** The items of an id, in whatever file. */
  withId(id: string): { readonly uri: vscode.Uri; readonly item: vscode.TestItem }[] {
    return [...this.#controller.items].flatMap(([, file]) => {
      const item = this.#cases.find(file, id);
      return file.uri && item ? [{ uri: file.uri, item }] : [];
    });
  }

  /** Cases keep their items, once their file shows other ids of them. */
  expectRenames(renamed: readonly RenamedCase[]): void {
    this.#cases.expectRenames(renamed);
  }

  /** Finds the eval files of the workspace and their cases, once the panel or a run asks for them. */
  findAll(): Promise<void> {
    this.#foundAll ??= this.#findAll();
    return this.#foundAll;
  }

  /** Finds the eval files of the workspace, and reads none. */
  async list(): Promise<void> {
    this.#listedAll ??= this.#list();
    await this.#listedAll;
  }

  async #findAll(): Promise<void> {
    this.#listedAll ??= this.#list();
    // One after the other: side by side they would keep everything else waiting.
    for (const uri of await this.#listedAll) await this.refresh(uri);
  }

  async #list(): Promise<readonly vscode.Uri[]> {
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    const found = readingOrder(await findEvalFiles(), (uri) => open.has(uri.toString()));
    const ids = new Set(found.map((uri) => uri.toString()));
    for (const uri of found) this.#fileItem(uri);
    for (const [id] of this.#controller.items) if (!ids.has(id)) this.#controller.items.delete(id);
    return found;
  }

  /** Reads a file's cases again and changes what is different, in place. */
  async refresh(uri: vscode.Uri): Promise<LoadedSuite> {
    this.#reads += 1;
    const read = this.#reads;
    const suite = await readSuite(uri);
    // An older text may be read for longer than a newer one.
    const key = uri.toString();
    if (read < (this.#read.get(key) ?? 0)) return suite;
    this.#read.set(key, read);
    if (isMissing(suite)) this.#controller.items.delete(key);
    else this.#show(uri, suite);
    return suite;
  }

  /** Shows the conversations that a case stands for. */
  showVariants(uri: vscode.Uri, id: string, expanded: ExpandedCase): void {
    const item = this.find(uri, id);
    if (!item) return;
    const problem = expanded.problems.find(({ severity }) => severity === 'error');
    item.error = problem && visibleText(problem.message);
    const variants = this.#variants.show(item, expanded);
    if (!problem && variants.length > 0) this.#gone.fire({ id, variants });
  }

  /** Reads the files that its conversations stand in, and shows them. */
  async #unfold(item: vscode.TestItem): Promise<void> {
    const data = this.#data.get(item);
    if (data?.kind !== 'case') return;
    item.busy = true;
    try {
      const { suite } = await readSuite(data.uri);
      const expanded = await suite?.cases.find(({ id }) => id === data.id)?.expand?.();
      if (expanded) this.showVariants(data.uri, data.id, expanded);
    } finally {
      item.busy = false;
    }
  }

  /** A file changed that may hold conversations of a case that is unfolded. */
  #dataChanged(uri: vscode.Uri, isNew: boolean): void {
    if (uri.scheme !== 'file' || isEvalFile(uri) || uri.path.includes('/.turnlight/')) return;
    for (const [, file] of this.#controller.items) {
      for (const [, item] of file.children) {
        if (!this.#variants.mayHold(item, uri.fsPath, isNew)) continue;
        this.#soon(`${file.id} ${item.id}`, () => this.#unfold(item));
      }
    }
  }

  #show(uri: vscode.Uri, suite: LoadedSuite): void {
    const item = this.#fileItem(uri);
    const broken = suite.problems.find(({ severity }) => severity === 'error');
    item.error = suite.outline.length === 0 && broken ? visibleText(broken.message) : undefined;
    // While a file cannot be read, such as half-way through typing, its cases stay as they were.
    if (item.error !== undefined) return;
    const { isKnown, outOfStep } = this.#cases.show(item, uri, suite);
    for (const one of outOfStep) void this.#unfold(one);
    if (!isKnown) this.#found.fire(suite);
  }

  #fileItem(uri: vscode.Uri): vscode.TestItem {
    const known = this.#controller.items.get(uri.toString());
    if (known) return known;
    const label = labelText(vscode.workspace.asRelativePath(uri));
    const item = this.#controller.createTestItem(uri.toString(), label, uri);
    item.canResolveChildren = true;
    this.#data.set(item, { kind: 'file', uri });
    this.#controller.items.add(item);
    this.#listed.fire(uri);
    return item;
  }

  #later(uri: vscode.Uri): void {
    if (isListed(uri)) this.#soon(uri.toString(), () => this.refresh(uri));
  }

  #soon(key: string, read: () => Promise<unknown>): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => {
        this.#timers.delete(key);
        void read();
      }, DEBOUNCE),
    );
  }

  /** A deleted or renamed folder takes its files with it, also those that are being read. */
  #removeUnder(uri: vscode.Uri): void {
    this.#reads += 1;
    for (const [id] of this.#controller.items) {
      if (id === uri.toString() || id.startsWith(`${uri.toString()}/`)) {
        this.#read.set(id, this.#reads);
        this.#controller.items.delete(id);
      }
    }
  }
}

/** Eval files that came with a package are no tests of the workspace. */
function isListed(uri: vscode.Uri): boolean {
  return isEvalFile(uri) && !uri.path.includes('/node_modules/');
}
