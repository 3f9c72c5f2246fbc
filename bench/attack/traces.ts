import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LIMITS } from '../../src/core/limits.ts';
import { TraceInbox } from '../../src/interop/traceInbox.ts';
import { ConversationTrace } from '../../src/traces/conversationTrace.ts';
import { TraceReceiver } from '../../src/traces/receiver.ts';
import {
  exportRequest,
  type ScriptedTurn,
  scriptedSpans,
} from '../../test/support/scriptedSpans.ts';
import type { Attack } from './attack.ts';

const TOKEN = 'token';
const CONVENTION = 'GenAI, messages in attributes';

const TURN: ScriptedTurn = {
  user: 'Hi',
  agent: 'shop',
  calls: [{ id: 'c1', name: 'find', arguments: { id: 7 }, result: 'sent', took: 3 }],
  text: 'Sent.',
  firstToken: 2,
};

/** The token for the inbox. */
const INBOX = 'inbox';

/** Maximum CPU time, in milliseconds, to group the spans of one request into conversations. */
const MAX_UPDATE = 5_000;

/** Number of connections that never finish a request. */
const IDLE = 300;

interface Body {
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Ids {
  /** Trace id of the attacker's own turn. */
  readonly trace: string;
  readonly parent: string;
}

function filled(piece: string, size: number = LIMITS.traceRequest - 10_000): string {
  return piece.repeat(Math.floor(size / piece.length));
}

function span({ trace, parent }: Ids, keys: object = {}): object {
  return {
    traceId: trace,
    spanId: 'b'.repeat(16),
    parentSpanId: parent,
    name: 'chat',
    kind: 1,
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000000000000001',
    ...keys,
  };
}

function request(spans: readonly object[]): string {
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
}

function attribute(key: string, stringValue: string): object {
  return { key, value: { stringValue } };
}

function idOf(index: number): string {
  return index.toString(16).padStart(16, '0');
}

const TOOL = attribute('gen_ai.operation.name', 'execute_tool');

function tools(ids: Ids, count: number, keys: (index: number) => object = () => ({})): string {
  const all = Array.from({ length: count }, (_, index) =>
    span(ids, {
      spanId: idOf(index + 1),
      attributes: [
        TOOL,
        attribute('gen_ai.tool.name', 'find'),
        attribute('gen_ai.tool.call.arguments', `{"id":${index % 5}}`),
      ],
      ...keys(index),
    }),
  );
  return request(all);
}

function messages(ids: Ids, json: string): string {
  return request([span(ids, { attributes: [attribute('gen_ai.output.messages', json)] })]);
}

const BOMB = await promisify(gzip)(Buffer.alloc(500_000_000));

/** Requests that a service with a valid token could send. */
const BODIES: Readonly<Record<string, (ids: Ids) => Body>> = {
  'braces without end': () => ({ body: filled('{') }),
  'lists within lists': () => ({ body: filled('[') }),
  'values without end': () => ({ body: `[${filled('{},')}{}]` }),
  'a bomb in gzip': () => ({
    body: BOMB,
    headers: { 'content-encoding': 'gzip' },
  }),
  'broken gzip': () => ({ body: 'x', headers: { 'content-encoding': 'gzip' } }),
  'fields without end in protobuf': () => ({
    body: Buffer.alloc(LIMITS.traceRequest, Buffer.from([0x0a, 0x00])),
    headers: { 'content-type': 'application/x-protobuf' },
  }),
  'noise in protobuf': () => ({
    body: Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 256)),
    headers: { 'content-type': 'application/x-protobuf' },
  }),
  'spans without end': (ids) => ({ body: tools(ids, 12_000) }),
  'the same call again and again': (ids) => ({ body: tools(ids, 5_000) }),
  'spans around each other': (ids) => ({
    body: tools(ids, 4_000, (index) => ({ parentSpanId: idOf(((index + 1) % 4_000) + 1) })),
  }),
  'spans within spans': (ids) => ({
    body: tools(ids, 4_000, (index) => ({ parentSpanId: index === 0 ? ids.parent : idOf(index) })),
  }),
  'a span around itself': (ids) => ({
    body: request([span(ids, { parentSpanId: 'b'.repeat(16) })]),
  }),
  'attributes with steps without end': (ids) => ({
    body: request([
      span(ids, {
        attributes: Array.from({ length: 20 }, (_, index) =>
          attribute(`llm.output_messages.${filled(`${index}.`, 100_000)}x`, 'x'),
        ),
      }),
    ]),
  }),
  'attributes without end': (ids) => ({
    body: request([
      span(ids, {
        attributes: Array.from({ length: 60_000 }, (_, index) =>
          attribute(`llm.output_messages.${index}.message.role`, 'assistant'),
        ),
      }),
    ]),
  }),
  'attributes of all objects': (ids) => ({
    body: request([
      span(ids, {
        attributes: ['__proto__', 'llm.output_messages.__proto__.x', 'constructor.prototype.x'].map(
          (key) => attribute(key, 'x'),
        ),
      }),
    ]),
  }),
  'messages that are brackets': (ids) => ({ body: messages(ids, filled('[', 1_000_000)) }),
  'messages without end': (ids) => ({
    body: messages(ids, `[${filled('{"role":"assistant"},', 2_000_000)}{}]`),
  }),
  'calls without end': (ids) => ({
    body: messages(
      ids,
      `[{"role":"assistant","parts":[${filled('{"type":"tool_call","name":"a","arguments":{}},', 2_000_000)}{}]}]`,
    ),
  }),
  'a name without end': (ids) => ({ body: request([span(ids, { name: filled('a') })]) }),
  'invalid times': (ids) => ({
    body: request([
      span(ids, { startTimeUnixNano: 'NaN', endTimeUnixNano: -1 }),
      span(ids, { startTimeUnixNano: '99999999999999999999', endTimeUnixNano: '0' }),
      span(ids, { startTimeUnixNano: 1e300, endTimeUnixNano: {} }),
    ]),
  }),
  'invalid ids': () => ({
    body: request([
      span({ trace: '../../x', parent: '' }),
      span({ trace: 'a'.repeat(1_000_000), parent: '' }),
      span({ trace: '', parent: '' }, { spanId: [1] }),
    ]),
  }),
};

