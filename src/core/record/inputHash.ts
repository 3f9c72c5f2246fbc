import { digestOf } from '../data/digest.ts';
import type { SaidBefore, SuiteCase } from '../suite.ts';
import { unreachable } from '../unreachable.ts';

/**
 * SHA-256 of what a conversation is made from, hexadecimal: what is said in it whatever is replied, and who
 * replies.
 *
 * @param target digest of its target, if it has one
 */
export function inputHash(suiteCase: SuiteCase, target: string | undefined): string {
  const { context, tools } = suiteCase;
  return digestOf({ input: inputOf(suiteCase), context, tools, target });
}

/** Stands for the hash of a conversation that could not be read. */
export const BROKEN = '';

/** Enough of a hash to tell two apart; thousands of them are kept. */
export function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

function inputOf({ origin }: SuiteCase): unknown {
  switch (origin.kind) {
    case 'turns': {
      const turns = origin.turns.map(({ user, expected }) => [user, expected]);
      return origin.history ? { history: saidIn(origin.history), turns } : turns;
    }
    case 'simulate': {
      const { opening, model, source: _, ...user } = origin.user;
      return {
        history: origin.history && saidIn(origin.history),
        simulate: { ...user, opening: opening.map((turn) => turn.user) },
        model: model && String((model.written ?? model.params).model),
      };
    }
    case 'transcript':
      return saidIn(origin);
    default:
      return unreachable(origin);
  }
}

function saidIn({ messages }: SaidBefore): unknown {
  return messages.map(({ message, expected }) => [message, expected]);
}
