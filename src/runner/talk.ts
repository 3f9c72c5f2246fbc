import { randomUUID } from 'node:crypto';
import {
  type Conversation,
  type SourcedMessage,
  systemMessages,
  type Turn,
  textOf,
  toConversation,
  turnsOf,
} from '../core/conversation.ts';
import { errorText, ReasonedError } from '../core/errors.ts';
import type { Message } from '../core/message.ts';
import type { MessageHistory, Suite, SuiteCase, TargetSpec, TurnsOrigin } from '../core/suite.ts';
import { NO_USAGE } from '../core/verdict.ts';
import { findTargetType } from '../targets/registry.ts';
import { type TargetSession, withReply } from '../targets/target.ts';
import { converse, type UserSide } from './case/converse.ts';
import { type CaseContext, RunContext } from './runContext.ts';
import type { RunOptions } from './runOptions.ts';

/** A case without scripted turns, because a person plays the user. */
export type TalkCase = SuiteCase & { readonly origin: TurnsOrigin };

/** A case in which a person talks to a target, after a history if the target accepts one. */
export function talkCaseOf(
  suiteCase: SuiteCase,
  target: TargetSpec,
  history: MessageHistory | undefined,
): TalkCase {
  const start = history && !keepsSession(target) && { history };
  const origin = { kind: 'turns', target, ...start, turns: [] } as const;
  return { ...suiteCase, assertions: [], origin };
}

/** Whether going back to an earlier message starts a new session, in which all messages before it are sent again. */
export function keepsSession({ type, params }: TargetSpec): boolean {
  return findTargetType(type)?.keepsSession?.(params) ?? false;
}

/** A message and its reply. Exchanges with the same `before` are branches. */
interface Exchange {
  readonly before: Exchange | undefined;
  /** Identifies the exchange, also after its message was sent again in a new session. */
  readonly key: object;
  readonly user: string;
  readonly shown: readonly SourcedMessage[];
  /** The messages to send back to the target. */
  readonly sent: readonly Message[];
}

/** Why a message has no reply, without secrets. */
interface Failure {
  readonly message: string;
  /** The reason of a `ReasonedError`. */
  readonly reason?: string;
}

/** Called with the message that has no reply, and why; `failure` is undefined if it was canceled. */
type OnFail = (unsent: string, failure: Failure | undefined) => void;

/** The branches at a turn of the user. */
export interface TalkBranches {
  readonly turn: number;
  /** 1-based position of the branch that is shown; 0 if the conversation ends before the turn. */
  readonly at: number;
  readonly count: number;
}

interface Session {
  readonly abort: AbortController;
  readonly ended: Promise<void>;
  /** Sends the next message; set while the target waits for it. */
  next?: ((text: string) => void) | undefined;
}

/** A conversation that a person has with a target, outside of a run. Nothing is recorded. */
export class Talk {
  readonly #case: TalkCase;
  readonly #context: RunContext;
  readonly #opened: Promise<CaseContext>;
  readonly #onChange: () => void;
  readonly #onFail: OnFail;
  /** The exchanges of the branch that is shown. */
  #exchanges: readonly Exchange[] = [];
  /** The exchanges of all branches, oldest first. */
  #all: readonly Exchange[] = [];
  #session: Session | undefined;
  /** The conversation up to the last complete reply. */
  #complete: Conversation;
  /** The user's latest message, and the beginning of its reply. */
  #pending: readonly Turn[] = [];
  #isReplying = false;
  #steps: Promise<void> = Promise.resolve();

  private constructor(
    suite: Suite,
    talkCase: TalkCase,
    context: RunContext,
    onChange: () => void,
    onFail: OnFail,
  ) {
    this.#case = talkCase;
    this.#context = context;
    this.#onChange = onChange;
    this.#onFail = onFail;
    this.#complete = this.#conversationOf([]);
    const ref = { suite: suite.path, id: talkCase.id, repetition: 1 };
    this.#opened = context.begin({ suite, case: talkCase, ref });
  }

  /**
   * @param options its signal ends the conversation
   */
  static async open(
    suite: Suite,
    talkCase: TalkCase,
    options: Omit<RunOptions, 'suites'>,
    onChange: () => void,
    onFail: OnFail,
  ): Promise<Talk> {
    const context = await RunContext.open({
      ...options,
      suites: [{ ...suite, cases: [talkCase] }],
    });
    return new Talk(suite, talkCase, context, onChange, onFail);
  }

