import type { Disposable } from 'vscode';
import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import type { RenamedCase } from '../evalfile/caseRenames.ts';
import { FileError, readText } from '../evalfile/files.ts';
import { LANGUAGE_ID, SECTION, SERVER_FLAGS } from '../protocol/names.ts';
import {
  CASE_RENAMED,
  CASE_RENAMES,
  type CaseRenamed,
  type ClientOptions,
  caseRenamedSchema,
  caseRenamesSchema,
  EDITOR_MODELS,
  FILE_REQUESTS,
  globParamsSchema,
  type ReadReply,
  readParamsSchema,
  uriParamsSchema,
  VERDICT_MARKS,
} from '../protocol/serverProtocol.ts';
import { TurnMarks } from './marks/turnMarks.ts';

/**
 * Starts the language server in its own process.
 *
 * @param module the server's script, absolute
 * @param listener called before and after cases get new ids
 * @param keep disposes of a part with the client
 */
export async function startClient(
  module: string,
  listener: {
    readonly renames: (renamed: readonly RenamedCase[]) => void;
    readonly renamed: (renamed: CaseRenamed) => void;
  },
  keep: <Part extends Disposable>(part: Part) => Part,
): Promise<LanguageClient> {
  const initializationOptions: ClientOptions = { extension: true };
  const client = new LanguageClient(
    SECTION,
    'Turnlight Language Server',
    { module, transport: TransportKind.ipc, options: { execArgv: [...SERVER_FLAGS] } },
    {
      initializationOptions,
      documentSelector: [{ language: LANGUAGE_ID }, { pattern: '**/*.{md,json,jsonl,yaml,yml}' }],
    },
  );
  serveFiles(client);
  client.onRequest(EDITOR_MODELS, async () => {
    const { listEditorModels } = await import('./lm/editorModels.ts');
    return (await listEditorModels()).map(({ name }) => `vscode:${name}`);
  });
  const marks = keep(new TurnMarks());
  client.onNotification(VERDICT_MARKS, (given: unknown) => marks.update(given));
  client.onNotification(CASE_RENAMES, (given: unknown) =>
    listener.renames(caseRenamesSchema.parse(given)),
  );
  client.onNotification(CASE_RENAMED, (given: unknown) =>
    listener.renamed(caseRenamedSchema.parse(given)),
  );
  await client.start();
  return client;
}

/** Maximum number of files that match one pattern. */
const MAX_FILES = 5_000;

/** Answers the language server's requests for files that only the editor can read. */
function serveFiles(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest<ReadReply, void>(FILE_REQUESTS.read, async (params: unknown) => {
      const { uri, maxBytes } = readParamsSchema.parse(params);
      return read(vscode.Uri.parse(uri), maxBytes);
    }),
    client.onRequest<boolean, void>(FILE_REQUESTS.exists, async (params: unknown) => {
      const { uri } = uriParamsSchema.parse(params);
      return vscode.workspace.fs.stat(vscode.Uri.parse(uri)).then(
        ({ type }) => (type & vscode.FileType.File) !== 0,
        () => false,
      );
    }),
    client.onRequest(FILE_REQUESTS.list, async (params: unknown) => {
      const { uri } = uriParamsSchema.parse(params);
      const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.parse(uri));
      return {
        entries: entries.map(([name, type]) => ({
          name,
          isFolder: (type & vscode.FileType.Directory) !== 0,
        })),
      };
    }),
    client.onRequest(FILE_REQUESTS.glob, async (params: unknown) => {
      const { folder, patterns } = globParamsSchema.parse(params);
      const base = vscode.Uri.parse(folder);
      const found = await Promise.all(
        patterns.map((pattern) =>
          vscode.workspace.findFiles(
            new vscode.RelativePattern(base, pattern),
            '**/node_modules/**',
            MAX_FILES,
          ),
        ),
      );
      return { uris: [...new Set(found.flat().map((uri) => uri.toString()))] };
    }),
  );
}

async function read(uri: vscode.Uri, maxBytes: number): Promise<ReadReply> {
  const { fs } = vscode.workspace;
  const file = {
    size: async () => (await fs.stat(uri)).size,
    bytes: async () => fs.readFile(uri),
    isMissing: (error: unknown) =>
      error instanceof vscode.FileSystemError && error.code === 'FileNotFound',
  };
  try {
    return { text: await readText(file, maxBytes) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const { reason, message } = error;
    return { reason, message };
  }
}
