import type { DeterministicType, Finding, Outcome } from '../../src/assertions/contract.ts';
import { type Conversation, toConversation } from '../../src/core/conversation.ts';
import { deepFreeze } from '../../src/core/data/data.ts';
import type { Message } from '../../src/core/message.ts';
import type { Assertion, At } from '../../src/core/suite.ts';
import { chooseTurns } from '../../src/judge/inputs.ts';
import { buildAssertion, buildFacts, user } from './judging.ts';

export const EACH = { at: { kind: 'each' } } as const;
export const FIRST = { at: { kind: 'first' } } as const;
export const LAST = { at: { kind: 'last' } } as const;
export const NOT = { negate: true } as const;

export function turnsAt(...turns: number[]): { readonly at: At } {
  return { at: { kind: 'turns', turns } };
}

/**
 * A conversation in which a user message precedes each list of messages, so the replies are turns 2, 4, 6, and so on.
 */
export function replies(...turns: readonly (readonly Message[])[]): Conversation {
  const messages = turns.flatMap((turn) => [user('Go on.'), ...turn]);
  return toConversation(messages.map((message) => ({ message })));
}

/** Runs an assertion type like `judgeAssertions` does. */
export async function outcomeOf(
  type: DeterministicType,
  params: Readonly<Record<string, unknown>>,
  conversation: Conversation,
  rest: Partial<Assertion> = {},
): Promise<Outcome> {
  const assertion = buildAssertion(type.type, { ...type.params.parse(params) }, rest);
  const frozen = deepFreeze(structuredClone(conversation));
  const chosen = chooseTurns(frozen, assertion, type.side, []);
  if (!('turns' in chosen)) throw new Error(chosen.missing);
  return type.check({ conversation: frozen, turns: chosen.turns, assertion, facts: buildFacts() });
}

/** Like `outcomeOf`. @throws Error if the assertion is skipped */
export async function findingOf(...given: Parameters<typeof outcomeOf>): Promise<Finding> {
  const outcome = await outcomeOf(...given);
  if (outcome.kind === 'skipped') throw new Error(`Skipped: ${outcome.rationale}`);
  return outcome;
}

/** The turn and status of each entry: `2 pass`, `4 skipped`. */
export function statuses({ turns }: Outcome): string[] {
  return turns.map(({ turn, status }) => `${turn} ${status}`);
}
