import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const ANSWER = JSON.stringify({
  id: 'answer',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Fine, thanks.' } },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 },
});

export interface Endpoint {
  readonly baseUrl: string;
  /** Resets the counts. */
  begin(): void;
  /** The number of requests, and the milliseconds from the first request to the last answer. */
  seen(): { readonly requests: number; readonly time: number };
  close(): Promise<void>;
}

/** Answers any number of concurrent requests, each after the given latency in milliseconds. */
export async function startEndpoint(latency: number): Promise<Endpoint> {
  let requests = 0;
  let first = 0;
  let last = 0;
  const server = createServer(async (request, response) => {
    if (requests === 0) first = performance.now();
    requests += 1;
    request.resume();
    await setTimeout(latency);
    response.setHeader('content-type', 'application/json').end(ANSWER);
    last = performance.now();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    begin() {
      requests = 0;
    },
    seen: () => ({ requests, time: last - first }),
    close: () => new Promise((done) => server.close(() => done())),
  };
}
