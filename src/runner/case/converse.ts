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
import { unreachable } from '../../core/errors.ts';
import type { Message } from '../../core/message.ts';
import type { Source } from '../../core/problem.ts';
import type { StopReason } from '../../core/record/runRecord.ts';
import { Throttle } from '../../core/scheduling.ts';
import type { Scrubber } from '../../core/scrubber.ts';
import {
  type LiveTurnsOrigin,
  NO_SIMULATOR,
  type ScriptedTurn,
  type SimulateOrigin,
  type TurnsOrigin,
} from '../../core/suite.ts';
import { addUsage, NO_USAGE, type Usage } from '../../core/verdict.ts';
import { UsageMeter } from '../../judge/ask.ts';
import type { JudgeOptions } from '../../judge/judgeAssertions.ts';
import { ModelError } from '../../models/model.ts';
import { detectStall, nextUserMessage, type SimulationId } from '../../simulate/simulatedUser.ts';
import { reportingOf } from '../../targets/registry.ts';
import { TargetError, type TargetSession } from '../../targets/target.ts';

export interface ConversationResult {
  readonly conversation: Conversation;
  /** The same with its secrets. It never leaves the memory. */
  readonly unscrubbed?: Conversation;
  /** The turn number of the reply to each user turn, by its index. */
  readonly replyTurns: readonly number[];
  /** Of the target, and of the model that plays the user. */
  readonly usage: Usage;
  /** Of the target, if every reply reported its usage; the cost is null unless each has one. */
  readonly measured?: Usage;
  /** What the target reports; absent for a transcript. */
  readonly reporting?: Reporting;
  /** Why it ended, unless by the end of a script. */
  readonly stop?: Stop;
  /** What ended the conversation early, and the turn that failed. */
  readonly error?: unknown;
  readonly failedTurn?: FailedTurn;
}

/**
 * Lets a user and a target talk, after the target's system text and the history of the case.
 *
 * @param onTurn called with each complete turn
 * @param onSpeaking called with the start of a reply while it arrives; if undefined, replies aren't streamed
 * @param shouldContinue called after each reply; false ends the conversation
 */
