import type * as z from 'zod';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import { ReasonedError } from '../core/reasonedError.ts';
import type { TargetSpec } from '../core/suite.ts';
import type { Usage } from '../core/verdict.ts';
import type { Model } from '../models/model.ts';

export interface TargetReply {
  /**
   * What the target added: assistant messages, their tool calls and results, and system texts that it
   * was told, in order. At least one is the assistant's.
   */
  readonly messages: readonly Message[];
  readonly usage?: Usage;
}

/** One conversation with a target. */
export interface TargetSession {
  /**
   * @param messages the conversation so far, the target's `system` first, the last one the user's
   * @throws TargetError; or the signal's reason when aborted
   */
  reply(messages: readonly Message[], signal: AbortSignal): Promise<TargetReply>;
  close(): Promise<void>;
}

export const targetErrorReasons = [
  'target-error',
  'target-crashed',
  'target-timeout',
  'target-malformed-reply',
  'target-not-found',
] as const;

export type TargetErrorReason = (typeof targetErrorReasons)[number];

export class TargetError extends ReasonedError<TargetErrorReason> {
  override readonly name = 'TargetError';
}

/** What a session knows of its case; never expectations, never assertions. */
export interface TargetHost {
  readonly caseId: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly tools: readonly Tool[];
  /** The model that plays a `chat` target. */
  readonly model?: Model;
  /** Milliseconds that one reply may take. */
  readonly timeout: number;
  /** The folder that paths may not leave. */
  readonly workspace: string;
  readonly env: (name: string) => string | undefined;
  readonly log: Logger;
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
  /** The files that its replies rest on, absolute. */
  files?(spec: TargetSpec): readonly string[];
  open(spec: TargetSpec, host: TargetHost): Promise<TargetSession>;
}
