import { setTimeout } from 'node:timers/promises';

/** Milliseconds that a test waits for what it needs: long, for a machine that does much else. */
export const PATIENCE = 120_000;

const PAUSE = 50;

/**
 * Looks until it sees what is wanted.
 *
 * @param what is awaited, for the message where it never comes
 */
export async function until<Seen, Wanted extends Seen = Seen>(
  what: string,
  look: () => Promise<Seen>,
  wanted: ((seen: Seen) => seen is Wanted) | ((seen: Seen) => boolean),
): Promise<Wanted> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen as Wanted;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not seen. The last look gave ${JSON.stringify(seen)}`);
    }
    await setTimeout(PAUSE);
  }
}
