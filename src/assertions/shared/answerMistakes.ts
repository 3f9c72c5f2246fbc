import { type Turn, turnsOfSide } from '../../core/conversation.ts';
import type { Scale } from '../../core/scoring.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import type { VerdictEntry } from './entries.ts';

/** Two parts of an answer that can't both be right. */
export function contradiction(text: string): Mistake {
  return { reason: 'contradiction', text };
}

function mismatch(text: string): Mistake {
  return { reason: 'turns-mismatch', text };
}

/**
 * Checks that there is exactly one entry per numbered item.
 *
 * @param what the list's key, in the plural: `guidelines`
 */
export function listMistakes(what: string, numbers: readonly number[], count: number): Mistake[] {
  const expected = Array.from({ length: count }, (_, index) => index + 1);
  if (numbers.length === count && expected.every((number) => numbers.includes(number))) return [];
  const text = `\`${what}\` must hold exactly one entry for each of ${what} 1 to ${count}.`;
  return [{ reason: 'incomplete-list', text }];
}

/** Checks that there is exactly one entry for each judged turn, and no other entry. */
export function turnMistakes(
  entries: readonly { readonly turn: number }[],
  turns: readonly Turn[],
  where = '`turns`',
): Mistake[] {
  const mistakes: Mistake[] = [];
  const judged = turns.map(({ number }) => number);
  for (const number of judged) {
    const found = entries.filter(({ turn }) => turn === number).length;
    if (found === 1) continue;
    const count = found === 0 ? 'no entry' : `${found} entries`;
    mistakes.push(mismatch(`${where} has ${count} for turn ${number}; it needs exactly one.`));
  }
  for (const number of new Set(entries.map(({ turn }) => turn))) {
    if (judged.includes(number)) continue;
    const text = `${where} has an entry for turn ${number}, which is not to be judged. Judge only turns ${judged.join(', ')}.`;
    mistakes.push(mismatch(text));
  }
  return mistakes;
}

/** Checks that all cited turns are among the judged turns. */
export function judgedTurnMistakes(
  { turns }: Pick<AssertionInput, 'turns'>,
  turn: number,
  what: string,
): Mistake[] {
  if (turns.some(({ number }) => number === turn)) return [];
  return [mismatch(`${what} cites turn ${turn}, which is not to be judged.`)];
}

/**
 * Checks that a cited turn is on the right side.
 *
 * @param turn null is valid: it cites no turn
 * @param what `Intention 2`
 */
export function citationMistakes(
  { conversation }: Pick<AssertionInput, 'conversation'>,
  side: Turn['side'],
  turn: number | null,
  what: string,
): Mistake[] {
  const isValid =
    turn === null || turnsOfSide(conversation, side).some(({ number }) => number === turn);
  return isValid ? [] : [mismatch(`${what} cites turn ${turn}, which is no turn of the ${side}.`)];
}

/** Reports a number that is out of range, instead of clipping it. */
export function rangeMistake(value: number, [low, high]: Scale, what: string): Mistake[] {
  if (value >= low && value <= high) return [];
  return [{ reason: 'out-of-range', text: `${what} is ${value}; it must be ${low} to ${high}.` }];
}

/** @param what the subject of the sentence: `` `score` `` */
export function wholeMistakes(value: number, what: string): Mistake[] {
  if (Number.isInteger(value)) return [];
  return [{ reason: 'out-of-range', text: `${what} must be a whole number.` }];
}

/** Checks that the value isn't the scale's highest if every turn fails. */
export function extremeMistakes(
  entries: readonly Pick<VerdictEntry, 'applicable' | 'verdict'>[],
  value: number,
  [, high]: Scale,
  what: string,
): Mistake[] {
  const applicable = entries.filter((one) => one.applicable);
  const allFail = applicable.length > 0 && applicable.every(({ verdict }) => verdict === 'fail');
  if (value !== high || !allFail) return [];
  const text = `${what} is ${value}, the highest, but every turn that the question applies to fails.`;
  return [contradiction(text)];
}
