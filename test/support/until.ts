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
  // A machine that stood still for most of the time is told from one that showed something else.
  for (let looks = 1; ; looks += 1) {
    const seen = await look();
    if (wanted(seen)) return seen as Wanted;
    if (performance.now() > deadline) {
      throw new Error(
        `${what}: not seen in ${looks} looks. The last one gave ${JSON.stringify(seen)}`,
      );
    }
    await setTimeout(PAUSE);
  }
}
