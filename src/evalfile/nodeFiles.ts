import { readSync } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { matchingFiles } from '../disk/glob.ts';
import { openRegular, readRegularSync, realPathOf } from '../disk/regularFile.ts';
import { FileError, type Files, readText, type Slices, tooLarge } from './files.ts';

/** Bytes per read. */
const SLICE = 256_000;

/** @param own absolute paths that the user named; they can be pipes and devices */
export function nodeFiles(own: ReadonlySet<string> = new Set()): Files {
  return {
    async read(path, maxBytes) {
      const opened = own.has(path) ? open(path) : realpath(path).then((real) => openRegular(real));
      const file = {
        size: async () => (await (await opened).stat()).size,
        bytes: async () => buffer((await opened).createReadStream({ end: maxBytes })),
        isMissing: (error: unknown) =>
          error instanceof Error && 'code' in error && error.code === 'ENOENT',
      };
      return readText(file, maxBytes).finally(async () =>
        (await opened.catch(() => undefined))?.close(),
      );
    },
    slices: (path, maxBytes) => slicesOf(path, maxBytes).catch(() => undefined),
    stamp: (path) =>
      stat(path).then(
        ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
        () => undefined,
      ),
    async kindOf(path) {
      const there = await lstat(path).catch(() => undefined);
      const stats = there?.isSymbolicLink() ? await stat(path).catch(() => there) : there;
      if (stats?.isFile()) return 'file';
      return stats && (stats.isDirectory() ? 'folder' : 'other');
    },
    realPath: async (path) => realPathOf(path),
    glob: matchingFiles,
  };
}

/** @throws Error if it isn't a regular file within the limit */
async function slicesOf(path: string, maxBytes: number): Promise<Slices> {
  const real = await realpath(path);
  const { size } = await lstat(real);
  if (size > maxBytes) throw tooLarge(size, maxBytes);
  await (await openRegular(real)).close();
  return {
    async *inOrder() {
      const file = await openRegular(real);
      const slice = Buffer.alloc(SLICE);
      try {
        for (;;) {
          const { bytesRead } = await file.read(slice, 0, SLICE);
          if (bytesRead === 0) return;
          yield slice.subarray(0, bytesRead);
        }
      } finally {
        await file.close();
      }
    },
    async between(start, end) {
      const read = readRegularSync(real, (file) => {
        const bytes = Buffer.allocUnsafe(end - start);
        return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
      });
      if (!read) throw new FileError('missing', 'The file does not exist.');
      return read;
    },
  };
}
