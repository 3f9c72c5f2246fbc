import { distance } from 'fastest-levenshtein';

/** The candidate that was most likely meant; undefined where none is near. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({
      candidate,
      away: distanceTo(candidate.toLowerCase(), word.toLowerCase()),
    }))
    .filter(({ candidate, away }) => away <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.away - b.away);
  return near[0]?.candidate;
}

/** A longer form counts by its beginning too: `assertions` for `assert`. */
function distanceTo(candidate: string, word: string): number {
  const whole = distance(word, candidate);
  if (word.length <= candidate.length || candidate.length < 4) return whole;
  return Math.min(whole, distance(word.slice(0, candidate.length), candidate));
}
