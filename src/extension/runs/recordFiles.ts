import * as vscode from 'vscode';
import { RECORD_FILES, rootOfRecord } from '../../node/paths.ts';
import { findDataFolder } from '../../store/dataFolder.ts';
import { RecordWatch } from '../../store/watchRecords.ts';
import { Disposing } from '../disposables.ts';
import { placedFile } from '../locations.ts';
import type { TestTree } from '../testing/tree.ts';

/** The records of the workspace, and of the eval files that are listed, wherever these keep them. */
export class RecordFiles extends Disposing {
  readonly #roots = new Set<string>();
  readonly #changed = this.keep(new vscode.EventEmitter<string>());
  /** Told of each record that was begun, went on or was deleted, absolute. */
  readonly onDidChange = this.#changed.event;
  readonly #found = this.keep(new vscode.EventEmitter<void>());
  /** There is another root. */
  readonly onDidFindRoot = this.#found.event;

  constructor(tree: TestTree) {
    super();
    const changed = (path: string) => {
      this.#add(rootOfRecord(path));
      this.#changed.fire(path);
    };
    // The one sees all of the workspace, the other all records of the listed files, wherever they are.
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(RECORD_FILES));
    this.keep(watcher.onDidCreate(({ fsPath }) => changed(fsPath)));
    this.keep(watcher.onDidChange(({ fsPath }) => changed(fsPath)));
    this.keep(watcher.onDidDelete(({ fsPath }) => changed(fsPath)));
    const records = this.keep(new RecordWatch(changed));
    this.keep(
      tree.onDidList((uri) => {
        const file = placedFile(uri);
        this.#add(findDataFolder(file).root);
        return records.add(file);
      }),
    );
    void this.#look();
  }

  /** Of `RecordHome`, absolute. */
  get roots(): readonly string[] {
    return [...this.#roots];
  }

  async #look(): Promise<void> {
    for (const { fsPath } of await vscode.workspace.findFiles(RECORD_FILES)) {
      this.#add(rootOfRecord(fsPath));
    }
  }

  #add(root: string): void {
    if (this.#roots.has(root)) return;
    this.#roots.add(root);
    this.#found.fire();
  }
}
