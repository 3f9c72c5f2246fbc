import { readSync } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { ImageFacts } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import { matchingFiles } from '../disk/glob.ts';
import { openRegular, readRegularSync, realPathOf } from '../disk/regularFile.ts';
import {
  FileError,
  type Files,
  type Readable,
  readBytes,
  readText,
  type Slices,
  tooLarge,
} from './files.ts';
import { imageFactsOf, SHRINK } from './imageFacts.ts';

/** Bytes per read. */
const SLICE = 256_000;

/** @param own absolute paths that the user named, which may be pipes and devices */
export function nodeFiles(own: ReadonlySet<string> = new Set()): Files {
  return {
    read: (path, maxBytes) =>
      withFile(path, own.has(path), maxBytes, (file) => readText(file, maxBytes)),
    async image(path) {
      const stamp = await stampOf(path);
      const known = knownImages.get(path);
      if (known && known.stamp === stamp) return known.facts;
      const facts = await withFile(path, false, LIMITS.image, async (file) =>
        imageFactsOf(await readBytes(file, LIMITS.image, SHRINK)),
      );
      if (knownImages.size >= MAX_KNOWN_IMAGES) knownImages.clear();
      knownImages.set(path, { stamp, facts });
      return facts;
    },
    slices: (path, maxBytes) => slicesOf(path, maxBytes).catch(() => undefined),
    stamp: stampOf,
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

function stampOf(path: string): Promise<string | undefined> {
  return stat(path).then(
    ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
    () => undefined,
  );
}

const MAX_KNOWN_IMAGES = 10_000;

/** Facts about images by path, so that each version of a file is read once. */
const knownImages = new Map<string, { stamp: string | undefined; facts: ImageFacts }>();

/** @param isOwn whether it may be a pipe or device */
async function withFile<Result>(
  path: string,
  isOwn: boolean,
  maxBytes: number,
  read: (file: Readable) => Promise<Result>,
): Promise<Result> {
  const opened = isOwn ? open(path) : realpath(path).then((real) => openRegular(real));
  const file = {
    size: async () => (await (await opened).stat()).size,
    bytes: async () => buffer((await opened).createReadStream({ end: maxBytes })),
    isMissing: (error: unknown) =>
      error instanceof Error && 'code' in error && error.code === 'ENOENT',
  };
  return read(file).finally(async () => (await opened.catch(() => undefined))?.close());
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
