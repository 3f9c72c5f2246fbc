import { until } from '../until.ts';
import type { Companion, Companions } from './channel.ts';

/** The active editor: the absolute path of its file, and the cursor's position, counted from 1. */
export interface ActiveEditor {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A diagnostic, with line and column counted from 1. */
export interface FoundProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** A VS Code window, accessed through VS Code's API. Paths are absolute, and lines and columns are counted from 1. */
export class Window {
  readonly folder: string;
  readonly #companions: Companions;
  #companion: Companion;

  private constructor(folder: string, companions: Companions, companion: Companion) {
    this.folder = folder;
    this.#companions = companions;
    this.#companion = companion;
  }

  /** Resolves when the folder's window runs extensions. */
  static async of(folder: string, companions: Companions): Promise<Window> {
    return new Window(folder, companions, await companions.of(folder));
  }

  /** Runs a function in the window; see `Companion.evaluate`. */
  get evaluate(): Companion['evaluate'] {
    return this.#companion.evaluate.bind(this.#companion);
  }

  /** Runs a command by its id, and waits until it finishes. */
  async command(id: string, ...args: readonly unknown[]): Promise<void> {
    await this.evaluate(
      async (vscode, command, given) => {
        await vscode.commands.executeCommand(command, ...given);
      },
      id,
      args,
    );
  }

  /** Renames the symbol at a position, counted from 0, and saves all changed files. */
  async rename(path: string, line: number, character: number, name: string): Promise<void> {
    await this.evaluate(
      async (vscode, file, at, after, newName) => {
        const edit = await vscode.commands.executeCommand<import('vscode').WorkspaceEdit>(
          'vscode.executeDocumentRenameProvider',
          vscode.Uri.file(file),
          new vscode.Position(at, after),
          newName,
        );
        await vscode.workspace.applyEdit(edit);
        await vscode.workspace.saveAll();
      },
      path,
      line,
      character,
      name,
    );
  }

  /** Resolves when the window runs extensions again. */
  async reload(): Promise<void> {
    const next = this.#companions.next(this.folder);
    // The command never returns, since the window reloads.
    this.command('workbench.action.reloadWindow').catch(() => {});
    this.#companion = await next;
  }

  /** Opens a file in the first column, with the cursor's line in the middle of the editor. */
  async open(path: string, line = 1, column = 1): Promise<void> {
    await this.evaluate(
      async (vscode, file, at, character) => {
        const position = new vscode.Position(at - 1, character - 1);
        // Setting the editor's `selection` wouldn't wait until the cursor is there.
        await vscode.window.showTextDocument(vscode.Uri.file(file), {
          viewColumn: vscode.ViewColumn.One,
          selection: new vscode.Range(position, position),
        });
        await vscode.commands.executeCommand('revealLine', { lineNumber: at - 1, at: 'center' });
      },
      path,
      line,
      column,
    );
  }

  /** Resolves when the language server has loaded the file. */
  async served(path: string): Promise<void> {
    const symbols = () =>
      this.evaluate(async (vscode, file) => {
        const found = await vscode.commands.executeCommand<unknown[] | undefined>(
          'vscode.executeDocumentSymbolProvider',
          vscode.Uri.file(file),
        );
        return found?.length ?? 0;
      }, path);
    await until('the language server', symbols, (count) => count > 0);
  }

  active(): Promise<ActiveEditor | undefined> {
    return this.evaluate((vscode) => {
      const editor = vscode.window.activeTextEditor;
      if (!editor) return undefined;
      const { line, character } = editor.selection.active;
      return { path: editor.document.uri.fsPath, line: line + 1, column: character + 1 };
    });
  }

  /** The editor's text of an open file. */
  textOf(path: string): Promise<string | undefined> {
    return this.evaluate(
      (vscode, file) =>
        vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === file)?.getText(),
      path,
    );
  }

  /** Replaces the text of an open file without saving it, and puts the cursor at an offset, counted from 0. */
  async write(path: string, text: string, offset: number): Promise<void> {
    await this.evaluate(
      async (vscode, file, written, before) => {
        const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
        const { document } = editor;
        const all = new vscode.Range(0, 0, document.lineCount, 0);
        await editor.edit((edit) => edit.replace(all, written));
        const position = document.positionAt(before);
        const selection = new vscode.Range(position, position);
        await vscode.window.showTextDocument(document, { selection });
      },
      path,
      text,
      offset,
    );
  }

  problems(path: string): Promise<FoundProblem[]> {
    return this.evaluate(
      (vscode, file) =>
        vscode.languages.getDiagnostics(vscode.Uri.file(file)).map(({ message, range }) => ({
          message,
          line: range.start.line + 1,
          column: range.start.character + 1,
        })),
      path,
    );
  }

  /** Titles of the code lenses above a line, in order, once all are resolved. */
  lenses(path: string, line: number): Promise<string[]> {
    return this.evaluate(
      async (vscode, file, at) => {
        const lenses = await vscode.commands.executeCommand<import('vscode').CodeLens[]>(
          'vscode.executeCodeLensProvider',
          vscode.Uri.file(file),
          Number.MAX_SAFE_INTEGER,
        );
        return lenses
          .filter(({ range }) => range.start.line === at - 1)
          .map(({ command }) => command?.title ?? '');
      },
      path,
      line,
    );
  }

  /** Changes a setting of the folder. */
  async configure(key: string, value: unknown): Promise<void> {
    await this.evaluate(
      async (vscode, name, to) => {
        const workspace = vscode.ConfigurationTarget.Workspace;
        // An update that meets another one may never end.
        for (let tries = 0; tries < 5; tries += 1) {
          const update = vscode.workspace.getConfiguration().update(name, to, workspace);
          const isDone = update.then(() => true);
          const isLate = new Promise<boolean>((done) => setTimeout(() => done(false), 10_000));
          if (await Promise.race([isDone, isLate])) return;
        }
        throw new Error(`The setting ${name} can't be changed.`);
      },
      key,
      value,
    );
  }
}
