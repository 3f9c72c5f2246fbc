import {
  type Conversation,
  type FailedTurn,
  type Report,
  type Reporting,
  reportsIn,
  type SourcedMessage,
  systemMessages,
  type Turn,
  toConversation,
  turnsOf,
} from '../../core/conversation.ts';
import { pushAll } from '../../core/data/data.ts';
import { imagesOf, type Message, type Tool } from '../../core/message.ts';
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
import { takesImages } from '../../models/images.ts';
import { ModelError } from '../../models/model.ts';
import { detectStall, nextUserMessage, type SimulationId } from '../../simulate/simulatedUser.ts';
import { reportingOf } from '../../targets/registry.ts';
import { TargetError, type TargetSession } from '../../targets/target.ts';

export interface ConversationResult {
  readonly conversation: Conversation;
  /** The same conversation including its secrets. Never leaves memory. */
  readonly unscrubbed?: Conversation;
  /** The turn numbers of the replies, by the index of the user turn. */
  readonly replyTurns: readonly number[];
  /** Usage of the target and of the model that plays the user. */
  readonly usage: Usage;
  /** The target's usage; set if every reply reported it. The cost is null unless every reply reported one. */
  readonly measured?: Usage;
  /** Tools that the target reported, by name. */
  readonly tools?: readonly Tool[];
  /** What the target reports; absent for a transcript. */
  readonly reporting?: Reporting;
  /** Why the conversation ended; absent if the script reached its end. */
  readonly stop?: Stop;
  readonly error?: unknown;
  readonly failedTurn?: FailedTurn;
}

/**
 * Runs a conversation, after the target's system text and the case's history.
 *
 * @param onTurn called with each complete turn
 * @param onSpeaking called with the beginning of a reply while it arrives
 * @param isStreamed whether replies are streamed even without `onSpeaking`
 * @param shouldContinue called after each reply; false ends the conversation
 */
export async function converse(
  { kind, target, history }: LiveTurnsOrigin,
  user: UserSide,
  session: TargetSession,
  signal: AbortSignal,
  onTurn: (turn: Turn) => void,
  onSpeaking: ((turn: Turn) => void) | undefined,
  isStreamed: boolean,
  shouldContinue: (result: ConversationResult) => Promise<boolean>,
  scrubber: Scrubber,
): Promise<ConversationResult> {
  const before = systemMessages(target.system).map((message) => ({ message }));
  const placed: SourcedMessage[] = [...(history?.messages ?? [])];
  /** The messages to send to the target. */
  const sent: Message[] = placed.map(({ message }) => message);
  const notes = new Set(history?.notes);
  const isBlind = !target.model || !takesImages(target.model);
  const withSecrets = new Map<Message, Message>();
  const conversationOf = (messages: readonly SourcedMessage[]) =>
    toConversation([...before, ...messages], [...notes]);
  const soFar = () => scrubber.data(conversationOf(placed));
  const tools = new Map<string, Tool>();
  const replyTurns: number[] = [];
  const reported = new Set<Report>();
  let usage = NO_USAGE;
  const replies: (Usage | undefined)[] = [];
  const failed = (side: Turn['side'], source?: Source): FailedTurn => ({
    number: turnsOf(soFar()).length + 1,
    side,
    ...(source && { source }),
  });
  const currentTalk = () => {
    const whole = conversationOf(placed);
    const conversation = scrubber.data(whole);
    const exact = placed.map((one) => ({
      ...one,
      message: withSecrets.get(one.message) ?? one.message,
    }));
    const unscrubbed = withSecrets.size === 0 ? whole : conversationOf(exact);
    const used = replies.some((one) => one !== undefined) ? (['usage'] as const) : [];
    const reports = [...reportsIn(conversation), ...used, ...reported];
    return { conversation, unscrubbed, reporting: reportingOf(target, reports) };
  };
  const resultSoFar = (
    ended: Pick<ConversationResult, 'stop' | 'error' | 'failedTurn'> = {},
  ): ConversationResult => ({
    ...currentTalk(),
    replyTurns,
    ...(tools.size > 0 && { tools: [...tools.values()] }),
    usage: addUsage(usage, user.usage),
    ...('error' in ended ? {} : measured(replies)),
    ...ended,
  });
  const reportLast = (): Turn | undefined => {
    const turn = turnsOf(soFar()).at(-1);
    if (turn) onTurn(turn);
    return turn;
  };
  const stream = onSpeaking && createReplyStream(onSpeaking, scrubber);
  for (const turn of turnsOf(soFar())) onTurn(turn);
  for (;;) {
    let next: NextTurn;
    try {
      next = await user.next(soFar(), signal);
    } catch (error) {
      return resultSoFar({
        stop: { reason: 'simulator-error' },
        error,
        failedTurn: failed('user'),
      });
    }
    if (next.kind === 'over') return resultSoFar(next.stop && { stop: next.stop });
    const { user: content, images, expected, source } = next.turn;
    const message: Message = { role: 'user', content, ...(images && { images: [...images] }) };
    placed.push({ message, source, ...known(next.fromCache) });
    sent.push(message);
    if (isBlind && sent.some((one) => imagesOf(one).length > 0)) notes.add(UNSEEN);
    const asked = reportLast();
    if (asked) stream?.begin(asked);
    const began = performance.now();
    const waited = session.waited?.() ?? 0;
    const started = session.startup?.() ?? 0;
    try {
      const reply = await session.reply(
        [...sent],
        signal,
        stream?.hear ?? (isStreamed ? () => {} : undefined),
      );
      const startup = (session.startup?.() ?? 0) - started;
      // Time spent in a queue, or on starting a program, isn't part of the latency.
      const waiting = (session.waited?.() ?? 0) - waited;
      const latency = performance.now() - began - waiting + (reply.past?.latency ?? 0);
      const cached = known(reply.past !== undefined && !reply.usage?.calls);
      const { firstToken, traceFault } = reply;
      // System texts and results of earlier calls aren't part of its turn.
      const spoken = reply.messages.findIndex(({ role }) => role === 'assistant');
      for (const [index, message] of reply.messages.entries()) {
        const own = {
          latency,
          ...(firstToken !== undefined && { firstToken }),
          ...(traceFault !== undefined && { traceFault }),
          ...(startup > 0 && { startup }),
        };
        const first =
          index === spoken ? { ...own, ...(expected !== undefined && { expected }) } : {};
        placed.push({ message, source, ...first, ...cached });
        const exact = reply.unscrubbed?.[index];
        if (exact) withSecrets.set(message, exact);
      }
      pushAll(sent, reply.sent ?? reply.messages);
      for (const note of reply.notes ?? []) notes.add(note);
      for (const report of reply.reports ?? []) reported.add(report);
      for (const tool of reply.tools ?? []) tools.set(tool.name, tool);
      usage = addUsage(usage, reply.usage ?? NO_USAGE);
      replies.push(reply.past ? reply.past.usage : reply.usage);
    } catch (error) {
      usage = addUsage(usage, session.spent?.() ?? NO_USAGE);
      const failedTurn = failed('assistant', source);
      return resultSoFar({ stop: { reason: stopOfTarget(error) }, error, failedTurn });
    } finally {
      stream?.end();
    }
    const reply = reportLast();
    replyTurns.push(reply?.number ?? 0);
    // In a script, it is up to assertions to judge such replies.
    const stall = kind === 'simulate' ? detectStall(soFar()) : undefined;
    if (stall === 'empty-reply') {
      const message = `The target's reply in turn ${reply?.number} is empty.`;
      const error = new TargetError('target-empty-reply', message);
      return resultSoFar({ stop: { reason: stall }, error });
    }
    if (stall) return resultSoFar({ stop: { reason: stall } });
    if (!(await shouldContinue(resultSoFar())))
      return resultSoFar({ stop: { reason: 'stop-on-failure' } });
  }
}