/** Sends spans that are designed to be hard to parse, or to end up in another conversation. */
export const traces: Attack = {
  name: 'traces',
  tries: 2 * Object.keys(BODIES).length + 1,
  async run(found, scene) {
    const receiver = await TraceReceiver.open(0);
    scene.after(() => receiver.close());
    receiver.allow(TOKEN);
    for (const [name, bodyOf] of Object.entries(BODIES)) {
      const why = await besides(receiver, async ({ traceparent }) => {
        const [, trace = '', parent = ''] = traceparent.split('-');
        await send(receiver, bodyOf({ trace, parent }));
      });
      if (why !== undefined) found(`${name}: ${why}`);
    }
    const inbox = new TraceInbox();
    receiver.routeToken(INBOX, (span) => inbox.add(span));
    for (const [index, [name, bodyOf]] of Object.entries(BODIES).entries()) {
      const ids = { trace: idOf(index).padStart(32, 'a'), parent: '' };
      const why = await inboxAfter(inbox, () => send(receiver, bodyOf(ids), INBOX), receiver);
      if (why !== undefined) found(`inbox: ${name}: ${why}`);
    }
    const { port } = new URL(receiver.url);
    const sockets = Array.from({ length: IDLE }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => {});
      socket.write(`POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-turnlight-token: ${TOKEN}\r\n`);
    }
    // Idle connections must be closed within this time.
    await setTimeout(15_000);
    const why = await besides(receiver, async () => {});
    if (why !== undefined) found(`idle connections: ${why}`);
    for (const socket of sockets) socket.destroy();
  },
};

async function send({ url }: TraceReceiver, { body, headers }: Body, token = TOKEN): Promise<void> {
  await fetch(`${url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-turnlight-token': token, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  }).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  );
}

/** Attacks during another conversation's turn. @returns what went wrong, if anything */
async function besides(
  receiver: TraceReceiver,
  attack: (attacker: ConversationTrace) => Promise<void>,
): Promise<string | undefined> {
  const setup = { wait: 1_000, isAlone: false, url: receiver.url, token: TOKEN };
  const [attacker, other] = [0, 1].map(() => new ConversationTrace(receiver, setup));
  if (!attacker || !other) return 'there are no conversations';
  const { signal } = new AbortController();
  try {
    attacker.begin();
    other.begin();
    const began = Date.now();
    await attack(attacker);
    const spans = scriptedSpans(CONVENTION, TURN, other.traceparent, began);
    await send(receiver, { body: JSON.stringify(exportRequest(spans)) });
    const [own, theirs] = await Promise.all([other.collect(signal), attacker.collect(signal)]);
    const names = own.calls.map(({ name }) => name).join();
    if (names !== 'find' || own.fault !== undefined) return `${names} ${own.fault}`;
    return theirs.calls.length > LIMITS.turnSpans ? 'too many calls' : undefined;
  } catch (error) {
    return String(error);
  } finally {
    attacker.close();
    other.close();
  }
}

/** Attacks the inbox, and then sends it an ordinary conversation. @returns what went wrong, if anything */
async function inboxAfter(
  inbox: TraceInbox,
  attack: () => Promise<void>,
  receiver: TraceReceiver,
): Promise<string | undefined> {
  try {
    await attack();
    const before = process.cpuUsage();
    inbox.update();
    const { user, system } = process.cpuUsage(before);
    const took = (user + system) / 1_000;
    if (took > MAX_UPDATE) return `took ${Math.round(took)} ms`;
    const ids = { trace: randomBytes(16).toString('hex'), parent: '' };
    const said = (role: string, content: string) =>
      JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const attributes = [
      attribute('gen_ai.input.messages', said('user', TURN.user)),
      attribute('gen_ai.output.messages', said('assistant', TURN.text)),
    ];
    await send(receiver, { body: request([span(ids, { attributes })]) }, INBOX);
    inbox.update();
    const [newest] = inbox.conversations;
    const shown = newest?.problem ?? newest?.name;
    return shown === TURN.user ? undefined : `shows ${shown}`;
  } catch (error) {
    return String(error);
  }
}
