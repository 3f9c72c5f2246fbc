import { readdir } from 'node:fs/promises';
import type { Connection } from 'vscode-languageserver/node';
import { URI } from 'vscode-uri';
import { FileError, type Files } from '../evalfile/files.ts';
import type { FolderEntry } from '../language/ports.ts';
import {
  FILE_REQUESTS,
  globReplySchema,
  listReplySchema,
  readReplySchema,
} from '../protocol/serverProtocol.ts';

/** Matches paths of documents that aren't on disk: `/.virtual/SCHEME/AUTHORITY/…`. */
const VIRTUAL = /[\\/]\.virtual[\\/]([^\\/]+)[\\/]([^\\/]+)([\\/].*)$/s;

/** Stands in for an empty authority. */
const NO_AUTHORITY = '-';

/** The path of a file or, for a document that isn't on disk, a path that `uriOf` can convert back to the URI. */
export function pathOf(uri: string): string {
  const parsed = URI.parse(uri);
  if (parsed.scheme === 'file') return parsed.fsPath;
  const authority = encodeURIComponent(parsed.authority) || NO_AUTHORITY;
  const path = parsed.path.startsWith('/') ? parsed.path : `/${parsed.path}`;
  return `/.virtual/${encodeURIComponent(parsed.scheme)}/${authority}${path}`;
}

export function uriOf(path: string): string {
  const virtual = VIRTUAL.exec(path);
  if (!virtual) return URI.file(path).toString();
  const [, scheme = '', authority = '', rest = ''] = virtual;
  return URI.from({
    scheme: decodeURIComponent(scheme),
    authority: authority === NO_AUTHORITY ? '' : decodeURIComponent(authority),
    path: rest.replaceAll('\\', '/'),
  }).toString();
}

/** Whether only the client can read the document. */
export function isVirtual(path: string): boolean {
  return VIRTUAL.test(path);
}

/** Reads files from disk, and reads files in virtual workspaces through the client. */
export function clientFiles(connection: Connection, disk: Files): Files {
  return {
    read: (path, maxBytes) =>
      isVirtual(path) ? read(connection, path, maxBytes) : disk.read(path, maxBytes),
    image: (path) =>
      isVirtual(path)
        ? Promise.reject(new FileError('unreadable', 'Images can be read only from disk.'))
        : disk.image(path),
    async kindOf(path) {
      if (!isVirtual(path)) return disk.kindOf(path);
      const params = { uri: uriOf(path) };
      if ((await connection.sendRequest(FILE_REQUESTS.exists, params)) === true) return 'file';
      const entries = await listFolder(connection, path).catch(() => undefined);
      return entries && 'folder';
    },
    stamp: async (path) => (isVirtual(path) ? undefined : disk.stamp?.(path)),
    realPath: async (path) => (isVirtual(path) ? path : disk.realPath(path)),
    async glob(patterns, folder) {
      if (!isVirtual(folder)) return disk.glob(patterns, folder);
      const params = { folder: uriOf(folder), patterns };
      const reply = await connection.sendRequest(FILE_REQUESTS.glob, params);
      return globReplySchema.safeParse(reply).data?.uris.map(pathOf).sort() ?? [];
    },
  };
}

async function read(connection: Connection, path: string, maxBytes: number): Promise<string> {
  const params = { uri: uriOf(path), maxBytes };
  const { data } = readReplySchema.safeParse(
    await connection.sendRequest(FILE_REQUESTS.read, params),
  );
  if (data && 'text' in data) return data.text;
  throw new FileError(data?.reason ?? 'unreadable', data?.message ?? 'The file cannot be read.');
}

/** @param path absolute; rejects if the folder doesn't exist */
export async function listFolder(
  connection: Connection,
  path: string,
): Promise<readonly FolderEntry[]> {
  if (!isVirtual(path)) {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  }
  const params = { uri: uriOf(path) };
  const reply = await connection.sendRequest(FILE_REQUESTS.list, params);
  return listReplySchema.parse(reply).entries;
}
