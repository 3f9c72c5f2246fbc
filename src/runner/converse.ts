import {
  type Conversation,
  type SourcedMessage,
  systemMessages,
  type Turn,
  toConversation,
  turnsOf,
} from '../core/conversation.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { TurnsOrigin } from '../core/suite.ts';
import { addUsage, NO_USAGE, type Usage } from '../core/verdict.ts';
import type { TargetSession } from '../targets/target.ts';

export interface Conversed {
  readonly conversation: Conversation;
  /** The number of the reply to each scripted turn that was answered, by its place from 0. */
  readonly replyTurns: readonly number[];
  readonly usage: Usage;
  /** The same where every reply said what it used; its cost is known where that of each is. */
  readonly measured?: Usage;
  /** What cut the conversation short. */
  readonly error?: unknown;
}

/**
 * Says the scripted turns one by one. What the target is told before them begins the conversation, and
 * then comes its history.
 *
 * @param onTurn hears of each turn as it is said
 * @param goesOn asked after each reply with what was said so far; false ends the conversation
 */
export async function converse(
  { target, history, turns }: TurnsOrigin,
  session: TargetSession,
  signal: AbortSignal,
  onTurn: (turn: Turn) => void,
  goesOn: (said: Omit<Conversed, 'error'>) => Promise<boolean>,
  scrubber: Scrubber,
): Promise<Conversed> {
  const before = systemMessages(target.system).map((message) => ({ message }));
  const placed: SourcedMessage[] = [...(history?.messages ?? [])];
  const soFar = () => scrubber.data(toConversation([...before, ...placed], history?.notes));
  const replyTurns: number[] = [];
  let usage = NO_USAGE;
  const replies: (Usage | undefined)[] = [];
  const told = (): Turn | undefined => {
    const turn = turnsOf(soFar()).at(-1);
    if (turn) onTurn(turn);
    return turn;
  };
  for (const turn of turnsOf(soFar())) onTurn(turn);
  for (const { user, expected, source } of turns) {
    placed.push({ message: { role: 'user', content: user }, source });
    told();
    const began = performance.now();
    try {
      const reply = await session.reply(
        placed.map(({ message }) => message),
        signal,
      );
      const latency = performance.now() - began;
      for (const [index, message] of reply.messages.entries()) {
        const first = index === 0 ? { latency, ...(expected !== undefined && { expected }) } : {};
        placed.push({ message, source, ...first });
      }
      usage = addUsage(usage, reply.usage ?? NO_USAGE);
      replies.push(reply.usage);
    } catch (error) {
      usage = addUsage(usage, session.spent?.() ?? NO_USAGE);
      return { conversation: soFar(), replyTurns, usage, error };
    }
    replyTurns.push(told()?.number ?? 0);
    const said = { conversation: soFar(), replyTurns, usage, ...measured(replies) };
    if (!(await goesOn(said))) return said;
  }
  return { conversation: soFar(), replyTurns, usage, ...measured(replies) };
}

function measured(replies: readonly (Usage | undefined)[]): Pick<Conversed, 'measured'> {
  const known = replies.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < replies.length) return {};
  const sum = known.reduce(addUsage, NO_USAGE);
  const priced = known.every(({ cost }) => cost !== null);
  return { measured: { ...sum, cost: priced ? sum.cost : null } };
}
