import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatBody } from './chatBody.ts';
import { completion } from './completion.ts';
import { httpError } from './faults.ts';
import { responseOf } from './response.ts';
import { type Answer, isFault, type Step } from './steps.ts';
import { sendStream } from './stream.ts';

export interface ReceivedRequest {
  /** The path, including the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body's text, unchanged. */
  readonly text: string;
  readonly body: ChatBody;
}

/** Replies in order, or a function that returns the reply to a request. `index` counts from 0. */
export type Script = readonly Step[] | ((body: ChatBody, index: number) => Step | Promise<Step>);

/** A request parameter, or a value of `response_format`, that the endpoint rejects with 400. */
export type Rejected =
  | 'json_schema'
  | 'json_object'
  | 'temperature'
  | 'max_tokens'
  | 'max_completion_tokens'
  | 'logprobs'
  | 'include'
  | 'stream'
  | 'n';

export interface ServerOptions {
  readonly rejects?: readonly Rejected[];
  /** If true, a request with `n` gets that many replies from the script; otherwise, `n` is ignored. */
  readonly several?: boolean;
  /** Milliseconds between two chunks of a stream. */
  readonly pause?: number;
  /** Returns the vector of a text, for `POST /v1/embeddings`. */
  readonly embed?: (text: string) => readonly number[];
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT/v1`, for `base_url`. */
  readonly baseUrl: string;
  /** All chat requests so far, including rejected ones. */
  readonly requests: readonly ReceivedRequest[];
  /** The texts in each embeddings request. */
  readonly embedded: readonly (readonly string[])[];
  /** Returns the number of replies left in the queue; 0 if the script is a function. */
  left(): number;
  close(): Promise<void>;
}

/**
 * A local OpenAI-compatible endpoint for tests: `POST /v1/chat/completions` and `/v1/responses` (also at
 * Azure's paths, and streamed on request), `POST /v1/embeddings`, and `GET /v1/models`.
 *
 *     const server = await startModelServer(['Hello!', rateLimited(), json({ score: 1 })]);
 *     t.after(() => server.close());
 *     // … a model with base_url: server.baseUrl …
 *     assert.equal(server.requests[0]?.headers.authorization, 'Bearer test-key');
 *
 * A function can serve requests in any order:
 *
 *     await startModelServer((body) => (body.model === 'judge' ? json(verdict) : 'Hello!'));
 *
 * Faults are steps too (faults.ts). If a queue is used up or a function throws, the server answers 400 with the reason,
 * which clients don't retry. Usage is estimated at four characters per token. `cached_tokens` counts the longest prefix
 * shared with an earlier request.
 */
export async function startModelServer(
  script: Script,
  options: ServerOptions = {},
): Promise<ModelServer> {
  const requests: ReceivedRequest[] = [];
  const embedded: string[][] = [];
  const queue = typeof script === 'function' ? [] : [...script];

  async function nextStep(body: ChatBody, index: number): Promise<Step> {
    const rejected = rejection(body, options.rejects ?? []);
    if (rejected) return rejected;
    try {
      if (typeof script === 'function') return await script(body, index);
    } catch (error) {
      return httpError(400, `The script of the model server threw: ${String(error)}`);
    }
    const step = queue.shift();
    return (
      step ?? httpError(400, `The script of the model server ended before request ${index + 1}.`)
    );
  }

  async function chat(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const body = JSON.parse(text) as ChatBody;
    const earlier = requests.map((one) => one.body);
    requests.push({ path: request.url ?? '', headers: request.headers, text, body });
    const index = requests.length - 1;
    const first = await nextStep(body, index);
    if (typeof first === 'object' && 'headers' in first) {
      for (const [name, value] of Object.entries(first.headers ?? {}))
        response.setHeader(name, value);
    }
    const isResponses = request.url?.split('?')[0]?.endsWith('/responses') === true;
    const replyOf = (one: string | Answer, ...others: (string | Answer)[]) =>
      isResponses ? responseOf(one, body) : completion([one, ...others], body, earlier);
    if (isFault(first)) return first.fault(response, JSON.stringify(replyOf(first.of ?? '')));
    const others: (string | Answer)[] = [];
    while (options.several && others.length + 1 < Number(body.n ?? 1)) {
      const step = await nextStep(body, index);
      if (isFault(step)) return step.fault(response, JSON.stringify(replyOf(step.of ?? '')));
      others.push(step);
    }
    const answer = replyOf(first, ...others);
    if (body.stream === true) await sendStream(response, answer, options.pause ?? 0);
    else sendJson(response, answer);
  }

  async function embeddings(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { input, model } = JSON.parse(await textOf(request)) as {
      input: string[];
      model: string;
    };
    const { embed } = options;
    if (!embed) return httpError(404, 'There are no embeddings here.').fault(response, '');
    embedded.push(input);
    const data = input.map((text, index) => ({
      index,
      object: 'embedding',
      embedding: embed(text),
    }));
    // Reversed, since an endpoint can answer out of order.
    sendJson(response, {
      object: 'list',
      model,
      data: data.reverse(),
      usage: { prompt_tokens: input.length },
    });
  }

  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    if (
      /^POST \/(?:v1|openai(?:\/deployments\/[^/]+)?)\/(?:chat\/completions|responses)$/.test(route)
    ) {
      chat(request, response).catch((error: unknown) =>
        httpError(400, `Not a chat request: ${String(error)}`).fault(response, ''),
      );
    } else if (route === 'POST /v1/embeddings') {
      embeddings(request, response).catch((error: unknown) =>
        httpError(400, `Not a request for embeddings: ${String(error)}`).fault(response, ''),
      );
    } else if (route === 'GET /v1/models') {
      sendJson(response, { object: 'list', data: [{ id: 'test-model', object: 'model' }] });
    } else {
      httpError(404, `Unknown address: ${route}`).fault(response, '');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    embedded,
    left: () => queue.length,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function rejection(body: ChatBody, rejects: readonly Rejected[]): Step | undefined {
  const format = body.response_format?.type;
  for (const one of rejects) {
    if (one === format) {
      return httpError(
        400,
        `Invalid parameter: 'response_format' of type '${one}' is not supported.`,
        {
          param: 'response_format',
        },
      );
    }
    if (body[one] !== undefined) {
      return httpError(400, `Unsupported parameter: '${one}' is not supported with this model.`, {
        code: 'unsupported_parameter',
        param: one,
      });
    }
  }
  return undefined;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
