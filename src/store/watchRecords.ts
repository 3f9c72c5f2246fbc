import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { HOME_FOLDER, RUNS_FOLDER } from '../node/paths.ts';
import { findDataFolder, type PlacedFile } from './dataFolder.ts';

/**
 * Watches for records being written. Watchers of editors miss the first record of a new folder: a file in
 * `.turnlight/runs` may exist before they look into `.turnlight`.
 */
export class RecordWatch {
  readonly #onRecord: (path: string) => void;
  /** Functions that stop watching, by root. */
  readonly #watched = new Map<string, () => void>();
  readonly #began = Date.now();

  /** @param onRecord called with each record, absolute, that was written after this was created */
  constructor(onRecord: (path: string) => void) {
    this.#onRecord = onRecord;
  }

  /** Watches the folder of an eval file's records, which may not exist yet. */
  async add(evalFile: PlacedFile): Promise<void> {
    const { root } = findDataFolder(evalFile);
    if (this.#watched.has(root)) return;
    const told = (path: string) => path.endsWith('.jsonl') && this.#onRecord(path);
    this.#watched.set(root, watchIn(root, [HOME_FOLDER, RUNS_FOLDER], told, this.#began));
  }

  dispose(): void {
    for (const end of this.#watched.values()) end();
    this.#watched.clear();
  }
}

/**
 * Watches a folder, and the folders below it on a path to the files.
 *
 * @param way names from the folder to that of the files
 * @param since milliseconds since 1970: existing files that were written later are reported
 * @returns a function that stops watching
 */
function watchIn(
  folder: string,
  [next, ...way]: readonly string[],
  tell: (path: string) => void,
  since: number,
): () => void {
  let endInner = () => {};
  const goOn = (name: string, innerSince: number) => {
    endInner();
    endInner = watchIn(join(folder, name), way, tell, innerSince);
  };
  let watcher: FSWatcher | undefined;
  try {
    if (!lstatSync(folder).isDirectory()) return () => {};
    watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (next === undefined) tell(join(folder, name ?? ''));
      else if (name === next) goOn(next, 0);
    });
    watcher.on('error', () => watcher?.close());
    if (next !== undefined) goOn(next, since);
    else for (const path of writtenSince(folder, since)) tell(path);
  } catch {
    // It doesn't exist; the watcher of the parent reports when it does.
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
