import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { ChatBody } from '../../test/support/modelServer/chatBody.ts';
import { promptText } from '../judge-cost/countingServer.ts';
import { judgeAnswer } from '../judge-cost/judgeAnswer.ts';

/** A request, and the positions of its arrival and its answer in the sequence of all events. */
export interface AskedRequest {
  readonly body: ChatBody;
  readonly came: number;
  readonly answered: number;
}

/** The requests since the last `drain`. */
export interface Asked {
  readonly requests: readonly AskedRequest[];
  /** Milliseconds from the first request to the last answer. */
  readonly span: number;
  /** Maximum number of concurrent requests. */
  readonly atOnce: number;
}

export interface Endpoint {
  readonly baseUrl: string;
  drain(): Asked;
  close(): Promise<void>;
}

const REPLY = 'Your parcel is on its way and arrives on Monday. Is there anything else?';

/** An answer for judges whose prompt describes the format in words. agentv, promptfoo, and DeepEval accept it. */
const VERDICT = JSON.stringify({
  score: 1,
  pass: true,
  reason: 'The assistant answers each question about the order and names the day.',
  assertions: [{ text: 'Each question is answered.', passed: true }],
});

/** Starts an OpenAI-compatible endpoint that takes `latency` milliseconds per answer. */
export async function startEndpoint(latency: number): Promise<Endpoint> {
  let requests: AskedRequest[] = [];
  let [first, last, now, most, happened] = [0, 0, 0, 0, 0];

  async function answer(request: IncomingMessage): Promise<ChatBody> {
    if (requests.length === 0 && now === 0) first = performance.now();
    now += 1;
    most = Math.max(most, now);
    happened += 1;
    const came = happened;
    try {
      const [body] = await Promise.all([bodyOf(request), wait(latency)]);
      happened += 1;
      requests.push({ body, came, answered: happened });
      last = performance.now();
      return body;
    } finally {
      now -= 1;
    }
  }

  const server = createServer((request, response) => {
    const send = (body: ChatBody) => {
      const content = contentFor(body);
      if (body.stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(eventsOf(body, content));
      } else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(completionOf(body, content)));
      }
    };
    // A client that disconnects before its request is complete doesn't count.
    answer(request).then(send, () => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    drain() {
      const asked = { requests, span: last - first, atOnce: most };
      requests = [];
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

function contentFor(body: ChatBody): string {
  if (body.response_format !== undefined) return judgeAnswer(body);
  return promptText(body).includes('JSON') ? VERDICT : REPLY;
}

const USAGE = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function completionOf({ model }: ChatBody, content: string): object {
  return {
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    usage: USAGE,
  };
}

/** Stream events: the whole answer in one chunk, its end, and the usage. */
function eventsOf({ model }: ChatBody, content: string): string {
  const chunk = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model };
  const delta = { role: 'assistant', content };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage: USAGE },
  ];
  return [...chunks.map((one) => JSON.stringify(one)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');
}
