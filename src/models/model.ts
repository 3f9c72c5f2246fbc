import type * as z from 'zod';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import type { ModelSpec } from '../core/suite.ts';
import type { Usage } from '../core/verdict.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Asks for structured output: the reply's text is JSON of this schema, strictly. */
  readonly answer?: { readonly name: string; readonly schema: JsonSchema };
  readonly temperature?: number;
  readonly maxTokens?: number;
}

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other';
  /** The model's words where it refused. */
  readonly refusal?: string;
  /** The model's name as the endpoint reported it. */
  readonly version?: string;
  /** `calls` counts the request itself once, whatever the retries. */
  readonly usage: Usage;
}

export interface Model {
  /** `provider:model`. */
  readonly id: string;
  /** @throws ModelError; or the signal's reason when aborted. */
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

export const modelErrorReasons = [
  'missing-key',
  'missing-variable',
  'unauthorized',
  'rate-limited',
  'server-error',
  'bad-request',
  'not-found',
  'unreachable',
  'timeout',
  'malformed-reply',
  'too-long',
  'not-recorded',
] as const;

export type ModelErrorReason = (typeof modelErrorReasons)[number];

/** A model could not be asked. `message` says what to do about it and never holds a key. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly reason: ModelErrorReason;

  constructor(reason: ModelErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** What a provider is given by its shell. */
export interface ModelHost {
  /** The value of a key by the name of its variable: secret store first, then environment. */
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: (name: string) => string | undefined;
  readonly log: Logger;
}

/** One provider: a file in this folder and its line in the registry. */
export interface ModelProvider {
  readonly provider: string;
  readonly summary: string;
  /** Every key of a model with this provider, `provider` and `model` included. */
  readonly schema: z.ZodObject;
  /** Loads what it needs on the first call; nothing is loaded by importing the registry. */
  create(spec: ModelSpec, host: ModelHost): Promise<Model>;
}
