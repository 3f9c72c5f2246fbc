/** The least that a prompt cache serves, and the usual size of its blocks, in tokens. */
export const BLOCK = 1024;

/**
 * What a provider's prompt cache would serve: it keeps the beginnings of earlier requests in blocks,
 * and serves a block when an earlier request had the same tokens up to its end; less than 1,024
 * tokens are never served.
 */
export class PromptCache {
  readonly #root: Node = { next: new Map() };
  readonly #block: number;

  constructor(block = BLOCK) {
    this.#block = block;
  }

  /** How many tokens of this prompt are served. */
  served(tokens: readonly number[]): number {
    let node: Node | undefined = this.#root;
    let served = 0;
    for (const block of blocksOf(tokens, this.#block)) {
      node = node.next.get(block);
      if (!node) break;
      served += this.#block;
    }
    return served < BLOCK ? 0 : served;
  }

  add(tokens: readonly number[]): void {
    let node = this.#root;
    for (const block of blocksOf(tokens, this.#block)) {
      const known: Node = node.next.get(block) ?? { next: new Map() };
      node.next.set(block, known);
      node = known;
    }
  }
}

/** The blocks that may follow one another, by their tokens. */
interface Node {
  readonly next: Map<string, Node>;
}

/** Full blocks only: the rest is never served. */
function blocksOf(tokens: readonly number[], block: number): string[] {
  const count = Math.floor(tokens.length / block);
  return Array.from({ length: count }, (_, index) =>
    tokens.slice(index * block, (index + 1) * block).join(' '),
  );
}
