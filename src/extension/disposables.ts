import * as vscode from 'vscode';

/** Disposes of its parts in reverse order. */
export abstract class Disposing implements vscode.Disposable {
  readonly #parts: vscode.Disposable[] = [];

  protected keep<Part extends vscode.Disposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /** @param onChange called with each file that is created, changed, or deleted */
  protected watchFiles(glob: string, onChange: (uri: vscode.Uri, isNew: boolean) => void): void {
    const watcher = this.keep(vscode.workspace.createFileSystemWatcher(glob));
    this.keep(watcher.onDidCreate((uri) => onChange(uri, true)));
    this.keep(watcher.onDidChange((uri) => onChange(uri, false)));
    this.keep(watcher.onDidDelete((uri) => onChange(uri, false)));
  }

  dispose(): void {
    for (const part of this.#parts.splice(0).reverse()) part.dispose();
  }
}

/** Delays work until it hasn't been scheduled again for a while, separately for each key. */
export class Debouncer implements vscode.Disposable {
  readonly #delay: number;
  readonly #timers = new Map<string, NodeJS.Timeout>();

  /** @param delay milliseconds */
  constructor(delay: number) {
    this.#delay = delay;
  }

  schedule(key: string, work: () => void): void {
    clearTimeout(this.#timers.get(key));
    const run = () => {
      this.#timers.delete(key);
      work();
    };
    this.#timers.set(key, setTimeout(run, this.#delay));
  }

  dispose(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }
}
