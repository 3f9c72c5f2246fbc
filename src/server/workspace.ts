import { dirname } from 'node:path';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { URI } from 'vscode-uri';
import type { CaseLine } from '../core/runRecord.ts';
import { type Files, overlayFiles } from '../evalfile/files.ts';
import { loadDocument } from '../evalfile/load.ts';
import { nodeFiles } from '../evalfile/nodeFiles.ts';
import { isInside } from '../evalfile/paths.ts';
import { parseYaml } from '../evalfile/yamlDocument.ts';
import type { EvalDocument } from '../language/ports.ts';
import { LatestRuns } from '../store/latest.ts';

const EVAL_FILE = /\.eval\.ya?ml$/;

export function isEvalFile(path: string): boolean {
  return EVAL_FILE.test(path);
}

export function pathOf(uri: string): string {
  return URI.parse(uri).fsPath;
}

export function uriOf(path: string): string {
  return URI.file(path).toString();
}

/** The server's view of the files: what is open counts before what is on the disk. */
export class Workspace {
  #folders: readonly string[] = [];
  #defaultJudge: string | undefined;
  readonly #open: () => readonly TextDocument[];
  readonly #disk: Files = nodeFiles();
  readonly #runs = new Map<string, LatestRuns>();
  readonly #parsed = new Map<
    string,
    { readonly version: number; readonly document: Promise<EvalDocument> }
  >();

  constructor(open: () => readonly TextDocument[]) {
    this.#open = open;
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

  /** Something else than the open documents changed: what was read of it is read again. */
  forget(): void {
    this.#parsed.clear();
  }

  /** A document was closed: opened again, its versions begin anew. */
  closed(uri: string): void {
    this.#parsed.delete(uri);
  }

  /** Forgets the open eval files that include this one, and names them. */
  async forgetUsers(uri: string): Promise<readonly string[]> {
    const path = pathOf(uri);
    const users: string[] = [];
    for (const [user, known] of [...this.#parsed]) {
      const document = await known.document.catch(() => undefined);
      if (user === uri || !document?.suite.dependencies.includes(path)) continue;
      if (this.#parsed.get(user) === known) this.#parsed.delete(user);
      users.push(user);
    }
    return users;
  }

  /** An open eval file, parsed and loaded once for each version. */
  document(open: TextDocument): Promise<EvalDocument> {
    const known = this.#parsed.get(open.uri);
    if (known?.version === open.version) return known.document;
    const document = this.#load(open);
    this.#parsed.set(open.uri, { version: open.version, document });
    return document;
  }

  async #load(open: TextDocument): Promise<EvalDocument> {
    const path = pathOf(open.uri);
    const yaml = parseYaml(open.getText(), path);
    const texts = new Map(this.#open().map((one) => [pathOf(one.uri), one.getText()]));
    const suite = await loadDocument(yaml, overlayFiles(this.#disk, texts), {
      workspace: this.folderOf(path),
      env: (name) => process.env[name],
      ...(this.#defaultJudge !== undefined && { defaultJudge: this.#defaultJudge }),
    });
    return { yaml, suite };
  }

  /** The workspace folder that holds a file; its own folder where none does. */
  folderOf(path: string): string {
    const holding = this.#folders.filter((folder) => isInside(path, folder));
    return holding.sort((a, b) => b.length - a.length)[0] ?? dirname(path);
  }

  async lastRuns(suite: string, id: string): Promise<readonly CaseLine[]> {
    const folder = this.folderOf(suite);
    const runs = this.#runs.get(folder) ?? new LatestRuns(folder);
    this.#runs.set(folder, runs);
    return (await runs.find(suite, id)).map(({ line }) => line);
  }
}
