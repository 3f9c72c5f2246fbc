import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { addRecent, jsonExcess } from '../core/data/data.ts';
import { errorText, ReasonedError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import { TOKEN_HEADER, type TraceRoutes } from './conversationTrace.ts';
import { originIn, type Span, spansIn } from './spans.ts';

/** The host, to which only this machine can connect. */
const HOST = '127.0.0.1';

/** Maximum number of ended traces to remember. */
const MAX_ENDED = 10_000;

const MAX_CONNECTIONS = 256;
/** Maximum bytes in requests that are being read at the same time. */
const MAX_READING = 64_000_000;

/** Limits per second. */
interface Rate {
  readonly requests: number;
  readonly bytes: number;
}

const MAX_RATE: Rate = { requests: 2_000, bytes: 64_000_000 };

/** Milliseconds. */
const REQUEST_TIMEOUT = 10_000;

const PROTOBUF = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** Thrown if a receiver can't be opened. `port-in-use`: another program, or another run, uses the port. */
class ReceiverError extends ReasonedError<'port-in-use' | 'failed'> {
  override readonly name = 'ReceiverError';
}

/** The address of the receiver on a port. */
export function addressOf(port: number): string {
  return `http://${HOST}:${port}`;
}

type AddSpan = (span: Span) => void;

/** Receives spans over OTLP/HTTP, as JSON and protobuf. */
export class TraceReceiver implements TraceRoutes {
  readonly #server: Server;
  /** Routes by trace id. */
  readonly #traces = new Map<string, AddSpan>();
  /** Traces whose route ended. */
  readonly #ended = new Set<string>();
  /** Digests of tokens whose spans must belong to a known trace, unless the token also has a route. */
  readonly #allowed = new Set<string>();
  /** Routes by the digest of a token. */
  readonly #tokens = new Map<string, AddSpan>();
  readonly #rate: Rate;
  #reading = 0;
  /** Settled once all earlier requests' spans are added. */
  #added: Promise<unknown> = Promise.resolve();
  #second = 0;
  #requests = 0;
  #bytes = 0;

  private constructor(rate: Rate) {
    this.#rate = rate;
    const timeouts = { requestTimeout: REQUEST_TIMEOUT, headersTimeout: REQUEST_TIMEOUT };
    this.#server = createServer(
      { ...timeouts, connectionsCheckingInterval: 1_000 },
      (request, response) => {
        this.#answer(request, response).catch(() => request.destroy());
      },
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.unref();
  }

  /** @param port the port to use; 0 for any @throws ReceiverError */
  static async open(port: number, rate = MAX_RATE): Promise<TraceReceiver> {
    const receiver = new TraceReceiver(rate);
    await receiver.#listen(port);
    return receiver;
  }

  /** The address without a path. */
  get url(): string {
    return addressOf((this.#server.address() as AddressInfo).port);
  }

  /** Accepts spans from known traces if they arrive with this token. */
  allow(token: string): void {
    this.#allowed.add(digest(token));
  }

  route(trace: string, add: AddSpan): () => void {
    this.#traces.set(trace, add);
    return () => {
      this.#traces.delete(trace);
      addRecent(this.#ended, trace, MAX_ENDED);
    };
  }

  /** Whether a trace had a route until recently, so that its late spans are of no interest. */
  hasEnded(trace: string): boolean {
    return this.#ended.has(trace);
  }

  routeToken(token: string, add: AddSpan): () => void {
    this.#tokens.set(digest(token), add);
    return () => this.#tokens.delete(digest(token));
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #listen(port: number): Promise<void> {
    return new Promise((done, fail) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
        const message = isTaken
          ? `Turnlight can't receive spans on port ${port}: it is in use, perhaps by another run, or by *Receive Traces* in another window. End that, or set another port in \`turnlight.traces.port\` or with \`--traces-port\`.`
          : `Turnlight can't receive spans: ${errorText(error)}`;
        fail(new ReceiverError(isTaken ? 'port-in-use' : 'failed', message));
      });
      this.#server.listen(port, HOST, () => done());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {});
    response.on('error', () => {});
    const refuse = (status: number, headers: Record<string, string> = {}) => {
      // The rest of the request isn't read.
      response.writeHead(status, { connection: 'close', ...headers }).end();
    };
    const token = tokenIn(request);
    const key = token === undefined ? '' : digest(token);
    if (!this.#allowed.has(key) && !this.#tokens.has(key)) return refuse(401);
    if (request.method !== 'POST') return refuse(405, { allow: 'POST' });
    const [pathname = ''] = (request.url ?? '').split('?');
    if (!/^\/v1\/(?:traces|metrics|logs)$/.test(pathname)) return refuse(404);
    const [type = ''] = (request.headers['content-type'] ?? '').split(';');
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const isKnown = type === JSON_TYPE || type === PROTOBUF;
    if (!isKnown || !['gzip', 'identity'].includes(encoding)) return refuse(415);
    const length = Number(request.headers['content-length'] ?? 0);
    if (length > LIMITS.traceRequest) return refuse(413);
    if (!this.#isWithinRate(length)) return refuse(429, { 'retry-after': '1' });
    const body = await this.#read(request);
    if (!body) return refuse(413);
    if (pathname === '/v1/traces') {
      try {
        const isZipped = encoding === 'gzip';
        // One after another, so that many small requests can't fill the memory once they are unzipped.
        const adding = this.#added.then(async () => {
          const plain = isZipped ? await unzip(body) : body;
          if (isZipped && !this.#hasRoom(plain.length)) return false;
          await this.#add(plain, type, this.#tokens.get(key));
          await setImmediate();
          return true;
        });
        this.#added = adding.catch(() => {});
        if (!(await adding)) return refuse(429, { 'retry-after': '1' });
      } catch {
        return refuse(400);
      }
    }
    response.writeHead(200, { 'content-type': type }).end(type === JSON_TYPE ? '{}' : '');
  }

  #isWithinRate(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.#second) [this.#second, this.#requests, this.#bytes] = [second, 0, 0];
    this.#requests += 1;
    if (this.#requests > this.#rate.requests || !this.#hasRoom(bytes)) return false;
    return this.#reading + bytes <= MAX_READING;
  }

  /** Counts bytes, and returns whether they are within the rate. */
  #hasRoom(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes <= this.#rate.bytes;
  }

  /** Reads the request's body; undefined if it is too large. */
  async #read(request: IncomingMessage): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    let size = 0;
    try {
      const chunks: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
      for await (const piece of chunks) {
        size += piece.length;
        this.#reading += piece.length;
        if (size > LIMITS.traceRequest || this.#reading > MAX_READING) return undefined;
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    } finally {
      this.#reading -= size;
    }
  }

  /** @throws Error if the request is invalid or exceeds a limit */
  async #add(body: Buffer, type: string, other: AddSpan | undefined): Promise<void> {
    for (const span of spansIn(await parse(body, type), 0, originIn)) {
      const known = normalSpan(span);
      if (known) (this.#traces.get(known.trace) ?? other)?.(known);
    }
  }
}

async function parse(body: Buffer, type: string): Promise<unknown> {
  if (type === PROTOBUF) return (await import('./protobuf.ts')).decodeRequest(body);
  const excess = jsonExcess(body);
  if (excess !== undefined) throw new Error(excess);
  return JSON.parse(body.toString('utf8'));
}

function unzip(body: Buffer): Promise<Buffer> {
  return promisify(gunzip)(body, { maxOutputLength: LIMITS.traceRequest });
}

/** The span with lowercase ids; undefined if an id or a time is invalid. */
function normalSpan(span: Span): Span | undefined {
  const [id, parent, trace] = [span.id, span.parent, span.trace].map((one) => one.toLowerCase());
  if (!isId(id, 16) || !isId(trace, 32) || (parent !== '' && !isId(parent, 16))) return undefined;
  const isTimed = [span.start, span.end].every((time) => /^\d{1,20}$/.test(time));
  if (!isTimed) return undefined;
  return { ...span, id, parent: /^0*$/.test(parent) ? '' : parent, trace };
}

function isId(text: string | undefined, length: number): text is string {
  return text !== undefined && text.length === length && /^[0-9a-f]+$/.test(text);
}

function tokenIn({ headers }: IncomingMessage): string | undefined {
  const own = headers[TOKEN_HEADER];
  const [, bearer] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  return typeof own === 'string' ? own : bearer;
}

/** Compared instead of the token, so that the time that a comparison takes reveals nothing. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** This process's receivers by port, because runs in an editor share one receiver. */
const shared = new Map<number, { readonly opening: Promise<TraceReceiver>; users: number }>();

/** A receiver, and a function to call when it is no longer needed. @throws ReceiverError */
export async function useReceiver(
  port: number,
): Promise<{ readonly receiver: TraceReceiver; readonly release: () => void }> {
  const one = shared.get(port) ?? { opening: TraceReceiver.open(port), users: 0 };
  shared.set(port, one);
  one.users += 1;
  const release = () => {
    one.users -= 1;
    if (one.users > 0) return;
    if (shared.get(port) === one) shared.delete(port);
    void one.opening.then((receiver) => receiver.close()).catch(() => {});
  };
  try {
    return { receiver: await one.opening, release };
  } catch (error) {
    release();
    throw error;
  }
}
