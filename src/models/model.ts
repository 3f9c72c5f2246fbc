import type * as z from 'zod';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import { ReasonedError } from '../core/reasonedError.ts';
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
  /** Asks for the probabilities of the answer's tokens; an endpoint without them answers all the same. */
  readonly logprobs?: boolean;
}

/** One token of a reply. */
export interface ReplyToken {
  readonly text: string;
  /** The likeliest tokens at this place with their natural log-probabilities; of numbers alone. */
  readonly top: readonly { readonly text: string; readonly logprob: number }[];
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
  /** The reply's text token by token, where it was asked for and the endpoint returned it. */
  readonly tokens?: readonly ReplyToken[];
}

export type Replies = readonly [ModelReply, ...ModelReply[]];

/** One vector for each text, in their order. */
export interface Embedded {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage;
}

export interface Model {
  /** `provider:model`. */
  readonly id: string;
  /**
   * Answers a request so many times. What replies of one call to the endpoint cost stands in the
   * first of them.
   *
   * @throws ModelError; or the signal's reason when aborted
   */
  complete(request: ModelRequest, count: number, signal: AbortSignal): Promise<Replies>;
  /** Absent where the provider has no embeddings. @throws as `complete` */
  embed?(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/** Of a model that answers once at a time. */
export async function oneByOne(count: number, ask: () => Promise<ModelReply>): Promise<Replies> {
  const replies: [ModelReply, ...ModelReply[]] = [await ask()];
  while (replies.length < count) replies.push(await ask());
  return replies;
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
  'over-budget',
] as const;

export type ModelErrorReason = (typeof modelErrorReasons)[number];

/** A model could not be asked. `message` says what to do about it and never holds a key. */
export class ModelError extends ReasonedError<ModelErrorReason> {
  override readonly name = 'ModelError';
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
