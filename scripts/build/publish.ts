import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const HOUR = 3_600_000;

/**
 * Writes files beside their places and moves each there whole, so that a process that reads one
 * meanwhile finds it as it was or as it is. They come in the order in which they are given: first
 * what is imported, then what imports it.
 *
 * @param files contents by path
 * @param folder to write them in, on the same disk
 */
export async function publish(
  files: ReadonlyMap<string, string | Uint8Array>,
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const staging = await mkdtemp(join(folder, '.new-'));
  try {
    const moves = [...files].map(([place, contents], index) => {
      return { from: join(staging, String(index)), place, contents };
    });
    await Promise.all(moves.map(({ from, contents }) => writeFile(from, contents)));
    for (const { from, place } of moves) {
      await mkdir(dirname(place), { recursive: true });
      await rename(from, place);
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

export interface Leftovers {
  /** Paths of what was built. */
  readonly built: ReadonlySet<string>;
  /** Names of what another process may still be loading: it stays for an hour. */
  readonly inUse: RegExp;
  /** When the build began, in milliseconds: what another build wrote since then stays. */
  readonly began: number;
}

/** Removes what earlier builds left in a folder and is no longer built. */
export async function removeLeftovers(
  folder: string,
  { built, inUse, began }: Leftovers,
): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (built.has(path)) continue;
    // Another build may be faster.
    const found = await stat(path).catch(() => undefined);
    const latest = inUse.test(name) ? began - HOUR : began;
    if (found && found.mtimeMs < latest) await rm(path, { recursive: true, force: true });
  }
}
