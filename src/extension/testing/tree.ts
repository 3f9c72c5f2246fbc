import * as vscode from 'vscode';
import type { LoadedSuite, OutlineCase } from '../../evalfile/loadedSuite.ts';
import { EVAL_GLOB } from '../../shared/settings.ts';
import { Disposing } from '../disposables.ts';
import { toRange } from '../places.ts';
import { findEvalFiles, isEvalFile, readSuite } from '../suites.ts';

/** What a test item stands for. */
export type ItemData =
  | { readonly kind: 'file'; readonly uri: vscode.Uri }
  | { readonly kind: 'case'; readonly uri: vscode.Uri; readonly id: string }
  | {
      readonly kind: 'repetition';
      readonly uri: vscode.Uri;
      readonly id: string;
      readonly repetition: number;
    };

/** Milliseconds without a key press before the cases of an edited file are read again. */
const DEBOUNCE = 300;

/** Keeps the Testing panel in step with the files: file → case → repetition. */
export class TestTree extends Disposing {
  readonly #controller: vscode.TestController;
  readonly #data = new WeakMap<vscode.TestItem, ItemData>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #found: Promise<void> | undefined;

  constructor(controller: vscode.TestController) {
    super();
    this.#controller = controller;
    controller.resolveHandler = async (item) => {
      if (!item) return this.findAll();
      const data = this.#data.get(item);
      if (data?.kind === 'file') await this.refresh(data.uri);
    };
    controller.refreshHandler = async () => {
      this.#found = undefined;
      await this.findAll();
    };
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(EVAL_GLOB));
    this.keep(watcher.onDidCreate((uri) => this.refresh(uri)));
    this.keep(watcher.onDidChange((uri) => this.#later(uri)));
    this.keep(watcher.onDidDelete((uri) => this.#remove(uri)));
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
  }

  dataOf(item: vscode.TestItem): ItemData | undefined {
    return this.#data.get(item);
  }

  /** The item of a file, a case or a repetition, as far as it is in the panel. */
  find(uri: vscode.Uri, id?: string, repetition?: number): vscode.TestItem | undefined {
    const file = this.#controller.items.get(uri.toString());
    if (id === undefined) return file;
    const found = file?.children.get(id);
    if (repetition === undefined || !found || found.children.size === 0) return found;
    return found.children.get(String(repetition));
  }

  /** Finds the eval files of the workspace; their cases are read when they are unfolded or run. */
  findAll(): Promise<void> {
    this.#found ??= this.#findAll();
    return this.#found;
  }

  async #findAll(): Promise<void> {
    const found = (await findEvalFiles()).sort((a, b) => (a.path < b.path ? -1 : 1));
    for (const uri of found) this.#fileItem(uri);
    for (const [id] of this.#controller.items) {
      if (!found.some((uri) => uri.toString() === id)) this.#controller.items.delete(id);
    }
    await Promise.all(found.map((uri) => this.refresh(uri)));
  }

  /** Reads a file's cases again and changes what is different, in place. */
  async refresh(uri: vscode.Uri): Promise<LoadedSuite> {
    const item = this.#fileItem(uri);
    const suite = await readSuite(uri);
    const broken = suite.problems.find(({ severity }) => severity === 'error');
    const missing = suite.problems.some(
      ({ code, path }) => code === 'file-missing' && path === suite.path,
    );
    if (missing) {
      this.#remove(uri);
      return suite;
    }
    item.error = suite.outline.length === 0 ? broken?.message : undefined;
    const cases = suite.outline.filter(
      (one, index, all) =>
        one.id !== undefined && all.findIndex(({ id }) => id === one.id) === index,
    );
    for (const one of cases) this.#caseItem(item, uri, one);
    const ids = new Set(cases.map(({ id }) => id));
    for (const [id] of item.children) if (!ids.has(id)) item.children.delete(id);
    return suite;
  }

  #fileItem(uri: vscode.Uri): vscode.TestItem {
    const known = this.#controller.items.get(uri.toString());
    if (known) return known;
    const label = vscode.workspace.asRelativePath(uri);
    const item = this.#controller.createTestItem(uri.toString(), label, uri);
    item.canResolveChildren = true;
    this.#data.set(item, { kind: 'file', uri });
    this.#controller.items.add(item);
    return item;
  }

  #caseItem(file: vscode.TestItem, uri: vscode.Uri, found: OutlineCase): void {
    const id = found.id ?? '';
    let item = file.children.get(id);
    if (!item) {
      item = this.#controller.createTestItem(id, id, vscode.Uri.file(found.path));
      this.#data.set(item, { kind: 'case', uri, id });
      file.children.add(item);
    }
    item.range = toRange(found.range);
    item.description = found.description ?? '';
    item.tags = found.tags.map((tag) => new vscode.TestTag(tag.replace(/\s+/g, '-')));
    item.sortText = String(found.range.start.line).padStart(8, '0');
    const times = found.repetitions > 1 ? found.repetitions : 0;
    for (let repetition = 1; repetition <= times; repetition += 1) {
      if (item.children.get(String(repetition))) continue;
      const child = this.#controller.createTestItem(
        String(repetition),
        `${id} ${repetition}/${times}`,
        vscode.Uri.file(found.path),
      );
      child.range = item.range;
      this.#data.set(child, { kind: 'repetition', uri, id, repetition });
      item.children.add(child);
    }
    for (const [repetition] of item.children) {
      if (Number(repetition) > times) item.children.delete(repetition);
    }
  }

  #later(uri: vscode.Uri): void {
    if (!isEvalFile(uri)) return;
    const key = uri.toString();
    clearTimeout(this.#timers.get(key));
    this.#timers.set(
      key,
      setTimeout(() => void this.refresh(uri), DEBOUNCE),
    );
  }

  #remove(uri: vscode.Uri): void {
    this.#controller.items.delete(uri.toString());
  }

  /** A deleted or renamed folder takes its files with it. */
  #removeUnder(uri: vscode.Uri): void {
    for (const [id] of this.#controller.items) {
      if (id === uri.toString() || id.startsWith(`${uri.toString()}/`)) {
        this.#controller.items.delete(id);
      }
    }
  }
}
