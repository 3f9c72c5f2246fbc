/** One kind of attack, with all its attempts. */
export interface Attack {
  /** A short description of what is tried. */
  readonly name: string;
  /** Number of attempts. */
  readonly tries: number;
  /**
   * Makes all attempts.
   *
   * @param found called for each attempt that succeeded, with a description
   */
  run(found: (what: string) => void, scene: Scene): Promise<void>;
}

/** What an attack can use. */
export interface Scene {
  readonly random: Random;
  /** Calls `undo` when the attack is over. */
  after(undo: () => void | Promise<void>): void;
}

/** The result of an attack. Its process prints this as JSON. */
export interface Result {
  readonly tried: number;
  readonly fell: readonly string[];
  /** The longest time that the event loop was blocked, in milliseconds of CPU time. */
  readonly longestBlock: number;
  /** Peak memory of the process, in bytes. */
  readonly memory: number;
  readonly seconds: number;
}

/** Returns an integer from 0 to `below` - 1. The sequence is the same in every run. */
export type Random = (below: number) => number;

/** The Mulberry32 generator. */
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
