import { dirname } from 'node:path';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { CaseLine } from '../core/runRecord.ts';
import { type Files, overlayFiles } from '../evalfile/files.ts';
import { loadDocument, loadSuite } from '../evalfile/load.ts';
import type { LoadedSuite, LoadOptions } from '../evalfile/loadedSuite.ts';
import { isInside } from '../evalfile/paths.ts';
import { messageProblems } from '../language/features/messageDiagnostics.ts';
import { isMessagesFile } from '../language/messagesFile.ts';
import type { EvalDocument } from '../language/ports.ts';
import { EVAL_GLOB, MESSAGES_GLOB } from '../protocol/settings.ts';
import { LatestRuns } from '../store/latest.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { isEvalFile, isVirtual, pathOf } from './addresses.ts';

/** Files of a workspace that are checked without being open. */
const MOST_FILES = 2_000;

/** As many files are kept that are not open. */
const MOST_CLOSED = 20;

/** Of a file that a feature looks into. */
const MOST_BYTES = 2_000_000;

interface Parsed {
  readonly version: number;
  readonly document: Promise<EvalDocument>;
  /** Known once it is read. */
  dependencies?: readonly string[];
  /** The document once it is read: what did not change since is taken over from it. */
  read?: EvalDocument;
}

/** The server's view of the files: what is open counts before what is on the disk. */
export class Workspace {
  #folders: readonly string[] = [];
  #defaultJudge: string | undefined;
  readonly #open: () => readonly TextDocument[];
  readonly #files: Files;
  readonly #runs = new LatestRuns();
  readonly #parsed = new Map<string, Parsed>();
  /** Files that are not open and that a feature looked into last, by path. */
  readonly #closed = new Map<string, EvalDocument>();

  /** @param files as they are where nothing is open */
  constructor(open: () => readonly TextDocument[], files: Files) {
    this.#open = open;
    this.#files = files;
  }

  /** @param folders absolute */
  setFolders(folders: readonly string[]): void {
    this.#folders = folders;
    this.forget();
  }

  setDefaultJudge(judge: string | undefined): void {
    this.#defaultJudge = judge;
    this.forget();
  }

  /** Something that all files may depend on changed: everything is read again. */
  forget(): void {
    this.#parsed.clear();
    this.#closed.clear();
  }

  /** A file changed: what used it is read again, and what may have, since it is not read yet. */
  forgetUsersOf(path: string): void {
    for (const [uri, { dependencies }] of this.#parsed) {
      if (!dependencies || dependencies.includes(path)) this.#parsed.delete(uri);
    }
    for (const [own, { suite }] of this.#closed) {
      if (suite.dependencies.includes(path)) this.#closed.delete(own);
    }
  }

  /** A document was closed: opened again, its versions begin anew. */
  closed(uri: string): void {
    this.#parsed.delete(uri);
  }

  /** The eval files of all folders, as far as they are checked. */
  async findFiles(): Promise<readonly string[]> {
    const found = await Promise.all(
      this.#folders.map((folder) => this.#files.glob([EVAL_GLOB, MESSAGES_GLOB], folder)),
    );
    return [...new Set(found.flat())].slice(0, MOST_FILES);
  }

  /** Whether a file is checked by itself. */
  isChecked(path: string): boolean {
    return isEvalFile(path) || isMessagesFile(path);
  }

