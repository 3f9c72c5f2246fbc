import type { Disposable } from 'vscode';

/** Something made of parts that are disposed of with it. */
export abstract class Disposing implements Disposable {
  readonly #parts: Disposable[] = [];

  protected keep<Part extends Disposable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  dispose(): void {
    for (const part of this.#parts.splice(0).reverse()) part.dispose();
  }
}
