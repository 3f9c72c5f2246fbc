import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { FileError, readText } from '../evalfile/files.ts';
import {
  FILE_REQUESTS,
  globParamsSchema,
  type ReadReply,
  readParamsSchema,
  uriParamsSchema,
} from '../protocol/serverProtocol.ts';

/** Most files that one pattern gives. */
const MOST = 5_000;

/** Answers the language server's requests for files that only the editor can read. */
export function serveFiles(client: LanguageClient): vscode.Disposable {
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
            MOST,
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
