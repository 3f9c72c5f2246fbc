import type OpenAI from 'openai';
import * as z from 'zod';
import { jsonOrText } from '../../core/data/data.ts';
import { NO_USAGE, type Usage } from '../../core/verdict.ts';
import type { ModelReply, ModelRequest, ReplyToken } from '../model.ts';
import { costOf, type Price } from '../price.ts';
import type { Abilities, UsedParameters } from './abilities.ts';
import type { ImageUrls } from './imageUrls.ts';
import type { EndpointParams } from './params.ts';
import type { Collector } from './streaming.ts';

export type RequestOptions = Pick<OpenAI.RequestOptions, 'signal' | 'fetchOptions'>;

interface PreparedRequest {
  readonly used: UsedParameters;
  /** Creates a collector; present if the answer is streamed. */
  readonly collect?: () => Collector;
  send(client: OpenAI, options: RequestOptions): Promise<unknown>;
}

export interface Api {
  /** @param count maximum number of answers */
  prepare(
    request: ModelRequest,
    params: EndpointParams,
    abilities: Abilities,
    count: number,
    images: ImageUrls,
  ): PreparedRequest;
  /**
   * One or more replies, or what is wrong with the body. The first reply contains the usage.
   *
   * @param onUnknown called with finish reasons that OpenAI doesn't have; compatible servers invent some
   */
  read(
    body: unknown,
    price: Price | undefined,
    onUnknown: (reason: string) => void,
  ): readonly ModelReply[] | { readonly malformed: string };
}

export const tokenSchema = z.object({
  token: z.string(),
  logprob: z.number(),
  top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })).nullish(),
});

/** Keeps alternatives only for numbers, because nothing else needs them and recordings stay small. */
export function toReplyToken(given: z.infer<typeof tokenSchema>): ReplyToken {
  const { token, logprob } = given;
  if (!/^\s*\d+\s*$/.test(token)) return { text: token, top: [] };
  const top = given.top_logprobs ?? [];
  const all = top.some((one) => one.token === token) ? top : [{ token, logprob }, ...top];
  return { text: token, top: all.map((one) => ({ text: one.token, logprob: one.logprob })) };
}

/** Some gateways return status 200 with `{"error": {"message": …}}`. */
const errorSchema = z.object({
  error: z.union([z.string(), z.object({ message: z.string() })]),
});

/** @param what describes the expected reply, such as `a chat completion` */
export function describeInvalidReply(body: unknown, error: z.ZodError, what: string): string {
  const reported = reportedError(body);
  if (reported !== undefined) return `it reports an error: ${reported}`;
  const [issue] = error.issues;
  const field = issue?.path.join('.') ?? '';
  return field === '' ? `it is not ${what}` : `its field "${field}" is missing or wrong`;
}

export function reportedError(body: unknown): string | undefined {
  const reported = errorSchema.safeParse(body);
  if (!reported.success) return undefined;
  const { error } = reported.data;
  return typeof error === 'string' ? error : error.message;
}

export function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  return jsonOrText(text);
}

/** Corrects the finish reason: after tool calls, some endpoints report `stop`, or their own words. */
export function finishOf(finish: ModelReply['finish'], called: boolean): ModelReply['finish'] {
  return called && (finish === 'stop' || finish === 'other') ? 'tool-calls' : finish;
}

type Counts = { readonly [name in 'input' | 'cached' | 'output']?: number | null | undefined };

export function usageOf(counts: Counts | null | undefined, price: Price | undefined): Usage {
  if (!counts) return { ...NO_USAGE, calls: 1 };
  const input = toCount(counts.input);
  const cached = Math.min(toCount(counts.cached), input);
  const output = toCount(counts.output);
  return {
    calls: 1,
    input_tokens: input,
    cached_tokens: cached,
    output_tokens: output,
    cost: price ? costOf({ input, output, cached }, price) : null,
  };
}

function toCount(value: number | null | undefined): number {
  return value !== null && value !== undefined && value > 0 ? Math.round(value) : 0;
}

/** A call's arguments as text. Arguments that weren't JSON are text already. */
export function argumentsText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}
