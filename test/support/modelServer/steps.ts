import type { ServerResponse } from 'node:http';

/** The model's answer in one reply. All fields are optional. */
export interface Answer {
  /** Part of the ids of the response and its items, for clients that merge by id. */
  readonly id?: string;
  /** `null` is sent as is, like endpoints do for replies with tool calls. */
  readonly text?: string | null;
  readonly toolCalls?: readonly ToolCallAnswer[];
  /** The finish reason in OpenAI's terms; defaults to `stop`, or to `tool_calls` if there are any. */
  readonly finish?: string;
  readonly refusal?: string;
  /** The reported model version; defaults to the requested model with `-2025-01-01`. */
  readonly version?: string;
  /** Defaults to counts from the texts. `null` omits the usage. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
  } | null;
  /** The model's reasoning. The Responses API sends it as an encrypted item; Chat Completions doesn't send it. */
  readonly thought?: string;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text's tokens, sent if the request asks for log-probabilities. */
  readonly tokens?: readonly TokenAnswer[];
}

/** A token and its alternatives. Its own probability defaults to 1. */
export interface TokenAnswer {
  readonly text: string;
  /** Natural log-probabilities by token. */
  readonly top?: Readonly<Record<string, number>>;
}

export interface ToolCallAnswer {
  readonly id?: string;
  readonly name: string;
  /** Sent as JSON. A string is sent unchanged, so tests can send broken JSON. */
  readonly arguments: unknown;
}

/** Something other than a model's answer. The fault writes the response itself. */
export interface Fault {
  /** @param sound the correct reply as JSON */
  readonly fault: (response: ServerResponse, sound: string) => void;
  /** The model's answer in it. */
  readonly of?: string | Answer;
}

/** One reply in the script: a text, an answer in parts, or a fault. */
export type Step = string | Answer | Fault;

export function isFault(step: Step): step is Fault {
  return typeof step === 'object' && 'fault' in step;
}

/** A structured answer: the value as JSON. */
export function json(value: unknown): Answer {
  return { text: JSON.stringify(value) };
}

/**
 * A structured answer as tokens. The last occurrence of `chosen` in its JSON is a separate token.
 *
 *     jsonInTokens({ score: 8 }, '8', { 8: Math.log(0.75), 6: Math.log(0.25) })
 */
export function jsonInTokens(
  value: unknown,
  chosen: string,
  top: Readonly<Record<string, number>>,
): Answer {
  const text = JSON.stringify(value);
  const place = text.lastIndexOf(chosen);
  const words = (part: string) => (part === '' ? [] : [{ text: part }]);
  return {
    text,
    tokens: [
      ...words(text.slice(0, place)),
      { text: chosen, top },
      ...words(text.slice(place + chosen.length)),
    ],
  };
}
