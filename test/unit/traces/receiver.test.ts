import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { context, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { LIMITS } from '../../../src/core/limits.ts';
import { TraceReceiver } from '../../../src/traces/receiver.ts';
import type { Span } from '../../../src/traces/spans.ts';

const TOKEN = 'open-sesame';
const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/x-protobuf';

/** Two spans as the real SDK exports them. */
async function finishedSpans() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const tracer = provider.getTracer('test');
  const parent = tracer.startSpan('serve', { kind: 1 });
  const around = trace.setSpan(context.active(), parent);
  const child = tracer.startSpan('execute_tool find', { startTime: [1_700_000_000, 5] }, around);
  child.setAttributes({ text: 'ä', whole: 7, half: 0.5, yes: true, list: ['a', 'b'] });
  child.addEvent('event', { inner: 'x' }, [1_700_000_000, 6]);
  child.end([1_700_000_000, 7]);
  parent.end();
  await provider.forceFlush();
  return { spans: exporter.getFinishedSpans(), traceId: parent.spanContext().traceId };
}

async function opened(t: TestContext): Promise<TraceReceiver> {
  const receiver = await TraceReceiver.open(0);
  t.after(() => receiver.close());
  receiver.allow(TOKEN);
  return receiver;
}

interface Sent {
  readonly body: string | Uint8Array;
  readonly type?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

async function send({ url }: TraceReceiver, sent: Sent): Promise<number> {
  const { body, type = JSON_TYPE, path = '/v1/traces', method = 'POST', headers } = sent;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': type, 'x-turnlight-token': TOKEN, ...headers },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** A request with one span. */
function requestOf(traceId: string, span: object = {}): string {
  const whole = {
    traceId,
    spanId: 'b'.repeat(16),
    name: 'chat',
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000000000000001',
    ...span,
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [whole] }] }] });
}

