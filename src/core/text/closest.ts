import { distance } from 'fastest-levenshtein';
import { LIMITS } from '../limits.ts';

/** The most similar candidate; undefined if none is similar. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  return nearest(word, candidates)[0];
}

/** Most likely first. */
export function nearest(word: string, all: Iterable<string>): string[] {
  if (!isComparable(word)) return [];
  const plain = plainly(word);
  const candidates = firstOf(all).filter(isComparable);
  const near = candidates
    .map((candidate) => ({ candidate, away: distanceOf(plain, plainly(candidate)) }))
    .filter(({ candidate, away }) => away <= allowance(candidate));
  if (near.length === 0) return candidates.filter((candidate) => beginsWith(plain, candidate));
  return near.sort((a, b) => a.away - b.away).map(({ candidate }) => candidate);
}

function firstOf(words: Iterable<string>): string[] {
  const first: string[] = [];
  for (const word of words) {
    if (first.length === LIMITS.comparedWords) break;
    first.push(word);
  }
  return first;
}

/** Longer words aren't typos, and comparing them takes quadratic time. */
function isComparable({ length }: string): boolean {
  return length <= LIMITS.comparedWord;
}

function allowance(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3));
}

/** A longer form matches by its prefix: `assertions` for `assert`. */
function beginsWith(word: string, candidate: string): boolean {
  const { length } = candidate;
  if (word.length <= length || length < 4) return false;
  return distance(word.slice(0, length), plainly(candidate)) <= allowance(candidate);
}

/** `stopOnFailure`, `stop-on-failure` and `stop_on_failure` count as the same word. */
function plainly(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, '');
}

/** Two swapped letters count as one mistake, like one extra letter. */
function distanceOf(word: string, candidate: string): number {
  const away = distance(word, candidate);
  if (away !== 2 || word.length !== candidate.length) return away;
  const first = [...word].findIndex((letter, index) => letter !== candidate[index]);
  const swapped =
    word.slice(0, first) + (word[first + 1] ?? '') + (word[first] ?? '') + word.slice(first + 2);
  return swapped === candidate ? 1 : away;
}
