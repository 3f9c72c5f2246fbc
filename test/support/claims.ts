import { assistant, away, entry, talk, user } from './judging.ts';

/** A judge's entry with one claim for each value in `holds`. */
export function claiming(turn: number, ...holds: boolean[]) {
  const claims = holds.map((one, index) => ({ claim: `c${turn}.${index + 1}`, holds: one }));
  return { ...entry(turn), claims };
}

export function claimless(turn: number) {
  return { ...away(turn), claims: [] };
}

/** A conversation in which turns 2 and 4 use retrieved context, and turn 6 doesn't. */
export const RETRIEVING = talk(
  user('Returns?'),
  assistant('They are free.', ['Returns are free.', 'Hats are blue.']),
  user('How long?'),
  assistant('30 days.', ['Returns take 30 days.']),
  user('Thanks.'),
  assistant('Bye.'),
);
