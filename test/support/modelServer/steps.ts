import type { ServerResponse } from 'node:http';

/** What the model says in one reply. Every field may be left out. */
export interface Answer {
  /** Makes the ids of the response and its items its own, for clients that merge by id. */
  readonly id?: string;
  /** `null` is sent as it is, as endpoints do beside tool calls. */
  readonly text?: string | null;
  readonly toolCalls?: readonly ToolCallAnswer[];
  /** OpenAI's word; `stop`, or `tool_calls` where there are some, unless given. */
  readonly finish?: string;
  readonly refusal?: string;
  /** The model's name as reported; the requested one with `-2025-01-01` unless given. */
  readonly version?: string;
  /** Counted from the texts unless given; `null` reports no usage at all. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
  } | null;
  /** What it thought, of which Responses give an encrypted item; Chat Completions give nothing. */
  readonly thought?: string;
  /** Headers of the response, beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text token by token, sent where the request asks for log-probabilities. */
  readonly tokens?: readonly TokenAnswer[];
}

/** A token and what else might have stood there; its own probability is 1 unless given. */
export interface TokenAnswer {
  readonly text: string;
  /** Natural log-probabilities by token. */
  readonly top?: Readonly<Record<string, number>>;
}

export interface ToolCallAnswer {
  readonly id?: string;
  readonly name: string;
  /** Sent as JSON text; a string is sent as it is, so that broken JSON can be sent. */
  readonly arguments: unknown;
}

/** Something other than a model's answer: the response is the fault's own. */
export interface Fault {
  /** @param sound the reply as JSON, had nothing gone wrong with it */
  readonly fault: (response: ServerResponse, sound: string) => void;
  /** What the model says in it. */
  readonly of?: string | Answer;
}

/** One reply of the script: a text, an answer in parts, or a fault. */
export type Step = string | Answer | Fault;

export function isFault(step: Step): step is Fault {
  return typeof step === 'object' && 'fault' in step;
}

/** A structured answer: the value as JSON text. */
export function json(value: unknown): Answer {
  return { text: JSON.stringify(value) };
}

/**
 * A structured answer in tokens: the last of `chosen` in its JSON is a token of its own.
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
