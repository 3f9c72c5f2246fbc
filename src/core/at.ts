import * as z from 'zod';
import {
  agentOf,
  agentsIn,
  type Conversation,
  liveTurnsOf,
  type Turn,
  turnsOf,
} from './conversation.ts';
import { isMapping } from './data/data.ts';
import { agentName } from './presentation/agents.ts';
import { unknownAgentText } from './presentation/unknownAgent.ts';
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
        'Expected all, live, last, first, each, a turn number, a range such as "2-6", or {agent: NAME}',
      ),
    z.strictObject({
      agent: z.string().min(1).meta({
        description: 'Select only the turns in which the agent with this name acts.',
        refersTo: 'agent',
      }),
    }),
  ])
  .meta({
    description:
      'Which turns to check: `all`, `live`, `last`, `first`, `each`, a number, a list of numbers, a range such as `"2-6"`, or `{agent: NAME}`: the turns in which that agent says or calls something. Negative numbers count from the end. Only `all`, ranges, and positive numbers include turns of a `history`. Default: `all`, or `live` after a `history`.',
  });

export type ChosenTurns =
  | { readonly turns: readonly Turn[] }
  /** `fault` marks a mistake in the file. Without it, the conversation simply has no turn on that side. */
  | { readonly missing: string; readonly fault?: 'beyond' | 'other-side' };

/** Reads an `at` that fits the schema. */
export function parseAt(value: unknown): At {
  if (value === undefined) return { kind: 'all' };
  if (typeof value === 'number') return { kind: 'turns', turns: [value] };
  if (Array.isArray(value)) return { kind: 'turns', turns: value.map(Number) };
  const word = WORDS.find((one) => one === value);
  if (word) return { kind: word };
  if (isMapping(value)) return { kind: 'agent', agent: String(value.agent) };
  const [from, to] = String(value).split('-').map(Number);
  return { kind: 'range', from: from ?? 1, to: to ?? 1 };
}

export function atText(at: At): string {
  if (at.kind === 'turns') return at.turns.join(', ');
  if (at.kind === 'agent') return `agent ${at.agent}`;
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
  const nobody = `the ${side === 'both' ? 'conversation' : side} has no turns`;
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
    case 'agent': {
      const own = sided.filter(({ items }) => items.some((item) => agentOf(item) === at.agent));
      const known = agentsIn(all);
      const missing = known.includes(at.agent)
        ? `the agent “${agentName(at.agent)}” has no turn here`
        : unknownAgentText(at.agent, known);
      return chosenTurns(own, missing, 'beyond');
    }
    case 'turns': {
      const found: Turn[] = [];
      for (const number of at.turns) {
        const turn = number > 0 ? all[number - 1] : number < 0 ? live.at(number) : undefined;
        if (!turn) return notThere(number, all.length);
        if (!isOfSide(turn)) {
          const missing = `turn ${turn.number} is the ${turn.side}'s, but only the ${side}'s turns are checked`;
          return { missing, fault: 'other-side' };
        }
        if (!found.includes(turn)) found.push(turn);
      }
      return { turns: found.sort((a, b) => a.number - b.number) };
    }
  }
}

function notThere(number: number, count: number): ChosenTurns {
  return { missing: `there is no turn ${number}; the last is turn ${count}`, fault: 'beyond' };
}

export function chosenTurns(
  turns: readonly Turn[],
  missing: string,
  fault?: 'beyond' | 'other-side',
): ChosenTurns {
  return turns.length === 0 ? { missing, ...(fault && { fault }) } : { turns };
}
