import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { DATA_FOLDER, RUNS_FOLDER } from '../node/paths.ts';
import { findDataFolder, type PlacedFile } from './dataFolder.ts';

/** Watches for new records, including the first one in a new `.turnlight/runs`, which editors' watchers miss. */
export class RecordWatch {
  readonly #onRecord: (path: string) => void;
  /** Functions that stop watching, by root. */
  readonly #watched = new Map<string, () => void>();
  readonly #began = Date.now();

  /** @param onRecord called with the absolute path of each record that is written from now on */
  constructor(onRecord: (path: string) => void) {
    this.#onRecord = onRecord;
  }

  async add(evalFile: PlacedFile): Promise<void> {
    const { root } = findDataFolder(evalFile);
    if (this.#watched.has(root)) return;
    const onFile = (path: string) => path.endsWith('.jsonl') && this.#onRecord(path);
    this.#watched.set(root, watchIn(root, [DATA_FOLDER, RUNS_FOLDER], onFile, this.#began));
  }

  dispose(): void {
    for (const end of this.#watched.values()) end();
    this.#watched.clear();
  }
}

/**
 * Watches the files in a nested folder that may not exist yet.
 *
 * @param names path from `folder` to the nested folder
 * @param since milliseconds since 1970; reports files that were written later
 * @returns a function that stops watching
 */
function watchIn(
  folder: string,
  [next, ...names]: readonly string[],
  onFile: (path: string) => void,
  since: number,
): () => void {
  let endInner = () => {};
  const descend = (name: string, innerSince: number) => {
    endInner();
    endInner = watchIn(join(folder, name), names, onFile, innerSince);
  };
  let watcher: FSWatcher | undefined;
  try {
    if (!lstatSync(folder).isDirectory()) return () => {};
    watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (next === undefined) onFile(join(folder, name ?? ''));
      else if (name === next) descend(next, 0);
    });
    watcher.on('error', () => watcher?.close());
    if (next !== undefined) descend(next, since);
    else for (const path of writtenSince(folder, since)) onFile(path);
  } catch {
    // The folder doesn't exist yet; the parent's watcher reports when it is created.
  }
  return () => {
    endInner();
    watcher?.close();
  };
}

function writtenSince(folder: string, since: number): string[] {
  const paths = readdirSync(folder).map((name) => join(folder, name));
  return paths.filter(
    (path) => (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= since,
  );
}
