import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { judgeAnswer } from '../judge-cost/judgeAnswer.ts';

/** What an endpoint was asked since the last `drain`. */
export interface Asked {
  readonly bodies: readonly ChatBody[];
  /** Milliseconds from the first request to the last answer. */
  readonly span: number;
  /** The most requests that were under way at once. */
  readonly atOnce: number;
}

export interface Endpoint {
  readonly baseUrl: string;
  drain(): Asked;
  close(): Promise<void>;
}

const REPLY = 'Your parcel is on its way and arrives on Monday. Is there anything else?';

/** An OpenAI-compatible endpoint that takes `latency` milliseconds for each answer. */
export async function startEndpoint(latency: number): Promise<Endpoint> {
  let bodies: ChatBody[] = [];
  let [first, last, now, most] = [0, 0, 0, 0];

  async function answer(request: IncomingMessage): Promise<string> {
    if (bodies.length === 0 && now === 0) first = performance.now();
    now += 1;
    most = Math.max(most, now);
    const [body] = await Promise.all([bodyOf(request), wait(latency)]);
    bodies.push(body);
    now -= 1;
    last = performance.now();
    return JSON.stringify(completionOf(body));
  }

  const server = createServer((request, response) => {
    void answer(request).then((text) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    drain() {
      const asked = { bodies, span: last - first, atOnce: most };
      bodies = [];
      most = 0;
      return asked;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<ChatBody> {
  return JSON.parse((await buffer(request)).toString()) as ChatBody;
}

function completionOf(body: ChatBody): object {
  const content = body.response_format === undefined ? REPLY : judgeAnswer(body);
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
}
