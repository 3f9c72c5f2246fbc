import { readFile, realpath, stat } from 'node:fs/promises';
import { glob } from 'tinyglobby';
import type { Files } from './files.ts';
import { readText } from './readText.ts';

export function nodeFiles(): Files {
  return {
    read: (path, maxBytes) =>
      readText(
        {
          size: async () => (await stat(path)).size,
          bytes: () => readFile(path),
          isMissing: (error) =>
            error instanceof Error && 'code' in error && error.code === 'ENOENT',
        },
        maxBytes,
      ),
    exists: async (path) => (await stat(path).catch(() => undefined))?.isFile() ?? false,
    isFolder: async (path) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false,
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
