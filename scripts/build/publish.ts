import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const HOUR = 3_600_000;

/**
 * Writes files to a temporary folder, and then moves each complete file into place, so a concurrent reader sees either
 * the old or the new file. Files are moved in the given order: list imported files before the files that import them.
 *
 * @param files contents by path
 * @param folder where to create the temporary folder; must be on the same disk
 */
export async function publish(
  files: ReadonlyMap<string, string | Uint8Array>,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(join(folder, '.new-'));
  try {
    const moves = [...files].map(([target, contents], index) => {
      return { from: join(staging, String(index)), target, contents };
    });
    await Promise.all(moves.map(({ from, contents }) => writeFile(from, contents)));
    for (const { from, target } of moves) {
      await mkdir(dirname(target), { recursive: true });
      await rename(from, target);
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export interface Leftovers {
  /** Paths of the built files. */
  readonly built: ReadonlySet<string>;
  /** Matches names of files that another process might still load. They are kept for an hour. */
  readonly inUse: RegExp;
  /** Start of the build, in milliseconds. Files that another build has written since then are kept. */
  readonly began: number;
}

/** Removes files of earlier builds that are no longer built. */
export async function removeLeftovers(
  folder: string,
  { built, inUse, began }: Leftovers,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (built.has(path)) continue;
    // Another build may have removed it first.
    const found = await stat(path).catch(() => undefined);
    const latest = inUse.test(name) ? began - HOUR : began;
    if (found && found.mtimeMs < latest) await rm(path, { recursive: true, force: true });
  }
}
