import { readFile, realpath, stat } from 'node:fs/promises';
import { glob } from 'tinyglobby';
import { FileError, type Files } from './files.ts';

/** Files on the disk. */
export function nodeFiles(): Files {
  return {
    async read(path, maxBytes) {
      const bytes = await bytesOf(path, maxBytes);
      try {
        return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      } catch (cause) {
        throw new FileError('not-utf8', 'The file is not UTF-8 text. Save it as UTF-8.', { cause });
      }
    },
    exists: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
    realPath: (path) => realpath(path).catch(() => path),
    async glob(patterns, folder) {
      const found = await glob([...patterns], {
        cwd: folder,
        absolute: true,
        ignore: ['**/node_modules/**'],
        expandDirectories: false,
        followSymbolicLinks: false,
      });
      return found.sort();
    },
  };
}

async function bytesOf(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) {
      const megabytes = (size / 1e6).toFixed(1);
      const most = (maxBytes / 1e6).toFixed(0);
      const message = `The file has ${megabytes} MB; at most ${most} MB are read. Split it.`;
      throw new FileError('too-large', message);
    }
    return await readFile(path);
  } catch (error) {
    if (error instanceof FileError) throw error;
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw missing
      ? new FileError('missing', 'There is no such file.')
      : new FileError('unreadable', `The file cannot be read: ${String(error)}`);
  }
}
