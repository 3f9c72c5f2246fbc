import type * as z from 'zod';
import type { EditorModels } from '../core/editorModels.ts';
import type { KeyHost } from '../core/environment.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Image } from '../core/image.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool, ToolCall } from '../core/message.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { ModelSpec } from '../core/suite.ts';
import { NO_USAGE, type Usage } from '../core/verdict.ts';
import type { Endpoints } from './endpoint/endpoints.ts';
import type { TimeLimit } from './endpoint/timeLimit.ts';

/** The reasoning that led to one reply, in the endpoint's format. */
export type Thoughts = readonly object[];

/** Formats in which an answer can be requested, strictest first. */
export const answerFormats = ['json_schema', 'json_object', 'text'] as const;

export type AnswerFormat = (typeof answerFormats)[number];

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Requests JSON that strictly matches the schema. */
  readonly answer?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
  /**
   * Whether other requests begin with the same text, and that text is long enough for a prompt cache. Doesn't affect
   * the answer.
   */
  readonly shared?: boolean;
  /** Number of questions, if there are several. The budget reserves tokens for each of them. */
  readonly questions?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** The reasoning before each of the model's messages. Some endpoints require it during tool calls. */
  readonly thoughts?: ReadonlyMap<Message, Thoughts>;
  /** Whether to request token probabilities. Endpoints that don't support them still answer. */
  readonly logprobs?: boolean;
  readonly seed?: number;
  readonly topP?: number;
  readonly reasoningEffort?: string;
  /** Additional keys for the request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Reads the images of its messages; never recorded. @throws ModelError `missing-image` */
  readonly readImage?: (image: Image) => Promise<Uint8Array>;
  /** The conversation that its answers belong to, if any; recorded but never sent. */
  readonly conversation?: string;
  /** Called when the request starts to wait in a queue and when the wait ends. Waits don't count toward time limits. */
  readonly onWait?: TimeLimit['onWait'];
  /** Called with all text received so far if the endpoint streams. */
  readonly onText?: (soFar: string) => void;
}

export interface ReplyToken {
  readonly text: string;
  /** The likeliest tokens at this position, with natural log-probabilities; set only for numbers. */
  readonly top: readonly { readonly text: string; readonly logprob: number }[];
}

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other';
  readonly refusal?: string;
  /** The model's name, as reported by the endpoint. */
  readonly version?: string;
  /** The format in which the answer was requested, if there was a choice. */
  readonly answerFormat?: AnswerFormat;
  /** `calls` counts the request once, regardless of retries. */
  readonly usage: Usage;
  /** Absent if the endpoint returned none. Not recorded, because matching requests doesn't use it. */
  readonly thoughts?: Thoughts;
  /** Absent if tokens weren't requested or weren't returned. */
  readonly tokens?: readonly ReplyToken[];
  readonly past?: OriginalUsage<Usage>;
  /** The reply including its secrets, if it has any. Never leaves memory. */
  readonly unscrubbed?: ModelReply;
}

/** Usage and duration of the request whose answer was cached. */
export interface OriginalUsage<Used> {
  readonly usage: Used;
  /** Milliseconds. */
  readonly latency: number;
}

export type Replies = readonly [ModelReply, ...ModelReply[]];

/** One vector per string, in order. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage;
  readonly past?: OriginalUsage<Usage>;
}

export interface Model {
  /** `provider:model`. */
  readonly id: string;
  /**
   * Requests `count` answers. If one call returns several answers, the first one contains the usage.
   *
   * @throws ModelError; or the signal's reason when aborted
   */
  complete(request: ModelRequest, count: number, signal: AbortSignal): Promise<Replies>;
  /** Absent if the provider has no embeddings. @throws as `complete` */
  embed?(texts: readonly string[], signal: AbortSignal): Promise<Embeddings>;
  /** Removes an unusable reply from the cache; absent if there is no cache. */
  discard?(reply: ModelReply): void;
}

/** Gets several answers from a model that returns one answer per request. */
export async function repeatInSequence(
  count: number,
  ask: () => Promise<ModelReply>,
): Promise<Replies> {
  const replies: [ModelReply, ...ModelReply[]] = [await ask()];
  while (replies.length < count) replies.push(await ask());
  return replies;
}

export const modelErrorReasons = [
  'missing-key',
  'missing-variable',
  'host-not-allowed',
  'not-encrypted',
  'redirected',
  'unauthorized',
  'rate-limited',
  'server-error',
  'bad-request',
  'not-found',
  'unreachable',
  'endpoint-down',
  'timeout',
  'malformed-reply',
  'too-long',
  'missing-image',
  'not-recorded',
  'over-budget',
  'no-editor',
  'no-consent',
  'quota-exceeded',
  'blocked',
] as const;

export type ModelErrorReason = (typeof modelErrorReasons)[number];

/** Thrown if a request to a model failed. `message` includes advice, and never contains a key. */
export class ModelError extends ReasonedError<ModelErrorReason> {
  override readonly name = 'ModelError';
}

/** Reasons why a request isn't sent at all. */
const UNSENT_REASONS: readonly ModelErrorReason[] = [
  'missing-key',
  'missing-variable',
  'host-not-allowed',
  'not-encrypted',
  'missing-image',
  'not-recorded',
  'over-budget',
  'endpoint-down',
];

export function usageOfFailure(error: unknown): Usage {
  const sent = error instanceof ModelError && !UNSENT_REASONS.includes(error.reason);
  return sent ? { ...NO_USAGE, calls: 1 } : NO_USAGE;
}

/** Where a model's requests go, and which variables are sent with them. */
export interface Destination {
  readonly url: string;
  /** Names of the variables, including keys, whose values are sent. Variables without a value aren't included. */
  readonly variables: readonly string[];
  /** Variables that must not be sent without the user's consent. */
  readonly needConsent: readonly string[];
}

export interface ModelHost extends KeyHost {
  /** Receives all keys in use, in order to hide them. */
  readonly scrubber: Scrubber;
  readonly log: Logger;
  /** Absent outside a run. */
  readonly endpoints?: Endpoints;
  /** Absent outside an editor. */
  readonly editorModels?: EditorModels | undefined;
}

export interface Connection {
  /** Absent if nothing leaves this machine. */
  readonly destination?: Destination;
  /** Name of the variable for a required key, if it isn't set. */
  readonly missingKey?: string | undefined;
  /** Creates the model. Loads its dependencies lazily, so that importing the registry doesn't load them. */
  readonly create: (host: ModelHost) => Promise<Model>;
}

/** One provider. It consists of a file in this folder and a line in the registry. */
export interface ModelProvider {
  readonly provider: string;
  readonly summary: string;
  /** All keys of this provider's models, including `provider` and `model`. */
  readonly schema: z.ZodObject;
  /** Names of the variables for API keys, unless a model names others; absent if no key is needed. */
  readonly keyVariables?: readonly string[];
  /** Loads the client before the first request; absent if there is no client. */
  readonly load?: () => Promise<unknown>;
  connect(spec: ModelSpec, host: KeyHost): Promise<Connection>;
}

/** Adds the schema at the very end of the request, so that a prompt cache can reuse everything before it. */
export function appendSchema(
  messages: readonly Message[],
  answer: NonNullable<ModelRequest['answer']>,
): readonly Message[] {
  const words = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n\n${JSON.stringify(answer.schema)}`;
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: words }];
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${words}` }];
}
