import { neededReports, notReported, traitsOf } from '../assertions/caseNeeds.ts';
import { type AssertionInput, asksJudge, type CaseFacts } from '../assertions/contract.ts';
import { typeOf } from '../assertions/registry.ts';
import { type ChosenTurns, chosenTurns, selectTurns } from '../core/at.ts';
import {
  type Conversation,
  liveTurnsOf,
  type Reporting,
  type Turn,
  turnsOf,
  turnsOfSide,
} from '../core/conversation.ts';
import type { ExamplesFor } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { Assertion } from '../core/suite.ts';
import type { Usage, Verdict } from '../core/verdict.ts';
import { errorVerdict, skippedVerdict } from './verdicts.ts';

export interface JudgedConversation {
  readonly conversation: Conversation;
  /** The conversation including its secrets, for deterministic assertions; absent if it contains none. */
  readonly unscrubbed?: Conversation | undefined;
  /** Whether the conversation comes from a record or a recording, which don't contain its secrets. */
  readonly isStored?: boolean;
  /** Hides secrets in outcomes of deterministic assertions. */
  readonly scrubber?: Scrubber;
  readonly facts: CaseFacts;
  /** The turn number of the reply to each scripted turn, by its index. */
  readonly replyTurns: readonly number[];
  /** Whether the conversation could have continued. If so, turns that `at` doesn't find count as not reached. */
  readonly endedEarly?: boolean;
  readonly targetUsage?: Usage;
  /** What the target reports; absent for a transcript. */
  readonly reporting?: Reporting;
  readonly examples?: ExamplesFor;
}

/** The input for an assertion, or a verdict that says why the assertion can't be checked. */
export function inputFor(
  assertion: Assertion,
  judged: JudgedConversation,
): AssertionInput | Verdict {
  const { conversation, facts, replyTurns, endedEarly, targetUsage, reporting } = judged;
  const type = typeOf(assertion);
  const needed = type.needs?.(facts, traitsOf(conversation));
  if (needed !== undefined) return errorVerdict(assertion, 'missing-need', needed);
  const silent = asksJudge(type) ? silentSide(conversation) : undefined;
  if (silent) {
    const rationale = `Nothing to judge: the ${silent} never speaks.`;
    return skippedVerdict(assertion, 'no-turns', rationale);
  }
  const chosen = chooseTurns(conversation, assertion, type.side, replyTurns);
  const subject = 'turns' in chosen ? chosen.turns : [];
  // The missing spans might have named the agent.
  const candidates = assertion.at.kind === 'agent' ? turnsOf(conversation) : subject;
  const cut = candidates.find(({ traceFault }) => traceFault !== undefined);
  if (cut && neededReports(type, assertion, facts).length > 0) {
    return errorVerdict(assertion, 'spans-missing', faultText(assertion, cut));
  }
  // A history is in the file, so it is complete.
  const isLive = assertion.at.kind === 'agent' || subject.some(({ history }) => !history);
  const hidden = isLive ? notReported(type, assertion, facts, reporting) : undefined;
  if (hidden) return errorVerdict(assertion, 'not-reported', hidden.message);
  if ('turns' in chosen) {
    return { conversation, turns: subject, assertion, facts, ...(targetUsage && { targetUsage }) };
  }
  if (endedEarly && chosen.fault === 'beyond') {
    const rationale = `The conversation ended early: ${chosen.missing}.`;
    return skippedVerdict(assertion, 'not-reached', rationale);
  }
  const rationale = `Nothing to check: ${chosen.missing}.`;
  return chosen.fault
    ? errorVerdict(assertion, 'turn-not-found', rationale)
    : skippedVerdict(assertion, 'no-turns', rationale);
}

function faultText({ type }: Assertion, { number, traceFault }: Turn): string {
  return `${type} can't be checked: the trace of turn ${number} is incomplete. ${traceFault}`;
}

function silentSide(conversation: Conversation): 'user' | 'assistant' | undefined {
  return (['user', 'assistant'] as const).find(
    (side) => turnsOfSide(conversation, side).length === 0,
  );
}

export function recordedFacts(
  id: string,
  { role, ...rest }: NonNullable<CaseLine['facts']>,
): CaseFacts {
  return { id, ...rest, ...(role !== undefined && { role }) };
}

export function replyTurnsOf(conversation: Conversation): number[] {
  const live = liveTurnsOf(conversation).filter(({ side }) => side === 'assistant');
  return live.map(({ number }) => number);
}

export function pickFacts(given: CaseFacts): CaseFacts {
  const { id, conversationId, role, topics, tools, expectations, context } = given;
  const known = { id, conversationId, topics, tools, expectations, context };
  return { ...known, ...(role !== undefined && { role }) };
}

/** The turns to check. @param side the type's side @param replyTurns as in `JudgedConversation` */
export function chooseTurns(
  conversation: Conversation,
  assertion: Pick<Assertion, 'at' | 'scriptedTurn'>,
  side: Turn['side'] | 'both',
  replyTurns: readonly number[],
): ChosenTurns {
  if (assertion.scriptedTurn !== undefined) {
    const reply = replyTurns[assertion.scriptedTurn];
    // A type about the user looks at the turn before the reply.
    const subject = reply !== undefined && side === 'user' ? reply - 1 : reply;
    return chosenTurns(
      turnsOf(conversation).filter(({ number }) => number === subject),
      'the scripted turn has no reply',
    );
  }
  return selectTurns(assertion.at, conversation, side);
}