describe('The receiver of spans', () => {
  it('reads the same from JSON, protobuf, and compressed requests of the real exporters', async (t) => {
    const receiver = await opened(t);
    const { spans, traceId } = await finishedSpans();
    let got: Span[] = [];
    receiver.route(traceId, (span) => got.push(span));
    const json = JsonTraceSerializer.serializeRequest(spans);
    const protobuf = ProtobufTraceSerializer.serializeRequest(spans);
    assert.ok(json && protobuf);
    const ways: readonly Sent[] = [
      { body: json },
      { body: protobuf, type: PROTOBUF },
      { body: gzipSync(protobuf), type: PROTOBUF, headers: { 'content-encoding': 'gzip' } },
    ];
    const read: Span[][] = [];
    for (const way of ways) {
      got = [];
      assert.equal(await send(receiver, way), 200);
      read.push(got);
    }
    const [first] = read;
    for (const one of read) assert.deepEqual(one, first);
    const child = first?.find(({ name }) => name === 'execute_tool find');
    const parent = first?.find(({ name }) => name === 'serve');
    assert.equal(child?.parent, parent?.id);
    assert.equal(parent?.isServer, true);
    assert.equal(child?.start, '1700000000000000005');
    assert.equal(child?.events[0]?.time, '1700000000000000006');
    const attributes = { text: 'ä', whole: 7, half: 0.5, yes: true, list: ['a', 'b'] };
    const { 'service.name': service, ...own } = child?.attributes ?? {};
    assert.deepEqual(own, attributes);
    assert.match(String(service), /^unknown_service/);
    assert.deepEqual(child?.events[0]?.attributes, { inner: 'x' });
  });

  it('listens on loopback only', async (t) => {
    const { url } = await opened(t);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const other = await fetch(url.replace('127.0.0.1', '127.0.0.2')).catch(() => 'refused');
    assert.equal(other, 'refused');
  });

  it("gives a token's spans to its route, except those of a run with the same token", async (t) => {
    const receiver = await opened(t);
    const [run, other] = ['a', 'c'].map((digit) => digit.repeat(32));
    assert.ok(run !== undefined && other !== undefined);
    const got: string[] = [];
    const endRoute = receiver.routeToken(TOKEN, (span) => got.push(`token ${span.trace[0]}`));
    const endRun = receiver.route(run, (span) => got.push(`run ${span.trace[0]}`));
    receiver.allow(TOKEN);
    for (const trace of [run, other])
      assert.equal(await send(receiver, { body: requestOf(trace) }), 200);
    endRun();
    assert.deepEqual([receiver.hasEnded(run), receiver.hasEnded(other)], [true, false]);
    endRoute();
    assert.equal(await send(receiver, { body: requestOf(other) }), 200);
    assert.deepEqual(got, ['run a', 'token c']);
  });

  it('reads nothing without the token', async (t) => {
    const receiver = await opened(t);
    const got: Span[] = [];
    receiver.route('a'.repeat(32), (span) => got.push(span));
    const body = requestOf('a'.repeat(32));
    for (const token of ['', 'wrong', `${TOKEN}x`]) {
      assert.equal(await send(receiver, { body, headers: { 'x-turnlight-token': token } }), 401);
    }
    assert.equal(
      await send(receiver, {
        body,
        headers: { 'x-turnlight-token': 'x', authorization: `Bearer ${TOKEN}` },
      }),
      401,
    );
    assert.deepEqual(got, []);
    assert.equal(await send(receiver, { body }), 200);
    assert.equal(got.length, 1);
  });

  it('accepts the token as a bearer token', async (t) => {
    const receiver = await opened(t);
    const response = await fetch(`${receiver.url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': JSON_TYPE, authorization: `Bearer ${TOKEN}` },
      body: requestOf('a'.repeat(32)),
    });
    assert.equal(response.status, 200);
  });

  it("passes on only spans of known traces, or those that come with a conversation's token", async (t) => {
    const receiver = await opened(t);
    const known: string[] = [];
    const others: string[] = [];
    receiver.route('a'.repeat(32), ({ trace: id }) => known.push(id));
    receiver.routeToken('mine', ({ trace: id }) => others.push(id));
    for (const id of ['a', 'c']) {
      await send(receiver, { body: requestOf(id.repeat(32)) });
      const headers = { 'x-turnlight-token': 'mine' };
      await send(receiver, { body: requestOf(id.repeat(32)), headers });
    }
    assert.deepEqual(known, ['a'.repeat(32), 'a'.repeat(32)]);
    assert.deepEqual(others, ['c'.repeat(32)]);
  });

  const hostile: Readonly<Record<string, readonly [number, Sent]>> = {
    'that are too large': [413, { body: ' '.repeat(LIMITS.traceRequest + 1) }],
    'that are too large once they are unpacked': [
      400,
      { body: gzipSync(' '.repeat(50_000_000)), headers: { 'content-encoding': 'gzip' } },
    ],
    'that are nested too deep': [400, { body: '['.repeat(100_000) }],
    'with too many values': [400, { body: `[${'{},'.repeat(1_000_000)}{}]` }],
    'with too many values in protobuf': [
      400,
      { body: resourceSpans(Buffer.alloc(3_000_000, Buffer.from([0x12, 0x00]))), type: PROTOBUF },
    ],
    'that are nested too deep in protobuf': [400, { body: nested(1_000), type: PROTOBUF }],
    'that are no protobuf': [400, { body: '{"resourceSpans":[]}', type: PROTOBUF }],
    'that are no JSON': [400, { body: '\0' }],
    'of another type': [415, { body: 'x', type: 'text/plain' }],
    'with another compression': [415, { body: 'x', headers: { 'content-encoding': 'br' } }],
    'to another path': [404, { body: '{}', path: '//v1/traces' }],
    'with another method': [405, { body: '', method: 'GET' }],
  };
  for (const [what, [status, sent]] of Object.entries(hostile)) {
    it(`refuses requests ${what}`, async (t) => {
      const receiver = await opened(t);
      const got = await send(receiver, sent).catch(() => status);
      assert.equal(got, status);
      // The receiver still works.
      assert.equal(await send(receiver, { body: requestOf('a'.repeat(32)) }), 200);
    });
  }

  const invalid: Readonly<Record<string, object>> = {
    'no trace': { traceId: 'x' },
    'no id': { spanId: '' },
    'a parent that is no id': { parentSpanId: '../..' },
    'no start': { startTimeUnixNano: 'now' },
    'no end': { endTimeUnixNano: '-1' },
  };
  for (const [what, span] of Object.entries(invalid)) {
    it(`ignores a span with ${what}`, async (t) => {
      const receiver = await opened(t);
      const got: Span[] = [];
      receiver.route('a'.repeat(32), (one) => got.push(one));
      receiver.routeToken('mine', (one) => got.push(one));
      const headers = { 'x-turnlight-token': 'mine' };
      const body = requestOf('a'.repeat(32), span);
      assert.equal(await send(receiver, { body, headers }), 200);
      assert.deepEqual(got, []);
    });
  }

  it('accepts and ignores metrics and logs, which the same exporters send', async (t) => {
    const receiver = await opened(t);
    for (const path of ['/v1/metrics', '/v1/logs']) {
      assert.equal(await send(receiver, { body: '{}', path }), 200);
    }
  });

  it('asks exporters to wait if they send too much in a second', async (t) => {
    const body = requestOf('a'.repeat(32));
    for (const rate of [
      { requests: 2, bytes: 1e9 },
      { requests: 1e9, bytes: 2 * body.length },
    ]) {
      const receiver = await TraceReceiver.open(0, rate);
      t.after(() => receiver.close());
      receiver.allow(TOKEN);
      const statuses = await Promise.all(Array.from({ length: 9 }, () => send(receiver, { body })));
      assert.ok(statuses.includes(200) && statuses.includes(429), String(statuses));
    }
  });

  it('asks exporters to wait if they unzip to too much in a second', async (t) => {
    const receiver = await TraceReceiver.open(0, { requests: 1e9, bytes: 2_500_000 });
    t.after(() => receiver.close());
    receiver.allow(TOKEN);
    const zipped = {
      body: gzipSync(`{}${' '.repeat(1_000_000)}`),
      headers: { 'content-encoding': 'gzip' },
    };
    const statuses = await Promise.all(Array.from({ length: 9 }, () => send(receiver, zipped)));
    assert.ok(statuses.includes(200) && statuses.includes(429), String(statuses));
  });

  it('says what to do if its port is in use', async (t) => {
    const { url } = await opened(t);
    await assert.rejects(TraceReceiver.open(Number(new URL(url).port)), {
      reason: 'port-in-use',
      message: /it is in use.*turnlight\.traces\.port/,
    });
  });

  it('ends connections that stay open when it closes', async () => {
    const receiver = await TraceReceiver.open(0);
    const socket = connect(Number(new URL(receiver.url).port), '127.0.0.1');
    await new Promise((done) => socket.once('connect', done));
    const closed = new Promise((done) => socket.once('close', done));
    socket.on('error', () => {});
    receiver.close();
    await closed;
  });
});

/** A message with one field. */
function field(tag: number, inner: Uint8Array): Buffer {
  const length: number[] = [];
  let rest = inner.length;
  for (; rest > 127; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([tag, ...length, rest]), inner]);
}

function resourceSpans(inner: Uint8Array): Buffer {
  return field(0x0a, inner);
}

/** A value within values, in an attribute of a resource. */
function nested(depth: number): Buffer {
  let value: Uint8Array = Buffer.from([0x0a, 0x00]);
  for (let count = 0; count < depth; count += 1) value = field(0x2a, field(0x0a, value));
  return resourceSpans(field(0x0a, field(0x0a, field(0x12, value))));
}
