import type { Stats } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { glob } from 'tinyglobby';
import { realPathOf } from '../disk/realPath.ts';
import { openRegular } from '../disk/regularFile.ts';
import type { Files, PathKind } from './files.ts';
import { readText } from './readText.ts';

/** @param own paths that the user named, absolute; those may be pipes and devices too */
export function nodeFiles(own: ReadonlySet<string> = new Set()): Files {
  return {
    async read(path, maxBytes) {
      const opened = own.has(path) ? open(path) : realpath(path).then((real) => openRegular(real));
      return readText(
        {
          size: async () => (await (await opened).stat()).size,
          bytes: async () => buffer((await opened).createReadStream({ end: maxBytes })),
          isMissing: (error) =>
            error instanceof Error && 'code' in error && error.code === 'ENOENT',
        },
        maxBytes,
      ).finally(async () => (await opened.catch(() => undefined))?.close());
    },
    async kindOf(path) {
      const there = await lstat(path).catch(() => undefined);
      const led = there?.isSymbolicLink() ? await stat(path).catch(() => there) : there;
      return led && kindIn(led);
    },
    realPath: async (path) => realPathOf(path),
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

function kindIn(stats: Stats): PathKind {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
}
