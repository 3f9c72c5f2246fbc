import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import type { KeyHost } from '../core/environment.ts';
import type { RenamedCase } from '../evalfile/caseRenames.ts';
import { FileError, readText } from '../evalfile/files.ts';
import { COMMANDS, LANGUAGE_ID, SECTION, SERVER_FLAGS } from '../protocol/names.ts';
import {
  CASE_RENAMED,
  CASE_RENAMES,
  type CaseRenamed,
  type ClientOptions,
  caseRenamedSchema,
  caseRenamesSchema,
  EDITOR_MODELS,
  FILE_REQUESTS,
  type GlobReply,
  globParamsSchema,
  type ListReply,
  namesSchema,
  type ReadReply,
  readParamsSchema,
  SET_VARIABLES,
  uriParamsSchema,
  VERDICT_MARKS,
} from '../protocol/serverProtocol.ts';
import { TurnMarks } from './marks/turnMarks.ts';
import { EXCLUDED } from './workspace.ts';

/**
 * Starts the language server in its own process.
 *
 * @param module absolute path of the server's script
 * @param keys API keys
 * @param renames fires before cases get new ids
 * @param renamed fires after a case got a new id
 * @param keep ensures that a part is disposed of with the client
 */
export async function startClient(
  module: string,
  keys: KeyHost,
  renames: vscode.EventEmitter<readonly RenamedCase[]>,
  renamed: vscode.EventEmitter<CaseRenamed>,
  keep: <Part extends vscode.Disposable>(part: Part) => Part,
): Promise<LanguageClient> {
  const initializationOptions: ClientOptions = { extension: true };
  const client = new LanguageClient(
    SECTION,
    'Turnlight Language Server',
    { module, transport: TransportKind.ipc, options: { execArgv: [...SERVER_FLAGS] } },
    {
      initializationOptions,
      markdown: { isTrusted: { enabledCommands: [COMMANDS.openDocumentation] } },
      documentSelector: [{ language: LANGUAGE_ID }, { pattern: '**/*.{md,json,jsonl,yaml,yml}' }],
    },
  );
  serveFiles(client);
  client.onRequest(EDITOR_MODELS, async () => {
    const { listEditorModels } = await import('./lm/editorModels.ts');
    return (await listEditorModels()).map(({ name }) => `vscode:${name}`);
  });
  client.onRequest(SET_VARIABLES, async (given) => {
    const names = namesSchema.parse(given);
    const values = await Promise.all(names.map((name) => keys.secret(name)));
    return names.filter((_, index) => values[index] !== undefined);
  });
  const marks = keep(new TurnMarks());
  client.onNotification(VERDICT_MARKS, (given) => marks.update(given));
  client.onNotification(CASE_RENAMES, (given) => renames.fire(caseRenamesSchema.parse(given)));
  client.onNotification(CASE_RENAMED, (given) => renamed.fire(caseRenamedSchema.parse(given)));
  await client.start();
  return client;
}

/** Maximum number of files that match one pattern. */
const MAX_FILES = 5_000;

/** Answers the language server's requests for files that only the editor can read. */
function serveFiles(client: LanguageClient): void {
  const { fs, findFiles } = vscode.workspace;
  client.onRequest<ReadReply, void>(FILE_REQUESTS.read, async (given: unknown) => {
    const { uri, maxBytes } = readParamsSchema.parse(given);
    return read(vscode.Uri.parse(uri), maxBytes);
  });
  client.onRequest<boolean, void>(FILE_REQUESTS.exists, async (given: unknown) => {
    const uri = vscode.Uri.parse(uriParamsSchema.parse(given).uri);
    return fs.stat(uri).then(
      ({ type }) => (type & vscode.FileType.File) !== 0,
      () => false,
    );
  });
  client.onRequest(FILE_REQUESTS.list, async (given): Promise<ListReply> => {
    const entries = await fs.readDirectory(vscode.Uri.parse(uriParamsSchema.parse(given).uri));
    const isFolder = (type: vscode.FileType) => (type & vscode.FileType.Directory) !== 0;
    return { entries: entries.map(([name, type]) => ({ name, isFolder: isFolder(type) })) };
  });
  client.onRequest(FILE_REQUESTS.glob, async (given): Promise<GlobReply> => {
    const { folder, patterns } = globParamsSchema.parse(given);
    const base = vscode.Uri.parse(folder);
    const found = await Promise.all(
      patterns
        .map((pattern) => new vscode.RelativePattern(base, pattern))
        .map((pattern) => findFiles(pattern, EXCLUDED, MAX_FILES)),
    );
    return { uris: [...new Set(found.flat().map(String))] };
  });
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
    return { reason: error.reason, message: error.message };
  }
}
