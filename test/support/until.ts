import { setTimeout } from 'node:timers/promises';

/** Milliseconds that a test waits for what it needs: long, for a machine that does much else. */
export const PATIENCE = 120_000;

const PAUSE = 50;

/** Looks that differed, of those that are told. */
const TOLD = 5;

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
  const differing: string[] = [];
  // A machine that stood still for most of the time is told from one that showed something else.
  for (let looks = 1; ; looks += 1) {
    const seen = await look();
    if (wanted(seen)) return seen as Wanted;
    const text = JSON.stringify(seen);
    if (text !== differing.at(-1)) differing.push(text);
    if (performance.now() > deadline) {
      const last = differing.slice(-TOLD).join('\nthen ');
      throw new Error(`${what}: not seen in ${looks} looks. The last ones gave ${last}`);
    }
    await setTimeout(PAUSE);
  }
}
