import { setImmediate } from 'node:timers/promises';
import type { Connection, TextDocuments } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import { diagnosticsByFile } from '../language/features/diagnostics.ts';
import { isEvalFile, pathOf, uriOf } from './addresses.ts';
import type { Workspace } from './workspace.ts';

/** Milliseconds without a key press before a text is checked. */
const DEBOUNCE = 150;

/** What was said of a file that is checked by itself. */
interface Said {
  readonly files: ReturnType<typeof diagnosticsByFile>;
  /** What is kept of it: its outline and what it depends on, without its cases. */
  readonly suite: LoadedSuite;
}

/**
 * Publishes the problems of all eval files of the workspace, open or not, also those that stand in
 * the files that they use. A file is known by its path.
 */
export class Publisher {
  readonly #connection: Connection;
  readonly #documents: TextDocuments<TextDocument>;
  readonly #workspace: Workspace;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #said = new Map<string, Said>();
  /** Files that are not open and wait to be checked, one after the other. */
  readonly #waiting = new Set<string>();
  readonly #onChecked: (suite: LoadedSuite) => Promise<void>;
  #working = false;

  constructor(
    connection: Connection,
    documents: TextDocuments<TextDocument>,
    workspace: Workspace,
    onChecked: (suite: LoadedSuite) => Promise<void>,
  ) {
    this.#onChecked = onChecked;
    this.#connection = connection;
    this.#documents = documents;
    this.#workspace = workspace;
  }

  /** Checks everything that was checked before, and every file that is open. */
  checkAll(): void {
    const open = this.#documents.all().map(({ uri }) => pathOf(uri));
    for (const path of new Set([...open, ...this.#said.keys()])) this.check(path);
  }

  /** Checks the eval files that are there, and forgets those that are not there any more. */
  async checkFolders(): Promise<void> {
    const found = new Set(await this.#workspace.findFiles());
    for (const path of this.#said.keys()) {
      if (!found.has(path) && !this.#openAt(path)) this.#forget(path);
    }
    for (const path of found) this.check(path);
  }

  /** Checks a file soon: at once what is not open, after a pause in typing what is. */
  check(path: string): void {
    if (!this.#workspace.isChecked(path)) return;
    clearTimeout(this.#timers.get(path));
    if (this.#openAt(path)) {
      this.#timers.set(
        path,
        setTimeout(() => void this.#publish(path), DEBOUNCE),
      );
    } else {
      this.#waiting.add(path);
      void this.#work();
    }
  }

  /** Every suite as it was checked last, without its cases. */
  get suites(): readonly LoadedSuite[] {
    return [...this.#said.values()].map(({ suite }) => suite);
  }

  /** Whether an eval file uses this one. */
  isUsed(path: string): boolean {
    return this.usersOf(path).length > 0;
  }

  /** The paths of the eval files that use this one. */
  usersOf(path: string): readonly string[] {
    return this.suites
      .filter(({ dependencies }) => dependencies.includes(path))
      .map((suite) => suite.path);
  }

  /** Checks the eval files that use this one, and the file itself. */
  checkUsersOf(path: string): void {
    for (const [user, { suite }] of this.#said) {
      if (suite.dependencies.includes(path)) this.check(user);
    }
    this.check(path);
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (const path of this.#waiting) {
      this.#waiting.delete(path);
      await this.#publish(path);
      // Requests of the editor go first.
      await setImmediate();
    }
    this.#working = false;
  }

  #openAt(path: string): TextDocument | undefined {
    return this.#documents.all().find(({ uri }) => pathOf(uri) === path);
  }

  async #publish(path: string): Promise<void> {
    const open = this.#openAt(path);
    const version = open?.version;
    try {
      const checked = await this.#workspace.check(path, open);
      // A newer text has come meanwhile, and its check with it.
      if (this.#openAt(path)?.version !== version) return;
      if (checked) {
        // What a suite includes is checked with it: by itself it lacks the suite's models and targets.
        this.#say(path, this.isUsed(path) ? { ...checked, problems: [] } : checked);
        await this.#onChecked(checked);
      } else this.#forget(path);
    } catch (error) {
      this.#connection.console.error(String(error instanceof Error ? error.stack : error));
    }
  }

  #say(path: string, checked: LoadedSuite): void {
    const before = this.#said.get(path);
    const files = diagnosticsByFile(checked.problems);
    const { suite, ...rest } = checked;
    this.#said.set(path, {
      files,
      suite: { ...rest, ...(suite && { suite: { ...suite, cases: [] } }) },
    });
    this.#send(new Set([...(before?.files.keys() ?? []), ...files.keys(), path]));
    const dependencies = new Set([...(before?.suite.dependencies ?? []), ...checked.dependencies]);
    for (const one of dependencies) {
      const joins = before?.suite.dependencies.includes(one) !== checked.dependencies.includes(one);
      if (joins && this.#said.has(one)) this.check(one);
    }
  }

  #forget(path: string): void {
    const before = this.#said.get(path);
    this.#said.delete(path);
    this.#send(before?.files.keys() ?? []);
  }

  /** A prompt may be used by several eval files: what all of them say about it is shown once. */
  #send(paths: Iterable<string>): void {
    for (const path of paths) {
      const all = [...this.#said.values()].flatMap(({ files }) => files.get(path) ?? []);
      const unique = new Map(all.map((one) => [JSON.stringify(one), one]));
      const open = this.#openAt(path);
      void this.#connection.sendDiagnostics({
        uri: open?.uri ?? uriOf(path),
        diagnostics: [...unique.values()],
        ...(open && { version: open.version }),
      });
    }
  }
}

/** Whether a change of this file can change what is said of an eval file. */
export function mayMatter(path: string): boolean {
  return isEvalFile(path) || /\.(?:md|jsonl?|ya?ml|[cm]?[jt]s)$/.test(path);
}
