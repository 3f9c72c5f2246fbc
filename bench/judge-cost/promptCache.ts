const BLOCK = 1024;

/**
 * What a provider's prompt cache would serve: it keeps the beginnings of earlier requests in blocks
 * of 1,024 tokens, and serves a block when an earlier request had the same tokens up to its end.
 */
export class PromptCache {
  readonly #root: Node = { next: new Map() };

  /** How many tokens of this prompt are served. */
  served(tokens: readonly number[]): number {
    let node: Node | undefined = this.#root;
    let served = 0;
    for (const block of blocksOf(tokens)) {
      node = node.next.get(block);
      if (!node) break;
      served += BLOCK;
    }
    return served;
  }

  add(tokens: readonly number[]): void {
    let node = this.#root;
    for (const block of blocksOf(tokens)) {
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
function blocksOf(tokens: readonly number[]): string[] {
  const count = Math.floor(tokens.length / BLOCK);
  return Array.from({ length: count }, (_, index) =>
    tokens.slice(index * BLOCK, (index + 1) * BLOCK).join(' '),
  );
}
