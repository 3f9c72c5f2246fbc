import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { traceToken } from '../../src/store/traceToken.ts';
import {
  conventions,
  exportRequest,
  type ScriptedTurn,
  scriptedSpans,
  type WireSpan,
} from './scriptedSpans.ts';
import { answerJson, type Service, startService } from './service.ts';

/** When an agent's spans arrive, and which ones. */
export type Delivery = 'at once' | 'late' | 'twice' | 'without a span around others' | 'never';

/** Delay of late spans, in milliseconds. */
const LATE = 400;

/** Milliseconds between the last span and its export. */
const EXPORT_DELAY = 30;

interface TracedAgent {
  readonly port: number;
  readonly secretFile: string;
  readonly workspace: string;
  /** Milliseconds that each reply takes. */
  readonly works: number;
  /** If true, it exports no spans. By default, the user's message decides how they arrive. */
  readonly silent?: boolean;
}

/** Matches texts such as `case 7, turn 2, late`. */
const SAYS = /^case (\d+), turn (\d+), (.+)$/;

export function turnOf(text: string): ScriptedTurn {
  const [, number = '', turn = ''] = SAYS.exec(text) ?? [];
  const at = { case: Number(number), turn: Number(turn) };
  return {
    user: text,
    agent: `agent-${number}`,
    calls: [
      { id: `call-${number}-${turn}-1`, name: 'look_up', arguments: at, result: text, took: 3 },
      { id: `call-${number}-${turn}-2`, name: 'count', arguments: at, result: '7', took: 2 },
    ],
    text: `Done: ${text}`,
    firstToken: 4,
  };
}

export function conventionOf(text: string): string {
  const names = Object.keys(conventions);
  return names[Number(SAYS.exec(text)?.[1] ?? 0) % names.length] ?? '';
}

/** Starts an HTTP agent that reports nothing in its replies, but exports spans. */
export async function startTracedAgent(
  t: { after(end: () => Promise<void>): void },
  { port, secretFile, workspace, works, silent = false }: TracedAgent,
): Promise<Service> {
  const headers = {
    'content-type': 'application/json',
    'x-turnlight-token': await traceToken(secretFile, workspace),
  };
  const send = async (spans: readonly WireSpan[]) => {
    const body = JSON.stringify(exportRequest(spans));
    await fetch(`http://127.0.0.1:${port}/v1/traces`, { method: 'POST', headers, body }).catch(
      () => {},
    );
  };
  return startService(t, async (request, response) => {
    const { message } = request.body as { message: string };
    const began = Date.now();
    const turn = turnOf(message);
    const traceparent = String(request.headers.traceparent);
    await setTimeout(works);
    answerJson(response, { reply: turn.text });
    if (silent) return;
    const spans = scriptedSpans(conventionOf(message), turn, traceparent, began);
    const all = scaled(spans, began, Date.now());
    await setTimeout(EXPORT_DELAY);
    const delivery = SAYS.exec(message)?.[3] as Delivery;
    await deliver(all, delivery, send);
  });
}

async function deliver(
  spans: readonly WireSpan[],
  delivery: Delivery,
  send: (spans: readonly WireSpan[]) => Promise<void>,
): Promise<void> {
  switch (delivery) {
    case 'at once':
      return send(spans);
    case 'late':
      await send(spans.slice(0, 2));
      await setTimeout(LATE);
      return send(spans.slice(2));
    case 'twice':
      await Promise.all([send(spans), send(spans)]);
      return send(spans);
    case 'without a span around others':
      return send([...spans.slice(0, -2), ...spans.slice(-1)]);
    default:
      return;
  }
}

/** Makes the last spans end when the reply does. */
function scaled(spans: readonly WireSpan[], began: number, end: number): WireSpan[] {
  const ends = String(BigInt(end) * 1_000_000n);
  return spans.map((span, index) =>
    index < spans.length - 2 || end < began ? span : { ...span, endTimeUnixNano: ends },
  );
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address ? address.port : 0;
}