  /** What is wrong with a file that is checked by itself; undefined where it is not there. */
  async check(path: string, open: TextDocument | undefined): Promise<LoadedSuite | undefined> {
    if (isMessagesFile(path)) return this.#checkMessages(path, open);
    if (open) return (await this.document(open)).suite;
    if (!(await this.#files.exists(path))) return undefined;
    return loadSuite(path, this.#overlaid(), this.#optionsFor(path));
  }

  async #checkMessages(path: string, open: TextDocument | undefined) {
    const text = open?.getText() ?? (await this.readText(path));
    if (text === undefined) return undefined;
    return { path, problems: messageProblems(text, path), outline: [], dependencies: [] };
  }

  /** Every eval file that is open or that the folders hold, as far as they can be read. */
  async allDocuments(): Promise<readonly EvalDocument[]> {
    const open = this.openDocuments();
    const paths = new Set(this.#open().map(({ uri }) => pathOf(uri)));
    const closed: EvalDocument[] = [];
    for (const path of await this.findFiles()) {
      if (paths.has(path) || !isEvalFile(path)) continue;
      const text = await this.readText(path);
      if (text !== undefined) closed.push(await this.#read(path, text));
    }
    const known = [...(await open), ...closed];
    return [...known, ...(await this.#included(known))];
  }

  /** Files of cases that these include under names that are no eval file's. */
  async #included(documents: readonly EvalDocument[]): Promise<EvalDocument[]> {
    const known = new Set(documents.map(({ suite }) => suite.path));
    const paths = new Set(documents.flatMap(({ suite }) => suite.outline.map(({ path }) => path)));
    const included: EvalDocument[] = [];
    for (const path of paths) {
      const document = known.has(path) ? undefined : await this.documentAt(path);
      if (document) included.push(document);
    }
    return included;
  }

  /** An eval file, open or not; undefined where it cannot be read. */
  async documentAt(path: string): Promise<EvalDocument | undefined> {
    const open = this.#open().find(({ uri }) => pathOf(uri) === path);
    if (open) return this.document(open);
    const text = await this.readText(path);
    if (text === undefined) return undefined;
    const known = this.#closed.get(path);
    if (known?.yaml.text === text) return known;
    const document = await this.#read(path, text);
    const [oldest] = this.#closed.keys();
    if (oldest !== undefined && this.#closed.size >= MOST_CLOSED) this.#closed.delete(oldest);
    this.#closed.set(path, document);
    return document;
  }

  /** Eval files with all that they include. */
  async suitesAt(paths: readonly string[]): Promise<readonly EvalDocument[]> {
    const suites = await Promise.all(paths.map((path) => this.documentAt(path)));
    const known = suites.filter((one) => one !== undefined);
    return [...known, ...(await this.#included(known))];
  }

  openDocuments(): Promise<readonly EvalDocument[]> {
    const evals = this.#open().filter(({ uri }) => isEvalFile(uri));
    return Promise.all(evals.map((one) => this.document(one)));
  }

  get files(): Files {
    return this.#overlaid();
  }

  /** A file's text, as it is typed rather than as it is saved; undefined where it cannot be read. */
  readText(path: string): Promise<string | undefined> {
    return this.#overlaid()
      .read(path, MOST_BYTES)
      .catch(() => undefined);
  }

  /** An open eval file, parsed and loaded once for each version. */
  document(open: TextDocument): Promise<EvalDocument> {
    const known = this.#parsed.get(open.uri);
    if (known?.version === open.version) return known.document;
    const document = this.#load(open, known?.read);
    const parsed: Parsed = { version: open.version, document };
    this.#parsed.set(open.uri, parsed);
    document.then(
      (read) => {
        parsed.dependencies = read.suite.dependencies;
        parsed.read = read;
      },
      () => {},
    );
    return document;
  }

  async #load(open: TextDocument, before: EvalDocument | undefined): Promise<EvalDocument> {
    return this.#read(pathOf(open.uri), open.getText(), before);
  }

  async #read(path: string, text: string, before?: EvalDocument): Promise<EvalDocument> {
    const yaml = parseYaml(text, path, before?.yaml);
    const options = this.#optionsFor(path);
    return { yaml, suite: await loadDocument(yaml, this.#overlaid(), options, before?.suite) };
  }

  #overlaid(): Files {
    const texts = new Map(this.#open().map((one) => [pathOf(one.uri), one.getText()]));
    return overlayFiles(this.#files, texts);
  }

  #optionsFor(path: string): LoadOptions {
    return {
      workspace: this.folderOf(path),
      env: (name) => process.env[name],
      ...(this.#defaultJudge !== undefined && { defaultJudge: this.#defaultJudge }),
    };
  }

  /** The workspace folder that holds a file; its own folder where none does. */
  folderOf(path: string): string {
    const holding = this.#folders.filter((folder) => isInside(path, folder));
    return holding.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  }

  /** Whether a folder or file is in a folder of the workspace. */
  holds(path: string): boolean {
    return this.#folders.some((folder) => isInside(path, folder));
  }

  /** Nothing runs in a virtual workspace, so it has no records. */
  async lastRuns(suite: string, id: string): Promise<readonly CaseLine[]> {
    if (isVirtual(suite)) return [];
    return (await this.#runs.find(suite, id)).map(({ line }) => line);
  }
}
