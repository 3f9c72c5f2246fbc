import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Image, type ImageSource, type ImageSources, imageFileName } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import { toUnwritableError } from '../disk/fileErrors.ts';
import {
  CREATE,
  makeRealFolder,
  readRegular,
  readRegularSync,
  writeRegular,
} from '../disk/regularFile.ts';
import { sha256 } from '../node/hashes.ts';
import { makeDataFolder, pathInDataFolder } from './dataFolder.ts';

/** The bytes of an image; undefined if they are gone, or have changed. */
async function bytesOf(source: ImageSource, { digest }: Image): Promise<Uint8Array | undefined> {
  if ('bytes' in source) return source.bytes;
  try {
    const bytes = await readRegular(await realpath(source.path), LIMITS.image);
    return sha256(bytes) === digest ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Reads an image from the file that names it, or else from the images next to a record. */
export async function readImage(
  image: Image,
  sources: ImageSources | undefined,
  root: string | undefined,
): Promise<Uint8Array | undefined> {
  const source = sources?.get(image.digest);
  const named = source && (await bytesOf(source, image));
  if (named || root === undefined) return named;
  return bytesOf({ path: storedPath(root, image) }, image);
}

/** Reads an image next to a record; undefined if it is gone, or has changed. */
export function readStoredImageSync(image: Image, root: string): Uint8Array | undefined {
  try {
    const bytes = readRegularSync(storedPath(root, image), (file, { size }) =>
      size <= LIMITS.image ? readFileSync(file) : undefined,
    );
    return bytes && sha256(bytes) === image.digest ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function storedPath(root: string, image: Image): string {
  return join(pathInDataFolder(root, FOLDER), imageFileName(image));
}

const FOLDER = 'images';

/**
 * Stores images in `.turnlight/images/`, each one once.
 *
 * @throws UnwritableError
 */
export async function storeImages(
  root: string,
  images: readonly Image[],
  sources: ImageSources,
): Promise<void> {
  const folder = pathInDataFolder(root, FOLDER);
  try {
    for (const image of images) {
      if (await readImage(image, undefined, root)) continue;
      const bytes = await readImage(image, sources, undefined);
      if (!bytes) continue;
      await makeDataFolder(root);
      await makeRealFolder(folder);
      const beside = join(folder, `${randomUUID()}.new`);
      await writeRegular(beside, bytes, CREATE);
      await rename(beside, storedPath(root, image)).finally(() => rm(beside, { force: true }));
    }
  } catch (error) {
    throw toUnwritableError('The images', folder, error);
  }
}
