import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body's text, unchanged. */
  readonly text: string;
  readonly body: unknown;
}

/** Answers a request. `index` counts from 0. */
export type Serve = (request: ServiceRequest, response: ServerResponse, index: number) => unknown;

export interface Service {
  readonly url: string;
  readonly requests: readonly ServiceRequest[];
}

/** Starts a local HTTP service. It stops after the test. */
export async function startService(
  t: { after(end: () => Promise<void>): void },
  serve: Serve,
): Promise<Service> {
  const requests: ServiceRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { method = '', url: path = '', headers } = request;
    const received = { method, path, headers, text, body: text === '' ? null : JSON.parse(text) };
    requests.push(received);
    await serve(received, response, requests.length - 1);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(
    () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/chat`, requests };
}

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Starts a response with server-sent events. Returns a function that sends an event. */
export function beginEvents(response: ServerResponse): (data: unknown, event?: string) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  return (data, event) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`);
  };
}
