import {
  type Conversation,
  type FailedTurn,
  type Reporting,
  reportsIn,
  type SourcedMessage,
  systemMessages,
  type Turn,
  toConversation,
  turnsOf,
} from '../../core/conversation.ts';
import type { Source } from '../../core/problem.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import type { LiveOrigin } from '../../core/suite.ts';
import { addUsage, NO_USAGE, type Usage } from '../../core/verdict.ts';
import { reportingOf } from '../../targets/registry.ts';
import { TargetError, type TargetSession } from '../../targets/target.ts';
import { Speaking } from './speaking.ts';
import type { NextTurn, Stop, UserSide } from './userSide.ts';

export interface Conversed {
  readonly conversation: Conversation;
  /** The number of the reply to each user turn that was answered, by its place from 0. */
  readonly replyTurns: readonly number[];
  /** Of the target, and of the model that plays the user. */
  readonly usage: Usage;
  /** That of the target where every reply said what it used; its cost is known where that of each is. */
  readonly measured?: Usage;
  /** What the target's replies show; absent of a transcript. */
  readonly reporting?: Reporting;
  /** Why it ended, where that is not the end of a script. */
  readonly stop?: Stop;
  /** What cut the conversation short. */
  readonly error?: unknown;
  /** The turn that did not come because of it. */
  readonly failedTurn?: FailedTurn;
}

/**
 * Lets a user and a target talk. What the target is told before them begins the conversation, and then
 * comes its history.
 *
 * @param onTurn hears of each turn once it is said
 * @param onSpeaking hears of replies as they arrive; where nobody listens, none has to stream
 * @param goesOn asked after each reply with what was said so far; false ends the conversation
 */
export async function converse(
  { target, history }: LiveOrigin,
  user: UserSide,
  session: TargetSession,
  signal: AbortSignal,
  onTurn: (turn: Turn) => void,
  onSpeaking: ((turn: Turn) => void) | undefined,
  goesOn: (said: Conversed) => Promise<boolean>,
  scrubber: Scrubber,
): Promise<Conversed> {
  const before = systemMessages(target.system).map((message) => ({ message }));
  const placed: SourcedMessage[] = [...(history?.messages ?? [])];
  const notes = new Set(history?.notes);
  const soFar = () => scrubber.data(toConversation([...before, ...placed], [...notes]));
  const replyTurns: number[] = [];
  let usage = NO_USAGE;
  const replies: (Usage | undefined)[] = [];
  const failed = (side: Turn['side'], source?: Source): FailedTurn => ({
    number: turnsOf(soFar()).length + 1,
    side,
    ...(source && { source }),
  });
  const shown = (conversation: Conversation) => {
    const used = replies.some((one) => one !== undefined) ? (['usage'] as const) : [];
    return { conversation, reporting: reportingOf(target, [...reportsIn(conversation), ...used]) };
  };
  const said = (ended: Pick<Conversed, 'stop' | 'error' | 'failedTurn'> = {}): Conversed => ({
    ...shown(soFar()),
    replyTurns,
    usage: addUsage(usage, user.usage),
    ...('error' in ended ? {} : measured(replies)),
    ...ended,
  });
  const told = (): Turn | undefined => {
    const turn = turnsOf(soFar()).at(-1);
    if (turn) onTurn(turn);
    return turn;
  };
  const speaking = onSpeaking && new Speaking(onSpeaking, scrubber);
  for (const turn of turnsOf(soFar())) onTurn(turn);
  for (;;) {
    let next: NextTurn;
    try {
      next = await user.next(soFar(), signal);
    } catch (error) {
      return said({ stop: { reason: 'simulator-error' }, error, failedTurn: failed('user') });
    }
    if (next.kind === 'over') return said(next.stop && { stop: next.stop });
    const { user: content, expected, source } = next.turn;
    placed.push({ message: { role: 'user', content }, source, ...known(next.fromCache) });
    const asked = told();
    if (asked) speaking?.begin(asked);
    const began = performance.now();
    const waited = session.waited?.() ?? 0;
    const started = session.startup?.() ?? 0;
    try {
      const reply = await session.reply(
        placed.map(({ message }) => message),
        signal,
        speaking?.hear,
      );
      const startup = (session.startup?.() ?? 0) - started;
      // Waiting in line is our doing, and starting comes before any reply.
      const waiting = (session.waited?.() ?? 0) - waited;
      const latency = performance.now() - began - waiting + (reply.past?.latency ?? 0);
      const recalled = known(reply.past !== undefined && !reply.usage?.calls);
      for (const [index, message] of reply.messages.entries()) {
        const own = { latency, ...(startup > 0 && { startup }) };
        const first = index === 0 ? { ...own, ...(expected !== undefined && { expected }) } : {};
        placed.push({ message, source, ...first, ...recalled });
      }
      for (const note of reply.notes ?? []) notes.add(note);
      usage = addUsage(usage, reply.usage ?? NO_USAGE);
      replies.push(reply.past ? reply.past.usage : reply.usage);
    } catch (error) {
      usage = addUsage(usage, session.spent?.() ?? NO_USAGE);
      const failedTurn = failed('assistant', source);
      return said({ stop: { reason: stopOfTarget(error) }, error, failedTurn });
    } finally {
      speaking?.end();
    }
    const reply = told();
    replyTurns.push(reply?.number ?? 0);
    const stuck = user.stuck(soFar());
    if (stuck === 'empty-reply') {
      const message = `The target's reply in turn ${reply?.number} says nothing.`;
      const error = new TargetError('target-empty-reply', message);
      return said({ stop: { reason: stuck }, error });
    }
    if (stuck) return said({ stop: { reason: stuck } });
    if (!(await goesOn(said()))) return said({ stop: { reason: 'stop-on-failure' } });
  }
}

function known(fromCache = false): Pick<SourcedMessage, 'fromCache'> {
  return fromCache ? { fromCache } : {};
}

/** Of a target that failed, or could not be opened. */
export function stopOfTarget(error: unknown): 'target-error' | 'empty-reply' {
  const isEmpty = error instanceof TargetError && error.reason === 'target-empty-reply';
  return isEmpty ? 'empty-reply' : 'target-error';
}

function measured(replies: readonly (Usage | undefined)[]): Pick<Conversed, 'measured'> {
  const known = replies.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < replies.length) return {};
  const sum = known.reduce(addUsage, NO_USAGE);
  const priced = known.every(({ cost }) => cost !== null);
  return { measured: { ...sum, cost: priced ? sum.cost : null } };
}
