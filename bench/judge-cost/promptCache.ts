import { digestOf } from '../../src/node/hashes.ts';

/** The least that a prompt cache serves, and the usual size of its blocks, in tokens. */
export const BLOCK = 1024;

/**
 * What a provider's prompt cache would serve: it keeps the beginnings of earlier requests in blocks,
 * and serves a block when an earlier request had the same tokens up to its end; less than 1,024
 * tokens are never served.
 */
export class PromptCache {
  /** Digests of beginnings that end with a block. */
  readonly #begun = new Set<string>();
  readonly #block: number;

  constructor(block = BLOCK) {
    this.#block = block;
  }

  /** How many tokens of this prompt are served. */
  served(tokens: readonly number[]): number {
    const begun = this.#beginnings(tokens).filter((digest) => this.#begun.has(digest));
    const served = begun.length * this.#block;
    return served < BLOCK ? 0 : served;
  }

  add(tokens: readonly number[]): void {
    for (const digest of this.#beginnings(tokens)) this.#begun.add(digest);
  }

  /** Of full blocks only: the rest is never served. */
  #beginnings(tokens: readonly number[]): string[] {
    const digests: string[] = [];
    for (let end = this.#block; end <= tokens.length; end += this.#block) {
      digests.push(digestOf([digests.at(-1), tokens.slice(end - this.#block, end)]));
    }
    return digests;
  }
}
