import type OpenAI from 'openai';
import type { ModelReply, ModelRequest } from '../model.ts';
import type { Price } from '../price.ts';
import type { Abilities, Used } from './abilities.ts';
import type { EndpointParams } from './params.ts';
import { readReplies } from './reply.ts';
import { requestBody } from './requestBody.ts';
import { type Collector, chatCollector } from './streamed.ts';

/** Of the client, for one request. */
export type RequestOptions = Pick<OpenAI.RequestOptions, 'signal' | 'fetchOptions'>;

/** A request, ready to be sent. */
export interface Prepared {
  readonly used: Used;
  /** Present where the answer is to be a stream. */
  readonly collect?: () => Collector;
  send(client: OpenAI, options: RequestOptions): Promise<unknown>;
}

/** A way to ask an endpoint. */
export interface Api {
  /** @param count answers that are wanted; it may give fewer */
  prepare(
    request: ModelRequest,
    params: EndpointParams,
    abilities: Abilities,
    count: number,
  ): Prepared;
  /** As `readReplies`. */
  read(
    body: unknown,
    price: Price | undefined,
    onUnknown: (reason: string) => void,
  ): readonly ModelReply[] | { readonly malformed: string };
}

export const chatApi: Api = {
  prepare(request, params, abilities, count) {
    const body = requestBody(request, params, abilities, count);
    const { hear } = request;
    const streams = hear !== undefined && abilities.stream && count === 1;
    return {
      ...(streams && { collect: () => chatCollector(hear) }),
      used: {
        format: body.response_format !== undefined,
        temperature: body.temperature !== undefined,
        limit: (body.max_tokens ?? body.max_completion_tokens) !== undefined,
        logprobs: body.logprobs === true,
        several: (body.n ?? 1) > 1,
        seed: body.seed !== undefined,
        thoughts: false,
        stream: streams,
      },
      // A stream is put together before the client sees it.
      send: async (client, options) => {
        const streamed = { ...body, stream: true, stream_options: { include_usage: true } };
        return client.post('/chat/completions', { body: streams ? streamed : body, ...options });
      },
    };
  },
  read: readReplies,
};
