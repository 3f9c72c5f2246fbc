import * as vscode from 'vscode';
import type { CaseIdentity } from '../../core/identity.ts';
import type { ExpandedCase } from '../../core/suite.ts';
import { labelText, visibleText } from '../../core/text/visibleText.ts';
import type { RenamedCase } from '../../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { EVAL_GLOB } from '../../node/paths.ts';
import { Debouncer, Disposing } from '../disposables.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../workspace.ts';
import { CaseItems } from './caseItems.ts';
import { isMissing, sortFiles } from './listedCases.ts';
import type { CaseData, ItemData } from './repetitions.ts';

/** Milliseconds without a key press before an edited file is read again. */
const DEBOUNCE = 300;

type CaseInTree = Omit<CaseIdentity, 'suite'> & { readonly repetition?: number | undefined };

/** Glob for files that may contain a case's conversations. */
const DATA_GLOB = '**/*.{json,jsonl,yaml,yml,csv}';

/** Keeps the Testing panel in sync with the files: file → case → variant → repetition. */
export class TestTree extends Disposing {
  readonly #controller: vscode.TestController;
  readonly #data = new WeakMap<vscode.TestItem, ItemData>();
  readonly #cases: CaseItems;
  /** When the run shown for each item finished, in ISO 8601. */
  readonly shown = new WeakMap<vscode.TestItem, string>();
  readonly #debouncer = this.keep(new Debouncer(DEBOUNCE));
  /** Number of the latest read of each file. Results of earlier reads are ignored. */
  readonly #read = new Map<string, number>();
  readonly #listed = this.keep(new vscode.EventEmitter<vscode.Uri>());
  /** An eval file was added to the panel. */
  readonly onDidList = this.#listed.event;
  readonly #found = this.keep(new vscode.EventEmitter<LoadedSuite>());
  /** The cases of an eval file were added to the panel. */
  readonly onDidFind = this.#found.event;
  readonly #gone = this.keep(
    new vscode.EventEmitter<{ id: string; variants: readonly string[] }>(),
  );
  /** Conversations of a case no longer exist. */
  readonly onDidRemoveVariants = this.#gone.event;
  #reads = 0;
  #listedAll: Promise<readonly vscode.Uri[]> | undefined;
  #foundAll: Promise<void> | undefined;

  constructor(controller: vscode.TestController) {
    super();
    this.#controller = controller;
    this.#cases = new CaseItems(controller, this.#data);
    controller.resolveHandler = async (item) => {
      if (!item) return this.findAll();
      const data = this.#data.get(item);
      if (data?.kind === 'file') await this.refresh(data.uri);
      else if (data?.kind === 'case' && data.several !== undefined) await this.#expandCase(item);
      else this.#cases.repetitions.expand(item);
    };
    controller.refreshHandler = async () => {
      this.#listedAll = undefined;
      this.#foundAll = undefined;
      await this.findAll();
    };
    this.watchFiles(DATA_GLOB, (uri, isNew) => this.#dataChanged(uri, isNew));
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(EVAL_GLOB));
    this.keep(watcher.onDidCreate((uri) => isListed(uri) && this.refresh(uri)));
    this.keep(watcher.onDidChange((uri) => this.#scheduleRefresh(uri)));
    // If a folder is deleted, VS Code reports only the folder.
    const gone = this.keep(vscode.workspace.createFileSystemWatcher('**', true, true));
    this.keep(gone.onDidDelete((uri) => this.#removeUnder(uri)));
    this.keep(
      vscode.workspace.onDidDeleteFiles(({ files }) => {
        for (const uri of files) this.#removeUnder(uri);
      }),
    );
    this.keep(
      vscode.workspace.onDidRenameFiles(async ({ files }) => {
        // Adds the new item first, so that the panel doesn't jump.
        for (const { newUri } of files) if (isEvalFile(newUri)) await this.refresh(newUri);
        for (const { oldUri } of files) this.#removeUnder(oldUri);
      }),
    );
    this.keep(
      vscode.workspace.onDidChangeTextDocument(({ document }) =>
        this.#scheduleRefresh(document.uri),
      ),
    );
    this.keep(vscode.workspace.onDidOpenTextDocument(({ uri }) => this.#scheduleRefresh(uri)));
    // After a reload, documents are already open.
    for (const { uri } of vscode.workspace.textDocuments) this.#scheduleRefresh(uri);
  }

  dataOf(item: vscode.TestItem): ItemData | undefined {
    return this.#data.get(item);
  }

  /** The data of a case, variant, or repetition item; undefined for a file. */
  caseDataOf(item: vscode.TestItem): CaseData | undefined {
    const data = this.#data.get(item);
    return data?.kind === 'file' ? undefined : data;
  }

  /** The item for a file, case, variant, or repetition, if there is one. */
  find(uri: vscode.Uri, wanted?: CaseInTree): vscode.TestItem | undefined {
    const file = this.#controller.items.get(uri.toString());
    if (!wanted) return file;
    const { id, variant, repetition } = wanted;
    const item = file && this.#cases.find(file, id);
    const found = item && variant !== undefined ? this.#cases.findVariant(item, variant) : item;
    if (!found || repetition === undefined) return found;
    return this.#cases.repetitions.find(found, repetition);
  }

  /** The label of an item. For a variant, this includes the label of its case. */
  titleOf(item: vscode.TestItem): string {
    const data = this.caseDataOf(item);
    return data?.variant === undefined ? item.label : `${labelText(data.id)}/${item.label}`;
  }

  /** The item that represents all repetitions of a case until they start: the first one, or the case itself. */
  firstOf(item: vscode.TestItem): vscode.TestItem {
    return this.#cases.repetitions.find(item, 1) ?? item;
  }

  /** The items of all cases with this id. */
  findById(id: string): { readonly uri: vscode.Uri; readonly item: vscode.TestItem }[] {
    return [...this.#controller.items].flatMap(([, file]) => {
      const item = this.#cases.find(file, id);
      return file.uri && item ? [{ uri: file.uri, item }] : [];
    });
  }

  /** Lets cases keep their items when their file shows the new ids. */
  expectRenames(renamed: readonly RenamedCase[]): void {
    this.#cases.expectRenames(renamed);
  }

  /** Finds all eval files in the workspace, and their cases, when the panel or a run first needs them. */
  findAll(): Promise<void> {
    this.#foundAll ??= this.#findAll();
    return this.#foundAll;
  }

  /** Finds all eval files in the workspace, without reading them. */
  list(): Promise<readonly vscode.Uri[]> {
    this.#listedAll ??= this.#list();
    return this.#listedAll;
  }

  async #findAll(): Promise<void> {
    // One at a time, because in parallel they would block everything else.
    for (const uri of await this.list()) await this.refresh(uri);
  }

  async #list(): Promise<readonly vscode.Uri[]> {
    const open = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
    const found = sortFiles(await findEvalFiles(), (uri) => open.has(uri.toString()));
    const ids = new Set(found.map((uri) => uri.toString()));
    for (const uri of found) this.#fileItem(uri);
    for (const [id] of this.#controller.items) if (!ids.has(id)) this.#controller.items.delete(id);
    return found;
  }

  /** Reads a file's cases again and updates the items in place. */
  async refresh(uri: vscode.Uri): Promise<LoadedSuite> {
    this.#reads += 1;
    const read = this.#reads;
    const suite = await readSuite(uri);
    const key = uri.toString();
    // Reading an older version may take longer than reading a newer one.
    if (read < (this.#read.get(key) ?? 0)) return suite;
    this.#read.set(key, read);
    if (isMissing(suite)) this.#controller.items.delete(key);
    else this.#show(uri, suite);
    return suite;
  }

  /** Shows a case's conversations. */
  showVariants(uri: vscode.Uri, id: string, expanded: ExpandedCase): void {
    const item = this.find(uri, { id });
    if (!item) return;
    const problem = expanded.problems.find(({ severity }) => severity === 'error');
    item.error = problem && visibleText(problem.message);
    const variants = this.#cases.showVariants(item, expanded);
    if (!problem && variants.length > 0) this.#gone.fire({ id, variants });
  }

  /** Reads a case's conversations and shows them. */
  async #expandCase(item: vscode.TestItem): Promise<void> {
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

  /** Updates expanded cases whose conversations may be in a changed file. */
  #dataChanged(uri: vscode.Uri, isNew: boolean): void {
    if (uri.scheme !== 'file' || isEvalFile(uri) || uri.path.includes('/.turnlight/')) return;
    for (const [, file] of this.#controller.items) {
      for (const [, item] of file.children) {
        if (!this.#cases.mayContain(item, uri.fsPath, isNew)) continue;
        this.#debouncer.schedule(`${file.id} ${item.id}`, () => void this.#expandCase(item));
      }
    }
  }

  #show(uri: vscode.Uri, suite: LoadedSuite): void {
    const item = this.#fileItem(uri);
    const broken = suite.problems.find(({ severity }) => severity === 'error');
    item.error = suite.outline.length === 0 && broken ? visibleText(broken.message) : undefined;
    // While a file can't be read, for example while the user is typing, its cases stay.
    if (item.error !== undefined) return;
    const { isKnown, outdated } = this.#cases.show(item, uri, suite);
    for (const one of outdated) void this.#expandCase(one);
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

  #scheduleRefresh(uri: vscode.Uri): void {
    if (isListed(uri)) this.#debouncer.schedule(uri.toString(), () => void this.refresh(uri));
  }

  /** Removes a deleted or renamed file, or all files in such a folder, including those being read. */
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

/** Whether to list a file. Eval files in installed packages aren't listed. */
function isListed(uri: vscode.Uri): boolean {
  return isEvalFile(uri) && !uri.path.includes('/node_modules/');
}
