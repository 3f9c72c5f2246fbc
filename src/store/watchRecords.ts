import { type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { HOME_FOLDER, RUNS_FOLDER } from '../node/paths.ts';
import { findDataFolder, type PlacedFile } from './dataFolder.ts';

/**
 * Tells of records as they are written. Editors watch whole workspaces, and miss the first record of
 * a folder: `.turnlight/runs` and a file in it may be there before they look into `.turnlight`.
 */
export class RecordWatch {
  readonly #onRecord: (path: string) => void;
  /** What ends the watch of each root. */
  readonly #watched = new Map<string, () => void>();
  readonly #began = Date.now();

  /**
   * @param onRecord told of each record that was begun or went on since this was made, absolute; also
   *   where that was before the eval file was added
   */
  constructor(onRecord: (path: string) => void) {
    this.#onRecord = onRecord;
  }

  /** Watches where an eval file's records are, or will be. */
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
 * Watches a folder on the way to the files that matter, and from there on what it holds of that way.
 *
 * @param way names from the folder to that of the files
 * @param since milliseconds since 1970: what was written later counts as changed, though it is there
 *   already
 * @returns what ends it
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
    // It is not there; the watch of the folder around it tells when it is.
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
