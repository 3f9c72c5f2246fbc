/** What is asked once in a run, and where it is kept between runs. */
export interface Kept {
  readonly answers: Map<string, Promise<unknown>>;
  load(key: string): Promise<unknown>;
  save(key: string, answer: unknown): Promise<void>;
}

/** A replayed judge answers what was recorded, not what was kept since. */
export const FORGETFUL = {
  load: async () => undefined,
  save: async () => {},
};

export function keepNothing(): Kept {
  return { answers: new Map(), ...FORGETFUL };
}