export async function converse(
  { kind, target, history }: LiveTurnsOrigin,
  user: UserSide,
  session: TargetSession,
  signal: AbortSignal,
  onTurn: (turn: Turn) => void,
  onSpeaking: ((turn: Turn) => void) | undefined,
  shouldContinue: (said: ConversationResult) => Promise<boolean>,
  scrubber: Scrubber,
): Promise<ConversationResult> {
  const before = systemMessages(target.system).map((message) => ({ message }));
  const placed: SourcedMessage[] = [...(history?.messages ?? [])];
  const notes = new Set(history?.notes);
  const withSecrets = new Map<Message, Message>();
  const conversationOf = (messages: readonly SourcedMessage[]) =>
    toConversation([...before, ...messages], [...notes]);
  const soFar = () => scrubber.data(conversationOf(placed));
  const replyTurns: number[] = [];
  let usage = NO_USAGE;
  const replies: (Usage | undefined)[] = [];
  const failed = (side: Turn['side'], source?: Source): FailedTurn => ({
    number: turnsOf(soFar()).length + 1,
    side,
    ...(source && { source }),
  });
  const shown = () => {
    const whole = conversationOf(placed);
    const conversation = scrubber.data(whole);
    const exact = placed.map((one) => ({
      ...one,
      message: withSecrets.get(one.message) ?? one.message,
    }));
    const unscrubbed = withSecrets.size === 0 ? whole : conversationOf(exact);
    const used = replies.some((one) => one !== undefined) ? (['usage'] as const) : [];
    const reports = [...reportsIn(conversation), ...used];
    return { conversation, unscrubbed, reporting: reportingOf(target, reports) };
  };
  const said = (
    ended: Pick<ConversationResult, 'stop' | 'error' | 'failedTurn'> = {},
  ): ConversationResult => ({
    ...shown(),
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
  const speaking = onSpeaking && new ReplyStream(onSpeaking, scrubber);
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
      // Time in the queue and to start a program isn't part of the latency.
      const waiting = (session.waited?.() ?? 0) - waited;
      const latency = performance.now() - began - waiting + (reply.past?.latency ?? 0);
      const recalled = known(reply.past !== undefined && !reply.usage?.calls);
      for (const [index, message] of reply.messages.entries()) {
        const own = { latency, ...(startup > 0 && { startup }) };
        const first = index === 0 ? { ...own, ...(expected !== undefined && { expected }) } : {};
        placed.push({ message, source, ...first, ...recalled });
        const exact = reply.unscrubbed?.[index];
        if (exact) withSecrets.set(message, exact);
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
    // The assertions judge what a target answers to a script.
    const stall = kind === 'simulate' ? detectStall(soFar()) : undefined;
    if (stall === 'empty-reply') {
      const message = `The target's reply in turn ${reply?.number} is empty.`;
      const error = new TargetError('target-empty-reply', message);
      return said({ stop: { reason: stall }, error });
    }
    if (stall) return said({ stop: { reason: stall } });
    if (!(await shouldContinue(said()))) return said({ stop: { reason: 'stop-on-failure' } });
  }
}

function known(fromCache = false): Pick<SourcedMessage, 'fromCache'> {
  return fromCache ? { fromCache } : {};
}

/** The stop reason for an error of a target. */
export function stopOfTarget(error: unknown): 'target-error' | 'empty-reply' {
  const isEmpty = error instanceof TargetError && error.reason === 'target-empty-reply';
  return isEmpty ? 'empty-reply' : 'target-error';
}

function measured(replies: readonly (Usage | undefined)[]): Pick<ConversationResult, 'measured'> {
  const known = replies.filter((one) => one !== undefined);
  if (known.length === 0 || known.length < replies.length) return {};
  const sum = known.reduce(addUsage, NO_USAGE);
  const priced = known.every(({ cost }) => cost !== null);
  return { measured: { ...sum, cost: priced ? sum.cost : null } };
}

/** Why a conversation ended. */
export interface Stop {
  readonly reason: StopReason;
  /** In the simulated user's own words. */
  readonly why?: string;
}

type NextTurn =
  | { readonly kind: 'turn'; readonly turn: ScriptedTurn; readonly fromCache?: boolean }
  /** Without `stop` at the end of a script. */
  | { readonly kind: 'over'; readonly stop?: Stop };

/** The user's side of a conversation. */
export interface UserSide {
  /** @throws JudgeError, ModelError */
  next(said: Conversation, signal: AbortSignal): Promise<NextTurn>;
  /** Usage of the model that plays the user. */
  readonly usage: Usage;
}

export class ScriptedUser implements UserSide {
  readonly usage = NO_USAGE;
  readonly #turns: readonly ScriptedTurn[];
  #said = 0;

  constructor({ turns }: TurnsOrigin) {
    this.#turns = turns;
  }

  async next(): Promise<NextTurn> {
    const turn = this.#turns[this.#said];
    this.#said += 1;
    return turn ? { kind: 'turn', turn } : { kind: 'over' };
  }
}

/** Says the opening turns, then asks a model for each turn. */
export class ModelledUser implements UserSide {
  readonly #origin: SimulateOrigin;
  readonly #playing: SimulationId;
  readonly #modelFor: JudgeOptions['modelFor'];
  readonly #meter = new UsageMeter();
  #said = 0;

  constructor(origin: SimulateOrigin, playing: SimulationId, modelFor: JudgeOptions['modelFor']) {
    this.#origin = origin;
    this.#playing = playing;
    this.#modelFor = modelFor;
  }

  get usage(): Usage {
    return this.#meter.usage;
  }

  async next(said: Conversation, signal: AbortSignal): Promise<NextTurn> {
    const { user } = this.#origin;
    if (this.#said === user.maxUserTurns) return { kind: 'over', stop: { reason: 'max-turns' } };
    const opening = user.opening[this.#said];
    this.#said += 1;
    if (opening) return { kind: 'turn', turn: opening };
    const model = await this.#modelFor(user.model);
    if (!model) throw new ModelError('bad-request', NO_SIMULATOR);
    const { onReply } = this.#meter;
    const { calls } = this.#meter.usage;
    const words = await nextUserMessage(user, said, model, this.#playing, signal, onReply);
    switch (words.kind) {
      case 'said':
        return {
          kind: 'turn',
          turn: { user: words.text, source: user.source },
          fromCache: this.#meter.usage.calls === calls,
        };
      case 'over':
        return { kind: 'over', stop: { reason: words.stop, why: words.why } };
      default:
        return unreachable(words);
    }
  }
}

/** Milliseconds between two reports of a reply. */
const REPORT_INTERVAL = 100;

/** Reports a reply while it arrives, as an incomplete turn. */
class ReplyStream {
  readonly #tell: (turn: Turn) => void;
  readonly #scrubber: Scrubber;
  #text = '';
  readonly #throttle = new Throttle(REPORT_INTERVAL, () => this.#say());
  #turn: Pick<Turn, 'number' | 'source'> = { number: 1 };

  constructor(tell: (turn: Turn) => void, scrubber: Scrubber) {
    this.#tell = tell;
    this.#scrubber = scrubber;
  }

  /** @param before the user's turn that the reply is to */
  begin({ number, source }: Pick<Turn, 'number' | 'source'>): void {
    this.end();
    this.#turn = { number: number + 1, ...(source && { source }) };
  }

  readonly hear = (soFar: string): void => {
    this.#text = soFar;
    this.#throttle.schedule();
  };

  end(): void {
    this.#throttle.dispose();
  }

  #say(): void {
    const text = this.#scrubber.beginning(this.#text);
    if (text === '') return;
    this.#tell({ kind: 'turn', ...this.#turn, side: 'assistant', items: [{ kind: 'text', text }] });
  }
}
