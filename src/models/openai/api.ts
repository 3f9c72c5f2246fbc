import type OpenAI from 'openai';
import type { ModelReply, ModelRequest } from '../model.ts';
import type { Price } from '../price.ts';
import type { Abilities, Used } from './abilities.ts';
import type { EndpointParams } from './params.ts';
import { readReplies } from './reply.ts';
import { requestBody } from './requestBody.ts';

/** A request, ready to be sent. */
export interface Prepared {
  readonly used: Used;
  send(client: OpenAI, signal: AbortSignal): Promise<unknown>;
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
    return {
      used: {
        format: body.response_format !== undefined,
        temperature: body.temperature !== undefined,
        limit: (body.max_tokens ?? body.max_completion_tokens) !== undefined,
        logprobs: body.logprobs === true,
        several: (body.n ?? 1) > 1,
        seed: body.seed !== undefined,
        thoughts: false,
      },
      send: async (client, signal) => client.chat.completions.create(body, { signal }),
    };
  },
  read: readReplies,
};
