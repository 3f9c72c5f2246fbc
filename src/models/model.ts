import type * as z from 'zod';
import type { EditorModels } from '../core/editorModels.ts';
import type { KeyHost } from '../core/environment.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Logger } from '../core/logger.ts';
import type { Message, Tool } from '../core/message.ts';
import type { Scrubber } from '../core/scrubber.ts';
import type { ModelSpec } from '../core/suite.ts';
import { NO_USAGE, type Usage } from '../core/verdict.ts';
import type { Endpoints } from './endpoint/endpoints.ts';
import type { TimeLimit } from './endpoint/timeLimit.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Of one reply, as the endpoint gives and takes it. */
export type Thoughts = readonly object[];

/** How a model is told the form of its answer, from the strictest. */
export const answerFormats = ['json_schema', 'json_object', 'text'] as const;

export type AnswerFormat = (typeof answerFormats)[number];

export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Asks for structured output: the reply's text is JSON of this schema, strictly. */
  readonly answer?: { readonly name: string; readonly schema: JsonSchema };
  /** Other requests begin with the same words, enough of them for a prompt cache; it decides no answer. */
  readonly shared?: boolean;
  /** How many answers it asks for in one, where there are several; the budget makes room for them. */
  readonly questions?: number;
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** What the model thought before these of its messages; some want it back while tools are called. */
  readonly thoughts?: ReadonlyMap<Message, Thoughts>;
  /** Asks for the probabilities of the answer's tokens; an endpoint without them answers all the same. */
  readonly logprobs?: boolean;
  /** Asks for the same answer each time, as far as the model can; sent where it takes one. */
  readonly seed?: number;
  /** Which conversation it speaks in, if its answers are that conversation's own; kept in recordings, never sent. */
  readonly conversation?: string;
  /** Hears when it begins to wait in line, which counts against no time limit, and when that is over. */
  readonly onWait?: TimeLimit['onWait'];
  /** Told all of the reply's text so far as it arrives, where the endpoint streams. */
  readonly onText?: (soFar: string) => void;
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
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error' | 'other';
  /** The model's words when it refused. */
  readonly refusal?: string;
  /** The model's name as the endpoint reported it. */
  readonly version?: string;
  /** How the answer was asked for, where the model had the choice. */
  readonly answerFormat?: AnswerFormat;
  /** `calls` counts the request itself once, whatever the retries. */
  readonly usage: Usage;
  /** Absent if the endpoint returned none. Not recorded: it decides nothing that is matched. */
  readonly thoughts?: Thoughts;
  /** The reply's text token by token, where it was asked for and the endpoint returned it. */
  readonly tokens?: readonly ReplyToken[];
  /** Of a reply that an earlier run asked for. */
  readonly past?: Past<Usage>;
}

/** What an answer took when it was asked for. */
export interface Past<Used> {
  readonly usage: Used;
  /** Milliseconds. */
  readonly latency: number;
}

export type Replies = readonly [ModelReply, ...ModelReply[]];

/** One vector for each text, in their order. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[];
  readonly usage: Usage;
  readonly past?: Past<Usage>;
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
  /** Absent if the provider has no embeddings. @throws as `complete` */
  embed?(texts: readonly string[], signal: AbortSignal): Promise<Embeddings>;
  /** Told that a reply was of no use, and is not to be kept; absent where none are. */
  discard?(reply: ModelReply): void;
}

/** Of a model that answers once at a time. */
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
  'not-recorded',
  'over-budget',
  'no-editor',
  'no-consent',
  'quota-exceeded',
  'blocked',
] as const;

export type ModelErrorReason = (typeof modelErrorReasons)[number];

/** A model could not be asked. `message` says what to do about it and never holds a key. */
export class ModelError extends ReasonedError<ModelErrorReason> {
  override readonly name = 'ModelError';
}

/** Of requests that never left. */
const UNSENT_REASONS: readonly ModelErrorReason[] = [
  'missing-key',
  'missing-variable',
  'host-not-allowed',
  'not-encrypted',
  'not-recorded',
  'over-budget',
  'endpoint-down',
];

/** A request that failed was one all the same; what else it used nobody says. */
export function usageOfFailure(error: unknown): Usage {
  const sent = error instanceof ModelError && !UNSENT_REASONS.includes(error.reason);
  return sent ? { ...NO_USAGE, calls: 1 } : NO_USAGE;
}

/** Where a model's requests go, and whose values go along. */
export interface Destination {
  readonly url: string;
  /** Names of the variables, keys included, whose values are sent; none of them is empty. */
  readonly variables: readonly string[];
  /** Whether it may have them unasked: the provider's own address, or one that the user gave. */
  readonly isTrusted: boolean;
}

/** What a provider is given by its shell. */
export interface ModelHost extends KeyHost {
  /** Learns the keys that are used, and hides them. */
  readonly scrubber: Scrubber;
  readonly log: Logger;
  /** Those of the run; absent outside of one. */
  readonly endpoints?: Endpoints;
  /** Absent outside of an editor. */
  readonly editorModels?: EditorModels | undefined;
}

/** How a model would be asked. */
export interface Connection {
  /** Absent if nothing leaves this machine by itself. */
  readonly destination?: Destination;
  /** Name of the variable of a key that the model needs and that is not set. */
  readonly missingKey?: string | undefined;
  /** Loads what it needs on the first call; nothing is loaded by importing the registry. */
  readonly create: (host: ModelHost) => Promise<Model>;
}

/** One provider: a file in this folder and its line in the registry. */
export interface ModelProvider {
  readonly provider: string;
  readonly summary: string;
  /** Every key of a model with this provider, `provider` and `model` included. */
  readonly schema: z.ZodObject;
  /** Names of the variables that hold keys, unless a model names others; absent if it needs none. */
  readonly keyVariables?: readonly string[];
  /** Loads what asking takes, ahead of the first request; absent where that is nothing. */
  readonly load?: () => Promise<unknown>;
  connect(spec: ModelSpec, host: KeyHost): Promise<Connection>;
}

/** Says the schema at the very end, so that what stands before it stays the same for a prompt cache. */
export function appendSchema(
  messages: readonly Message[],
  answer: NonNullable<ModelRequest['answer']>,
): readonly Message[] {
  const words = `Answer with one JSON object and nothing else. It must fit this JSON Schema:\n\n${JSON.stringify(answer.schema)}`;
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: words }];
  return [...messages.slice(0, -1), { role: 'user', content: `${last.content}\n\n${words}` }];
}