const UNSEEN = "The assistant doesn't take images: it got only the text that marks them.";

function known(fromCache = false): Pick<SourcedMessage, 'fromCache'> {
  return fromCache ? { fromCache } : {};
}

/** The stop reason for a target's error. */
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
  /** The reason, in the simulated user's words. */
  readonly why?: string;
}

type NextTurn =
  | { readonly kind: 'turn'; readonly turn: ScriptedTurn; readonly fromCache?: boolean }
  /** `stop` is absent at the end of a script. */
  | { readonly kind: 'over'; readonly stop?: Stop };

/** The user's side of a conversation. */
export interface UserSide {
  /** @throws JudgeError, ModelError */
  next(conversation: Conversation, signal: AbortSignal): Promise<NextTurn>;
  /** Usage of the model that plays the user. */
  readonly usage: Usage;
}

export function scriptedUser({ turns }: TurnsOrigin): UserSide {
  const left = [...turns];
  return {
    usage: NO_USAGE,
    async next() {
      const turn = left.shift();
      return turn ? { kind: 'turn', turn } : { kind: 'over' };
    },
  };
}

/** Sends the opening turns, then asks a model for each further turn. */
export function simulatedUser(
  { user }: SimulateOrigin,
  id: SimulationId,
  modelFor: JudgeOptions['modelFor'],
): UserSide {
  const meter = new UsageMeter();
  let count = 0;
  return {
    get usage() {
      return meter.usage;
    },
    async next(conversation, signal) {
      if (count === user.maxUserTurns) return { kind: 'over', stop: { reason: 'max-turns' } };
      const opening = user.opening[count];
      count += 1;
      if (opening) return { kind: 'turn', turn: opening };
      const model = await modelFor(user.model);
      if (!model) throw new ModelError('bad-request', NO_SIMULATOR);
      const { calls } = meter.usage;
      const words = await nextUserMessage(user, conversation, model, id, signal, meter.onReply);
      if (words.kind === 'over') {
        return { kind: 'over', stop: { reason: words.stop, why: words.why } };
      }
      const turn = { user: words.text, source: user.source };
      return { kind: 'turn', turn, fromCache: meter.usage.calls === calls };
    },
  };
}

/** Milliseconds between reports of a reply. */
const REPORT_INTERVAL = 100;

/** Reports a reply as an incomplete turn while it arrives. */
function createReplyStream(onTurn: (turn: Turn) => void, scrubber: Scrubber) {
  let received = '';
  let placed: Pick<Turn, 'number' | 'source'> = { number: 1 };
  const throttle = new Throttle(REPORT_INTERVAL, () => {
    const text = scrubber.beginning(received);
    if (text === '') return;
    onTurn({ kind: 'turn', ...placed, side: 'assistant', items: [{ kind: 'text', text }] });
  });
  return {
    /** @param before the user's turn before the reply */
    begin({ number, source }: Pick<Turn, 'number' | 'source'>) {
      placed = { number: number + 1, ...(source && { source }) };
    },
    hear(text: string) {
      received = text;
      throttle.schedule();
    },
    end: () => throttle.dispose(),
  };
}