  /** The conversation so far, without secrets and the locations of turns. */
  get conversation(): Conversation {
    const entries = [...this.#complete.entries, ...this.#pending].map((entry) => {
      if (entry.kind === 'system') return entry;
      const { source: _, ...turn } = entry;
      return turn;
    });
    return this.#context.options.scrubber.data({ ...this.#complete, entries });
  }

  /** The number of the turn that is arriving. */
  get speaking(): number | undefined {
    return this.#pending[1]?.number;
  }

  get isReplying(): boolean {
    return this.#isReplying;
  }

  /** The exchanges that are shown, by the number of the reply's turn. */
  get replies(): ReadonlyMap<number, Pick<Exchange, 'key'>> {
    return new Map(this.#exchanges.map((one, index) => [this.#turnAt(index) + 1, one]));
  }

  /** The turns from which the conversation went on in several ways. */
  get branches(): TalkBranches[] {
    const shown = [...this.#exchanges, undefined];
    return shown.flatMap((one, index) => {
      const all = this.#branchesAt(index);
      const at = one ? all.indexOf(one) + 1 : 0;
      return all.length > Math.min(at, 1)
        ? [{ turn: this.#turnAt(index), at, count: all.length }]
        : [];
    });
  }

  #branchesAt(index: number): Exchange[] {
    const before = this.#exchanges[index - 1];
    return this.#all.filter((one) => one.before === before);
  }

  /** The number of the user's turn of an exchange. */
  #turnAt(index: number): number {
    return turnsOf(this.#conversationOf([])).length + 2 * index + 1;
  }

  /** @param turn the number of the user's turn; default: the next one */
  #indexOf(turn: number | undefined): number {
    if (turn === undefined) return this.#exchanges.length;
    return Math.max(0, Math.floor((turn - this.#turnAt(0)) / 2));
  }

  /** Shows another branch, to its end. @param at 1-based */
  showBranch(turn: number, at: number): Promise<void> {
    return this.#inOrder(() => this.#showBranch(turn, at));
  }

  async #showBranch(turn: number, at: number): Promise<void> {
    const index = this.#indexOf(turn);
    const shown = this.#exchanges.slice(0, index);
    let next = this.#branchesAt(index)[at - 1];
    if (!next || this.#isReplying) return;
    await this.#endSession();
    for (; next; next = this.#all.findLast((one) => one.before === shown.at(-1))) shown.push(next);
    this.#exchanges = shown;
    this.#complete = this.#conversationOf(shown);
    this.#onChange();
  }

  /** Whether `say` sends earlier messages again, in a new session. */
  repeats(turn?: number): boolean {
    const index = this.#indexOf(turn);
    const goesOn = index >= this.#exchanges.length && this.#session?.next !== undefined;
    return !goesOn && index > 0 && keepsSession(this.#case.origin.target);
  }

  /** Sends a message. @param turn the number of the user's turn to replace, with all later ones; default: none */
  say(text: string, turn?: number): Promise<void> {
    return this.#inOrder(() => this.#say(text, turn));
  }

  async #say(text: string, turn: number | undefined): Promise<void> {
    const index = this.#indexOf(turn);
    const isNext = index >= this.#exchanges.length;
    const send = this.#session?.next;
    if (isNext && send) {
      this.#isReplying = true;
      send(text);
      return;
    }
    await this.#endSession();
    this.#start(this.#exchanges.slice(0, index), text);
  }

  /** Stops waiting for a reply. The session ends too, because it may still work on the reply. */
  cancel(): void {
    if (this.#isReplying) this.#session?.abort.abort();
  }

  restart(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#endSession();
      this.#exchanges = [];
      this.#all = [];
      this.#complete = this.#conversationOf([]);
      this.#onChange();
    });
  }

  close(): Promise<void> {
    return this.#inOrder(async () => {
      await this.#endSession();
      await this.#context.close();
    });
  }

  /** Waits for earlier steps, because ending a session takes time, in which it still belongs to the earlier branch. */
  #inOrder(step: () => Promise<void>): Promise<void> {
    const done = this.#steps.then(step);
    this.#steps = done.catch(() => {});
    return done;
  }

  async #endSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    session?.abort.abort();
    await session?.ended;
  }

  #start(kept: readonly Exchange[], text: string): void {
    const { signal } = this.#context.options;
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    const restarts = keepsSession(this.#case.origin.target);
    const repeated = restarts ? kept.map(({ user }) => user) : [];
    const queue = [...repeated, text];
    const all = this.#all;
    this.#exchanges = restarts ? [] : kept;
    this.#complete = this.#conversationOf(this.#exchanges);
    const ended = this.#converse(queue, kept, abort.signal)
      .catch((error: unknown) => {
        const isCurrent = this.#session?.abort === abort;
        const unsent = queue.length > 0 ? text : (this.#unanswered ?? text);
        if (isCurrent && queue.length > 0) {
          // The earlier messages haven't all been sent again.
          this.#exchanges = kept;
          this.#all = all;
          this.#complete = this.#conversationOf(kept);
        }
        this.#pending = [];
        this.#isReplying = false;
        if (!isCurrent) return;
        this.#session = undefined;
        this.#onFail(unsent, abort.signal.aborted ? undefined : this.#failureOf(error));
      })
      .finally(() => signal.removeEventListener('abort', stop));
    this.#session = { abort, ended };
    this.#isReplying = true;
    this.#onChange();
  }

  #failureOf(error: unknown): Failure {
    const message = this.#context.options.scrubber.text(errorText(error));
    return { message, ...(error instanceof ReasonedError && { reason: String(error.reason) }) };
  }

  get #unanswered(): string | undefined {
    const [asked] = this.#pending;
    return asked && textOf(asked);
  }

  /**
   * Talks in a new session until it fails or is aborted.
   *
   * @param before the exchanges before the last message of the queue @throws the target's error, or the signal's reason
   */
  async #converse(
    queue: string[],
    before: readonly Exchange[],
    signal: AbortSignal,
  ): Promise<void> {
    const { origin, source } = this.#case;
    const said = this.#exchanges.flatMap(({ shown }) => shown);
    const messages = [...(origin.history?.messages ?? []), ...said];
    const live = { ...origin, history: { notes: [], ...origin.history, messages } };
    const user: UserSide = {
      usage: NO_USAGE,
      next: async () => {
        // The target may have taken a while to start.
        signal.throwIfAborted();
        const text = queue.shift() ?? (await this.#nextText(signal));
        return { kind: 'turn', turn: { user: text, source } };
      },
    };
    const { openSession } = await this.#opened;
    const session = await openSession(live, randomUUID());
    try {
      const result = await converse(
        live,
        user,
        this.#remembering(session, messages.length, before),
        signal,
        (turn) => this.#hear(turn),
        (turn) => this.#hear(turn),
        true,
        async ({ conversation }) => {
          this.#complete = conversation;
          this.#pending = [];
          this.#isReplying = queue.length > 0;
          this.#onChange();
          return true;
        },
        this.#context.options.scrubber,
      );
      throw result.error;
    } finally {
      await session.close(signal);
    }
  }

  #nextText(signal: AbortSignal): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      const session = this.#session;
      if (!session) return;
      session.next = (text) => {
        signal.removeEventListener('abort', stop);
        session.next = undefined;
        resolve(text);
      };
    });
  }

  #hear(turn: Turn): void {
    if (turn.number <= turnsOf(this.#complete).length) return;
    const isUser = turn.side === 'user';
    this.#pending = isUser ? [turn] : [...this.#pending.slice(0, 1), turn];
    this.#onChange();
  }

  /** A session that stores its exchanges. @param count the number of messages before its own @param kept see `#converse` */
  #remembering(session: TargetSession, count: number, kept: readonly Exchange[]): TargetSession {
    const before = (this.#case.origin.history?.messages ?? []).map(({ message }) => message);
    const sentBefore = [...before, ...this.#exchanges.flatMap(({ sent }) => sent)];
    return withReply(session, async (messages, signal, onText) => {
      const began = performance.now();
      const own = [...sentBefore, ...messages.slice(count)];
      const reply = await session.reply(own, signal, onText);
      const latency = performance.now() - began;
      const asked = messages.at(-1) as Message;
      const spoken = reply.messages.find(({ role }) => role === 'assistant');
      const shown = [asked, ...reply.messages].map((message) => ({
        message,
        ...(message === spoken && { latency }),
      }));
      const sent = [asked, ...(reply.sent ?? reply.messages)];
      const { key = {} } = kept[this.#exchanges.length] ?? {};
      const exchange = { before: this.#exchanges.at(-1), key, user: asked.content, shown, sent };
      this.#exchanges = [...this.#exchanges, exchange];
      this.#all = [...this.#all, exchange];
      return reply;
    });
  }

  #conversationOf(exchanges: readonly Exchange[]): Conversation {
    const { target, history } = this.#case.origin;
    const system = systemMessages(target.system).map((message) => ({ message }));
    const said = exchanges.flatMap(({ shown }) => shown);
    return toConversation([...system, ...(history?.messages ?? []), ...said], history?.notes);
  }
}
