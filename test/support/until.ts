import { setTimeout } from 'node:timers/promises';

/** Maximum time that a test waits, in milliseconds. It is long, since the machine can be busy. */
export const PATIENCE = 240_000;

const PAUSE = 50;

/** Maximum number of different results to show in the error. */
const TOLD = 5;

/**
 * Polls until the result is the wanted one.
 *
 * @param what what the test waits for, for the error message
 */
export async function until<Seen, Wanted extends Seen = Seen>(
  what: string,
  look: () => Promise<Seen>,
  wanted: ((seen: Seen) => seen is Wanted) | ((seen: Seen) => boolean),
): Promise<Wanted> {
  const deadline = performance.now() + PATIENCE;
  const differing: string[] = [];
  // Counts the attempts, so the error shows if the machine was stuck for most of the time.
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
