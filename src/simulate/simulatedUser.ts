import * as z from 'zod';
import { answerSchema, type Mistake } from '../assertions/contract.ts';
import { type Conversation, liveTurnsOf, textOf, turnsOfSide } from '../core/conversation.ts';
import type { SimulatedUser } from '../core/suite.ts';
import { askJudge, type OnReply } from '../judge/ask.ts';
import type { Model, ModelRequest } from '../models/model.ts';
import { simulatorMessages } from './prompt.ts';

/** The simulated user's next message, or why the conversation is over. */
type NextMessage =
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'over'; readonly stop: (typeof GOAL_STOPS)[number]; readonly why: string };

const GOAL_STOPS = ['goal-reached', 'goal-refused', 'stop-condition'] as const;

/** Identifies one conversation with a simulated user. */
export interface SimulationId {
  /** Identifies the conversation in a recording. */
  readonly conversation: string;
  /** From 1. Each repetition of a seeded case has a different seed. */
  readonly repetition: number;
}

/**
 * Asks for the user's next message. The same answer says whether the conversation is over, which isn't possible before
 * its first live turn.
 *
 * @throws JudgeError if the answer can't be used; ModelError
 */
export async function nextUserMessage(
  user: SimulatedUser,
  said: Conversation,
  model: Model,
  { conversation, repetition }: SimulationId,
  signal: AbortSignal,
  onReply: OnReply,
): Promise<NextMessage> {
  const begun = liveTurnsOf(said).length > 0;
  const answer = answerFor(user, begun);
  const name = 'user_turn';
  const request: ModelRequest = {
    messages: simulatorMessages(user, said),
    answer: { name, schema: answerSchema(answer) },
    conversation,
    ...(user.seed !== undefined && { seed: user.seed + repetition - 1 }),
  };
  const asked = { name, instructions: '', answer, mistakes };
  const [given] = await askJudge(model, request, asked, signal, onReply);
  const { reason, status, message } = given.answer;
  return status === 'continue'
    ? { kind: 'said', text: message }
    : { kind: 'over', stop: status, why: reason };
}

function answerFor({ stopWhen }: SimulatedUser, begun: boolean) {
  const over = GOAL_STOPS.filter((one) => one !== 'stop-condition' || stopWhen !== undefined);
  return z.strictObject({
    reason: z.string(),
    status: z.enum(begun ? ['continue', ...over] : ['continue']),
    message: z.string(),
  });
}

type Answer = z.infer<ReturnType<typeof answerFor>>;

function mistakes({ status, reason, message }: Answer): Mistake[] {
  if (status === 'continue' && message.trim() === '') {
    return [contradiction('`message` is empty although `status` is continue.')];
  }
  return status !== 'continue' && reason.trim() === ''
    ? [contradiction(`\`reason\` is empty although \`status\` is ${status}.`)]
    : [];
}

function contradiction(text: string): Mistake {
  return { reason: 'contradiction', text };
}

/** Why the conversation can't continue after the latest reply: it is empty, or repeats the previous one. */
export function detectStall(conversation: Conversation): 'empty-reply' | 'repetition' | undefined {
  const [before, latest] = turnsOfSide(conversation, 'assistant')
    .slice(-2)
    .map(textOf)
    .map(normalized);
  const reply = latest ?? before;
  if (reply === '') return 'empty-reply';
  return latest !== undefined && latest === before ? 'repetition' : undefined;
}

/** Replies are equal if they differ only in case and whitespace. */
function normalized(text: string): string {
  return text.replace(/\s+/gu, ' ').trim().toLowerCase();
}
