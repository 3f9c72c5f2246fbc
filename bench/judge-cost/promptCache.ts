import { digestOf } from '../../src/node/hashes.ts';

/** The minimum that a prompt cache serves, and its usual block size, in tokens. */
export const BLOCK = 1024;

/**
 * Simulates a provider's prompt cache. It stores prefixes of earlier requests in blocks, and serves a block if an
 * earlier request had the same tokens up to the end of the block. It never serves fewer than 1,024 tokens.
 */
export class PromptCache {
  /** Digests of prefixes that end at a block boundary. */
  readonly #begun = new Set<string>();
  readonly #block: number;

  constructor(block = BLOCK) {
    this.#block = block;
  }

  /** Returns the number of tokens in this prompt that the cache serves. */
  served(tokens: readonly number[]): number {
    const begun = this.#beginnings(tokens).filter((digest) => this.#begun.has(digest));
    const served = begun.length * this.#block;
    return served < BLOCK ? 0 : served;
  }

  add(tokens: readonly number[]): void {
    for (const digest of this.#beginnings(tokens)) this.#begun.add(digest);
  }

  /** Digests of all prefixes that consist of full blocks. The rest is never served. */
  #beginnings(tokens: readonly number[]): string[] {
    const digests: string[] = [];
    for (let end = this.#block; end <= tokens.length; end += this.#block) {
      digests.push(digestOf([digests.at(-1), tokens.slice(end - this.#block, end)]));
    }
    return digests;
  }
}
