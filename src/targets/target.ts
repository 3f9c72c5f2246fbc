import type * as z from 'zod';
import type { ReportKeys } from '../core/conversation.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { TargetSpec } from '../core/suite.ts';
import type { Usage } from '../core/verdict.ts';
import type { Endpoints } from '../models/endpoint/endpoints.ts';
import type { Destination, Model, Past } from '../models/model.ts';
import type { Programs } from './programs/programs.ts';

export interface TargetReply {
  /**
   * What the target added: assistant messages, their tool calls and results, and system texts that it
   * was told, in order. At least one is the assistant's.
   */
  readonly messages: readonly Message[];
  /** What its messages hold and the conversation doesn't show. */
  readonly notes?: string[];
  readonly usage?: Usage;
  /** Of a reply that an earlier run asked for, or a part of it; what it used may be unknown. */
  readonly past?: Past<Usage | undefined>;
}

/** Told all that a reply says so far, each time that more of it arrives. */
export type OnText = (soFar: string) => void;

/** One conversation with a target. */
export interface TargetSession {
  /**
   * @param messages the conversation so far, the target's `system` first, the last one the user's
   * @param onText told where the reply arrives piece by piece
   * @throws TargetError; or the signal's reason when aborted
   */
  reply(messages: readonly Message[], signal: AbortSignal, onText?: OnText): Promise<TargetReply>;
  /** What was used for a reply that failed; absent if a target does not say. */
  spent?(): Usage;
  /** Milliseconds that its replies have waited so far, in line or for it to start; absent if they never do. */
  waited?(): number;
  /** Those of them that it took to start. */
  startup?(): number;
  /**
   * Ends it.
   *
   * @param signal when aborted, at once
   * @throws TargetError where what was taken for a reply turns out to be none
   */
  close(signal: AbortSignal): Promise<void>;
}

/** The session with another way to reply. */
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
}

/** What a session knows of its case; never expectations, never assertions. */
export interface TargetHost {
  readonly caseId: string;
  /** Another for each repetition, variant and run of a case. */
  readonly conversationId: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly tools: readonly Tool[];
  /** The model that plays a `chat` target. */
  readonly model?: Model;
  /** Milliseconds that one reply may take. */
  readonly timeout: number;
  /** The folder that paths may not leave. */
  readonly workspace: string;
  readonly env: (name: string) => string | undefined;
  /** Variables that programs get besides those of this process. Default: none. */
  readonly programVariables?: Readonly<Record<string, string>> | undefined;
  /** Names of variables that programs do not inherit: those of models' keys. */
  readonly keyVariables: readonly string[];
  readonly programs: Programs;
  readonly endpoints: Endpoints;
  readonly scrubber: Scrubber;
  readonly log: Logger;
}

/** What user code is told about the conversation. */
export function conversationFactsOf({ caseId, conversationId, context }: TargetHost) {
  return { case: caseId, conversation: conversationId, context };
}

/** One target type: a file in this folder and its line in the registry. */
export interface TargetType {
  readonly type: string;
  readonly summary: string;
  /** Every key of a target of this type, `type` included. */
  readonly schema: z.ZodObject;
  /** Whether a reply may hold system texts: where it may not, `system` is all that it is told. */
  readonly repliesWithSystemTexts: boolean;
  /**
   * Whether its keys, its model and the case's tools decide its replies, so that with another digest
   * it is another target; a program may also differ in what cannot be seen.
   */
  readonly keysDecide: boolean;
  /** True if its replies show everything that it does. */
  readonly reportsAll?: true;
  /** Its keys that name where its answers contain something; without them, it doesn't report it. */
  readonly reportKeys?: ReportKeys;
  /** Whether it keeps what was said in a session of its own, so that it cannot be given a history. */
  keepsSession?(params: TargetSpec['params']): boolean;
  /** The files that its replies rest on, absolute. */
  files?(spec: TargetSpec): readonly string[];
  /** Of tools that are offered to it: those that nothing answers for. Absent if it has its own. */
  unansweredTools?(params: TargetSpec['params'], tools: readonly Tool[]): readonly Tool[];
  /** Keys of the case's context that its own keys name. */
  contextKeys?(params: TargetSpec['params']): readonly string[];
  /** Where its requests go, and whose values go along; absent if none leave this machine by themselves. */
  destination?(spec: TargetSpec): Destination;
  open(spec: TargetSpec, host: TargetHost): Promise<TargetSession>;
}
