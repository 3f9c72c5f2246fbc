import type * as z from 'zod';
import type { Report, ReportKeys } from '../core/conversation.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { TargetSpec } from '../core/suite.ts';
import type { Usage } from '../core/verdict.ts';
import type { Endpoints } from '../models/endpoint/endpoints.ts';
import type { Destination, Model, OriginalUsage } from '../models/model.ts';
import type { ConversationTrace } from '../traces/conversationTrace.ts';
import type { Programs } from './programs/programs.ts';

export interface TargetReply {
  /**
   * Messages that the target added: assistant messages, tool calls and results, and system texts that it received, in
   * order. At least one is from the assistant.
   */
  readonly messages: readonly Message[];
  /**
   * The messages to send back with the next request. Default: `messages`, to which its trace may have added calls that
   * the target didn't send.
   */
  readonly sent?: readonly Message[];
  /** The tools that the agent can call, if it reports them. */
  readonly tools?: readonly Tool[];
  /** Notes on parts of its messages that the conversation doesn't show. */
  readonly notes?: string[];
  readonly usage?: Usage;
  /** Milliseconds until its first text. */
  readonly firstToken?: number;
  /** Kinds of information that it would contain if there were any, in addition to what it does contain. */
  readonly reports?: readonly Report[];
  /** Why its trace is incomplete, which means that there may be unknown tool calls. */
  readonly traceFault?: string;
  /** Set if at least part of the reply is cached. The usage of the original request may be unknown. */
  readonly past?: OriginalUsage<Usage | undefined>;
  /** The messages including their secrets, if they have any, for deterministic assertions. Never leaves memory. */
  readonly unscrubbed?: readonly Message[];
}

/** Called with all text of a reply received so far. */
export type OnText = (soFar: string) => void;

export interface TargetSession {
  /**
   * @param messages the conversation so far: the first one is the target's `system`, and the last one is the user's
   * @param onText called if the reply is streamed
   * @throws TargetError; or the signal's reason when aborted
   */
  reply(messages: readonly Message[], signal: AbortSignal, onText?: OnText): Promise<TargetReply>;
  /** Usage of a failed reply; absent if unknown. */
  spent?(): Usage;
  /**
   * Milliseconds that its replies have waited so far, in a queue or for the target to start; absent if they never wait.
   */
  waited?(): number;
  /** The part of `waited` spent on startup. */
  startup?(): number;
  /**
   * @param signal when aborted, the session ends at once
   * @throws TargetError if an earlier line turns out not to be a reply
   */
  close(signal: AbortSignal): Promise<void>;
}

export function withReply(session: TargetSession, reply: TargetSession['reply']): TargetSession {
  const { spent, waited, startup } = session;
  return {
    reply,
    ...(spent && { spent: () => spent.call(session) }),
    ...(waited && { waited: () => waited.call(session) }),
    ...(startup && { startup: () => startup.call(session) }),
    close: (signal) => session.close(signal),
  };
}

export const targetErrorReasons = [
  'target-error',
  'target-crashed',
  'target-timeout',
  'target-not-ready',
  'target-malformed-reply',
  'target-empty-reply',
  'target-too-much-output',
  'target-not-found',
] as const;

export type TargetErrorReason = (typeof targetErrorReasons)[number];

export class TargetError extends ReasonedError<TargetErrorReason> {
  override readonly name = 'TargetError';

  /** A copy of the error with a longer message. */
  extend(extended: (message: string) => string): TargetError {
    return new TargetError(this.reason, extended(this.message));
  }
}

const MAX_QUOTE = 200;

/** Quotes a target's words in an error. @param cut shortens them; by default, to the beginning */
type Quote = (words: string, cut?: (clean: string) => string) => string;

/**
 * An error that quotes a target. Secrets are removed before quotes are cut, because half a secret can't be recognized.
 */
export class QuotingError extends TargetError {
  readonly #messageWith: (quote: Quote) => string;

  constructor(reason: TargetErrorReason, messageWith: (quote: Quote) => string) {
    super(reason, messageWith(quoteWith(String)));
    this.#messageWith = messageWith;
  }

