import * as vscode from 'vscode';
import { RECORD_FILES, rootOfRecord } from '../../node/paths.ts';
import { findDataFolder } from '../../store/dataFolder.ts';
import { RecordWatch } from '../../store/watchRecords.ts';
import { Disposing } from '../disposables.ts';
import type { TestTree } from '../testing/tree.ts';
import { placedFile } from '../workspace.ts';

/** Watches the records in the workspace and those for all listed eval files. */
export class RecordFiles extends Disposing {
  readonly #roots = new Set<string>();
  readonly #changed = this.keep(new vscode.EventEmitter<string>());
  /** Fires with the absolute path of each record that was created, changed, or deleted. */
  readonly onDidChange = this.#changed.event;
  readonly #found = this.keep(new vscode.EventEmitter<void>());
  readonly onDidFindRoot = this.#found.event;

  constructor(tree: TestTree) {
    super();
    const changed = (path: string) => {
      this.#add(rootOfRecord(path));
      this.#changed.fire(path);
    };
    // The first watcher covers the workspace; the second one covers listed files outside it.
    this.watchFiles(RECORD_FILES, ({ fsPath }) => changed(fsPath));
    const records = this.keep(new RecordWatch(changed));
    this.keep(
      tree.onDidList((uri) => {
        const file = placedFile(uri);
        this.#add(findDataFolder(file).root);
        return records.add(file);
      }),
    );
    void vscode.workspace.findFiles(RECORD_FILES).then((found) => {
      for (const { fsPath } of found) this.#add(rootOfRecord(fsPath));
    });
  }

  /** Absolute paths of the records' root folders. */
  get roots(): readonly string[] {
    return [...this.#roots];
  }

  #add(root: string): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#found.fire();
  }
}
