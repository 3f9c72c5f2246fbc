/** One way to attack, with all its tries. */
export interface Attack {
  /** What was tried, in a word or two. */
  readonly name: string;
  /** How many tries there are to be. */
  readonly tries: number;
  /**
   * Makes them all.
   *
   * @param found hears of each try that did not hold, and why
   */
  run(found: (what: string) => void, scene: Scene): Promise<void>;
}

/** What an attack may use. */
export interface Scene {
  readonly random: Random;
  /** The work is undone when the attack is over. */
  after(undo: () => void | Promise<void>): void;
}

/** What came of an attack; written as JSON by its process. */
export interface Result {
  readonly tried: number;
  readonly fell: readonly string[];
  /** Milliseconds of work during which nothing else was heard, at the longest. */
  readonly longestBlock: number;
  /** Bytes that the process held at most. */
  readonly memory: number;
  readonly seconds: number;
}

/** A number of 0 to `below` - 1. The same in every run. */
export type Random = (below: number) => number;

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export function oneOf<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('There is nothing to choose from.');
  return item;
}
