import * as z from 'zod';
import { type Conversation, liveTurnsOf, type Turn, turnsOf } from './conversation.ts';
import type { At } from './suite.ts';

const WORDS = ['all', 'live', 'last', 'first', 'each'] as const;

export const atSchema = z
  .union([
    z.enum(WORDS),
    z.int(),
    z.array(z.int()).min(1),
    z
      .string()
      .regex(
        /^[1-9]\d*-[1-9]\d*$/,
        'Expected all, live, last, first, each, a turn, or a range such as "2-6"',
      ),
  ])
  .meta({
    description:
      'Which turns to check: `all`, `live`, `last`, `first`, `each`, a number, a list of numbers, or a range such as `"2-6"`. Negative numbers count from the end. Only `all`, ranges, and positive numbers include turns of a `history`. Default: `all`, or `live` after a `history`.',
  });

export type ChosenTurns =
  | { readonly turns: readonly Turn[] }
  /** `fault` marks a mistake in the file; without it, the conversation simply has no turn on that side. */
  | { readonly missing: string; readonly fault?: 'beyond' | 'other-side' };

/** Reads an `at` that fits the schema. */
export function parseAt(value: unknown): At {
  if (value === undefined) return { kind: 'all' };
  if (typeof value === 'number') return { kind: 'turns', turns: [value] };
  if (Array.isArray(value)) return { kind: 'turns', turns: value.map(Number) };
  const word = WORDS.find((one) => one === value);
  if (word) return { kind: word };
  const [from, to] = String(value).split('-').map(Number);
  return { kind: 'range', from: from ?? 1, to: to ?? 1 };
}

export function atText(at: At): string {
  if (at.kind === 'turns') return at.turns.join(', ');
  return at.kind === 'range' ? `${at.from}-${at.to}` : at.kind;
}

/** Returns the turns that an `at` selects. @param side the side to check */
export function selectTurns(
  at: At,
  conversation: Conversation,
  side: Turn['side'] | 'both',
): ChosenTurns {
  const all = turnsOf(conversation);
  const live = liveTurnsOf(conversation);
  const isOfSide = (turn: Turn) => side === 'both' || turn.side === side;
  const sided = live.filter(isOfSide);
  const nobody = `no turn of the ${side === 'both' ? 'conversation' : side}`;
  switch (at.kind) {
    case 'all':
      return chosenTurns(all.filter(isOfSide), nobody);
    case 'live':
    case 'each':
      return chosenTurns(sided, nobody);
    case 'first':
      return chosenTurns(sided.slice(0, 1), nobody);
    case 'last':
      return chosenTurns(sided.slice(-1), nobody);
    case 'range':
      if (at.to > all.length) return notThere(at.to, all.length);
      return chosenTurns(
        all.filter(({ number }) => number >= at.from && number <= at.to).filter(isOfSide),
        `${nobody} from ${at.from} to ${at.to}`,
        'other-side',
      );
    case 'turns': {
      const found: Turn[] = [];
      for (const number of at.turns) {
        const turn = number > 0 ? all[number - 1] : number < 0 ? live.at(number) : undefined;
        if (!turn) return notThere(number, all.length);
        if (!isOfSide(turn)) {
          const missing = `turn ${turn.number} is the ${turn.side}'s, but this checks the ${side}'s turns`;
          return { missing, fault: 'other-side' };
        }
        if (!found.includes(turn)) found.push(turn);
      }
      return { turns: found.sort((a, b) => a.number - b.number) };
    }
  }
}

function notThere(number: number, count: number): ChosenTurns {
  return { missing: `there is no turn ${number}, the last is ${count}`, fault: 'beyond' };
}

export function chosenTurns(
  turns: readonly Turn[],
  missing: string,
  fault?: 'beyond' | 'other-side',
): ChosenTurns {
  return turns.length === 0 ? { missing, ...(fault && { fault }) } : { turns };
}
