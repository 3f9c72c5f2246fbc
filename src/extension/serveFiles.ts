import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import {
  FILE_REQUESTS,
  globParamsSchema,
  type ReadReply,
  readParamsSchema,
  uriParamsSchema,
} from '../protocol/fileProtocol.ts';

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
  let bytes: Uint8Array;
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > maxBytes) {
      const message = `The file has ${(size / 1e6).toFixed(1)} MB; at most ${(maxBytes / 1e6).toFixed(0)} MB are read. Split it.`;
      return { reason: 'too-large', message };
    }
    bytes = await vscode.workspace.fs.readFile(uri);
  } catch (error) {
    const missing = error instanceof vscode.FileSystemError && error.code === 'FileNotFound';
    return missing
      ? { reason: 'missing', message: 'There is no such file.' }
      : { reason: 'unreadable', message: `The file cannot be read: ${String(error)}` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { reason: 'not-utf8', message: 'The file is not UTF-8 text. Save it as UTF-8.' };
  }
}