  override extend(extended: (message: string) => string): QuotingError {
    return new QuotingError(this.reason, (quote) => extended(this.#messageWith(quote)));
  }

  scrubbed(scrubber: Scrubber): TargetError {
    const quote = quoteWith((words) => scrubber.text(words));
    return new TargetError(this.reason, this.#messageWith(quote));
  }
}

function quoteWith(scrub: (words: string) => string): Quote {
  return (words, cut = (clean) => clean.slice(0, MAX_QUOTE)) => cut(scrub(words));
}

/** The result of a target's work. @throws the target's error, without secrets in its quotes */
export async function withScrubbedQuotes<Result>(
  work: Promise<Result>,
  scrubber: Scrubber,
): Promise<Result> {
  return work.catch((error: unknown) => {
    throw error instanceof QuotingError ? error.scrubbed(scrubber) : error;
  });
}

/** The reply without secrets. */
export function scrubReply({ unscrubbed, ...reply }: TargetReply, scrubber: Scrubber): TargetReply {
  const clean = scrubber.data(reply);
  const exact = unscrubbed ?? reply.messages;
  return clean.messages === exact ? clean : { ...clean, unscrubbed: exact };
}

/** The parts of a case that a session may see. Expectations and assertions are never among them. */
export interface TargetHost {
  readonly caseId: string;
  /** Unique for each repetition, variant, and run of a case. */
  readonly conversationId: string;
  /** From 1. */
  readonly repetition: number;
  readonly context: Readonly<Record<string, unknown>>;
  readonly tools: readonly Tool[];
  readonly model?: Model;
  /** Milliseconds per reply. */
  readonly timeout: number;
  /** The folder that paths must not leave. */
  readonly workspace: string;
  readonly env: (name: string) => string | undefined;
  /** Additional variables for programs. Default: none. */
  readonly programVariables?: Readonly<Record<string, string>> | undefined;
  /** Names of variables that programs must not inherit, because they contain models' keys. */
  readonly keyVariables: readonly string[];
  readonly programs: Programs;
  /** Set if the target asks for traces. */
  readonly trace?: ConversationTrace;
  readonly endpoints: Endpoints;
  readonly scrubber: Scrubber;
  readonly log: Logger;
}

export function conversationFactsOf({ caseId, conversationId, context, trace }: TargetHost) {
  const traced = trace && { traceparent: trace.traceparent };
  return { case: caseId, conversation: conversationId, context, ...traced };
}

/** One target type. It consists of a file in this folder and a line in the registry. */
export interface TargetType {
  readonly type: string;
  readonly summary: string;
  /** All keys of targets of this type, including `type`. */
  readonly schema: z.ZodObject;
  /** Whether a reply may contain system texts in addition to `system`. */
  readonly repliesWithSystemTexts: boolean;
  /**
   * Whether its keys, its model, and the case's tools fully determine its replies, so that a different digest means a
   * different target. A program, in contrast, may differ in unknown ways.
   */
  readonly keysDecide: boolean;
  /** True if its replies show everything that it does. */
  readonly reportsAll?: true;
  /** Its keys for where to find reports in its answers. Without a key, nothing is reported. */
  readonly reportKeys?: ReportKeys;
  /** Whether the target keeps the conversation in its own session, so that it can't accept a history. */
  keepsSession?(params: TargetSpec['params']): boolean;
  /** Absolute paths of the files that determine its replies. */
  files?(spec: TargetSpec): readonly string[];
  /** Offered tools without an answer. Absent if the target has its own tools. */
  unansweredTools?(params: TargetSpec['params'], tools: readonly Tool[]): readonly Tool[];
  /** Whether it offers tools that are known only once it runs. */
  offersTools?(params: TargetSpec['params']): boolean;
  /** Keys in the case's context that are named in its own keys. */
  contextKeys?(params: TargetSpec['params']): readonly string[];
  /** Where its requests go, and which variables are sent; absent if nothing leaves this machine. */
  destinations?(spec: TargetSpec): readonly Destination[];
  open(spec: TargetSpec, host: TargetHost): Promise<TargetSession>;
}
