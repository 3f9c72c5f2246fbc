import { notReported, traitsOf } from '../assertions/caseNeeds.ts';
import { type AssertionInput, asksJudge, type CaseFacts } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { type ChosenTurns, chosenTurns, selectTurns } from '../core/at.ts';
import {
  type Conversation,
  type Reporting,
  type Turn,
  turnsOf,
  turnsOfSide,
} from '../core/conversation.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import type { Assertion } from '../core/suite.ts';
import type { Usage, Verdict } from '../core/verdict.ts';
import { errorVerdict, skippedVerdict } from './verdicts.ts';

export interface JudgedConversation {
  readonly conversation: Conversation;
  readonly facts: CaseFacts;
  /** The number of the reply to each scripted turn, by the turn's place from 0. */
  readonly replyTurns: readonly number[];
  /** True if more could have been said: what `at` misses was not reached. */
  readonly endedEarly?: boolean;
  /** What the target used for its replies. */
  readonly targetUsage?: Usage;
  /** What the target's replies show; absent of a transcript, which is all there is. */
  readonly reporting?: Reporting;
  /** Conversations that people judged; none by default. */
  readonly examples?: ExamplesFor;
}

/** What an assertion is given, or the verdict that says why it cannot be checked. */
export function inputFor(
  assertion: Assertion,
  {
    conversation,
    facts,
    replyTurns,
    endedEarly = false,
    targetUsage,
    reporting,
  }: JudgedConversation,
): AssertionInput | Verdict {
  const type = typeOf(assertion);
  const needed = type.needs?.(facts, traitsOf(conversation));
  if (needed !== undefined) return errorVerdict(assertion, 'missing-need', needed);
  const silent = asksJudge(type) ? silentSide(conversation) : undefined;
  if (silent) {
    const rationale = `Nothing to judge: the ${silent} never speaks.`;
    return skippedVerdict(assertion, 'no-turns', rationale);
  }
  const chosen = chooseTurns(conversation, assertion, type.side, replyTurns);
  if ('turns' in chosen) {
    const { turns: subject } = chosen;
    // A history is in the file, whole.
    const hidden = subject.some(({ history }) => !history)
      ? notReported(type, facts, reporting)
      : undefined;
    if (hidden) return errorVerdict(assertion, 'not-reported', hidden.message);
    return { conversation, turns: subject, assertion, facts, ...(targetUsage && { targetUsage }) };
  }
  if (endedEarly && chosen.fault === 'beyond') {
    const rationale = `The conversation ended before: ${chosen.missing}.`;
    return skippedVerdict(assertion, 'not-reached', rationale);
  }
  const rationale = `Nothing to look at: ${chosen.missing}.`;
  return chosen.fault
    ? errorVerdict(assertion, 'turn-not-found', rationale)
    : skippedVerdict(assertion, 'no-turns', rationale);
}

function silentSide(conversation: Conversation): 'user' | 'assistant' | undefined {
  return (['user', 'assistant'] as const).find(
    (side) => turnsOfSide(conversation, side).length === 0,
  );
}

export function pickFacts(given: CaseFacts): CaseFacts {
  const { id, conversationId, role, topics, tools, expectations, context } = given;
  const known = { id, conversationId, topics, tools, expectations, context };
  return { ...known, ...(role !== undefined && { role }) };
}

/**
 * The turns that an assertion looks at.
 *
 * @param side the side that its type looks at
 * @param replyTurns the number of the reply to each scripted turn, by the turn's place from 0
 */
export function chooseTurns(
  conversation: Conversation,
  assertion: Pick<Assertion, 'at' | 'scriptedTurn'>,
  side: Turn['side'] | 'both',
  replyTurns: readonly number[],
): ChosenTurns {
  if (assertion.scriptedTurn !== undefined) {
    const reply = replyTurns[assertion.scriptedTurn];
    // A type that looks at the user looks at the turn that the reply is to.
    const subject = reply !== undefined && side === 'user' ? reply - 1 : reply;
    return chosenTurns(
      turnsOf(conversation).filter(({ number }) => number === subject),
      'the scripted turn has no reply',
    );
  }
  return selectTurns(assertion.at, conversation, side);
}
