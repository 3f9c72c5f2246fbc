import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { turnsOfSide } from '../../../src/core/conversation.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { itLong, tries } from '../../support/long.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';
import { startService } from '../../support/service.ts';
import {
  conventionOf,
  type Delivery,
  freePort,
  startTracedAgent,
  turnOf,
} from '../../support/tracedAgent.ts';

const CHECKS = `[{type: tool-called, name: look_up}, {type: tool-not-called, name: refund}, {type: max-latency, of: {tool: count}, max: 1000}, {type: max-latency, of: first-token, max: 1000}, {type: max-tokens, max: 1000}]`;

interface Setup {
  readonly deliveries: readonly Delivery[];
  readonly cases: number;
  readonly turns: number;
  readonly works?: number;
  readonly keys?: string;
  readonly assert?: string;
  readonly concurrency?: number;
  readonly body?: string;
  readonly record?: string;
}

/** Runs conversations with an agent that exports spans. */
async function runTraced(t: TestContext, setup: Setup) {
  const {
    deliveries,
    cases,
    turns,
    works = 20,
    keys = 'traces: true, trace_wait: 20000',
    concurrency = 20,
  } = setup;
  const workspace = await workspaceWith(t, {});
  const secretFile = join(workspace, '.secret');
  const port = await freePort();
  const agent = { port, secretFile, workspace, works };
  const { url, requests } = await startTracedAgent(t, agent);
  const lines = Array.from({ length: cases }, (_, index) => {
    const delivery = deliveries[index % deliveries.length];
    const said = Array.from(
      { length: turns },
      (_each, turn) => `"case ${index}, turn ${turn + 1}, ${delivery}"`,
    );
    return `  - {id: c${index}, turns: [${said.join(', ')}], assert: ${setup.assert ?? CHECKS}}\n`;
  });
  const suite = `targets:
  shop: {type: http, url: "${url}", body: ${setup.body ?? '{message: "{{message}}"}'}, reply: /reply, ${keys}}
target: shop
cases:
${lines.join('')}`;
  const options = { workspace, tracesPort: port, traceSecretFile: secretFile, concurrency };
  const { record } = setup;
  const ran = await runFiles(
    t,
    { 'suite.eval.yaml': suite },
    { ...options, ...(record !== undefined && { record }) },
  );
  return { ...ran, requests };
}

type Ran = Awaited<ReturnType<typeof runTraced>>;

/** Asserts that each turn has exactly its own calls, agent, and times. */
function checkTurns({ lines }: Ran): void {
  for (const { conversation } of lines) {
    const said = turnsOfSide(conversation, 'user').map(({ items }) =>
      items.map((item) => (item.kind === 'text' ? item.text : '')).join(),
    );
    for (const [index, turn] of turnsOfSide(conversation, 'assistant').entries()) {
      const expected = turnOf(said[index] ?? '');
      const calls = turn.items.filter((item) => item.kind === 'tool-call');
      assert.deepEqual(
        calls.map(({ call, result, agent }) => ({
          name: call.name,
          arguments: call.arguments,
          result,
          agent,
        })),
        expected.calls.map(({ id: _id, took: _took, ...call }) => ({
          ...call,
          agent: expected.agent,
        })),
        conventionOf(expected.user),
      );
      assert.deepEqual(
        calls.map(({ latency = 0 }) => Math.round(latency)),
        expected.calls.map(({ took }) => took),
      );
      const texts = turn.items.filter((item) => item.kind === 'text');
      assert.deepEqual(texts, [{ kind: 'text', text: expected.text, agent: expected.agent }]);
      assert.ok(turn.firstToken !== undefined && turn.firstToken > 0);
    }
  }
}

describe('The traces of conversations', () => {
  it('are added to the turns that caused them, by every convention, also if spans are late or sent twice', async (t) => {
    const ran = await runTraced(t, {
      deliveries: ['at once', 'twice', 'late'],
      cases: tries(100, 21),
      turns: 3,
    });
    const verdicts = ran.lines.flatMap((line) => line.verdicts);
    const others = verdicts.filter(({ status }) => status !== 'pass');
    assert.deepEqual(
      others.map(({ rationale }) => rationale),
      [],
    );
    assert.ok(ran.lines.every(({ status }) => status === 'pass'));
    checkTurns(ran);
    const traces = ran.requests.map(({ headers }) => headers.traceparent);
    assert.equal(new Set(traces).size, ran.requests.length);
  });

  itLong('take less than 5 % of the time of a run, and no memory', async (t) => {
    const setup = {
      deliveries: ['at once', 'twice'] as const,
      cases: 100,
      turns: 2,
      works: 3_000,
      assert: '[{type: contains, value: Done}]',
    };
    const took = async (keys: string) => {
      const began = performance.now();
      const { lines } = await runTraced(t, { ...setup, keys });
      assert.ok(lines.every(({ status }) => status === 'pass'));
      return performance.now() - began;
    };
    const traced = 'traces: true, trace_wait: 20000';
    const short = { ...setup, works: 20, keys: traced };
    await runTraced(t, short);
    const before = heapUsed();
    for (let round = 0; round < 5; round += 1) await runTraced(t, short);
    const grown = heapUsed() - before;
    assert.ok(grown < 20e6, `${grown} bytes more`);
    // The faster of several, because other programs slow each down too.
    const times = { plain: Number.POSITIVE_INFINITY, traced: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 2; round += 1) {
      times.plain = Math.min(times.plain, await took('timeout: 60000'));
      times.traced = Math.min(times.traced, await took(traced));
    }
    const share = times.traced / times.plain - 1;
    assert.ok(share < 0.05, `${(100 * share).toFixed(1)} %`);
  });

  for (const delivery of ['never', 'without a span around others'] as const) {
    it(`make checks of tools errors if spans arrive ${delivery}`, async (t) => {
      const { lines } = await runTraced(t, {
        deliveries: [delivery],
        cases: 1,
        turns: 1,
        keys: 'traces: true, trace_wait: 300',
        assert: `[{type: tool-called, name: look_up}, {type: tool-not-called, name: refund}, {type: tool-sequence, tools: [look_up]}, {type: max-latency, of: {tool: count}, max: 1000}, {type: contains, value: Done}]`,
      });
      const [line] = lines;
      assert.deepEqual(
        line?.verdicts.map(({ status }) => status),
        ['error', 'error', 'error', 'error', 'pass'],
      );
      const [first] = line?.verdicts ?? [];
      const why = delivery === 'never' ? /No spans arrived/ : /span around .* didn't arrive/;
      assert.match(first?.rationale ?? '', why);
    });
  }

  const programs: Readonly<Record<string, readonly [target: string, link: string]>> = {
    'a module that continues the trace of each turn': [
      'type: module, path: ./module.mjs',
      'request.traceparent',
    ],
    'a module that starts traces of its own': ['type: module, path: ./module.mjs', 'undefined'],
    'a program that starts traces of its own': [
      'type: command, command: [node, program.mjs]',
      'undefined',
    ],
    'a program that continues the trace in its environment': [
      'type: command, command: [node, program.mjs]',
      'process.env.TRACEPARENT',
    ],
    'a program that serves all conversations and continues the trace of each turn': [
      'type: command, command: [node, program.mjs], worker: true',
      'request.traceparent',
    ],
  };
  for (const [what, [target, link]] of Object.entries(programs)) {
    it(`come from ${what}`, async (t) => {
      const cases = [1, 2, 3].map(
        (one) =>
          `  - {id: c${one}, turns: ["${one} first", "${one} second"], assert: [{type: tool-called, name: look_up, args: {said: "${one} first"}, at: 2}, {type: tool-called, name: look_up, args: {said: "${one} second"}, at: 4}]}\n`,
      );
      const suite = `targets:
  shop: {${target}, traces: true, trace_wait: 20000}
target: shop
cases:
${cases.join('')}`;
      const { lines } = await runFiles(t, {
        'suite.eval.yaml': suite,
        'spans.mjs': spansModule(link),
        'module.mjs': MODULE,
        'program.mjs': PROGRAM,
      });
      assert.deepEqual(
        lines.map(({ status, reason, verdicts }) => [
          status,
          reason,
          ...verdicts
            .map(({ rationale }) => rationale)
            .filter((text) => !/called/.test(text ?? '')),
        ]),
        lines.map(() => ['pass', undefined]),
      );
      for (const { conversation } of lines) {
        const turns = turnsOfSide(conversation, 'assistant');
        const counts = turns.map(
          ({ items }) => items.filter(({ kind }) => kind === 'tool-call').length,
        );
        assert.deepEqual(counts, [1, 1]);
      }
    });
  }

  it('are not sent back to the target, and are recorded for later runs', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const setup = {
      deliveries: ['at once'] as const,
      cases: 1,
      turns: 2,
      keys: 'traces: true, trace_wait: 20000',
      body: '{message: "{{message}}", messages: "{{messages}}"}',
    };
    const { lines, requests, workspace } = await runTraced(t, { ...setup, record: recording });
    const [, second] = requests;
    assert.ok(second);
    const { messages } = second.body as { messages: { role: string }[] };
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    const again = await runFiles(t, {}, { workspace, replay: recording });
    assert.deepEqual(again.lines[0]?.status, 'pass');
    const withoutTimes = (line: CaseLine | undefined) =>
      line?.conversation.entries.map((entry) => ({ ...entry, latency: 0 }));
    assert.deepEqual(withoutTimes(again.lines[0]), withoutTimes(lines[0]));
  });

  it('of services make cases errors if the port is in use', async (t) => {
    const { url } = await startService(t, () => {});
    const suite = `targets:
  shop: {type: http, url: "${url}", traces: true}
target: shop
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}]
`;
    const tracesPort = Number(new URL(url).port);
    const { lines } = await runFiles(t, { 'suite.eval.yaml': suite }, { tracesPort });
    assert.equal(lines[0]?.status, 'error');
    assert.match(lines[0]?.reason ?? '', /can't receive spans on port \d+: it is in use/);
  });

  it('are not asked for by default: nothing listens, and no header is sent', async (t) => {
    const { lines, requests } = await runTraced(t, {
      deliveries: ['at once'],
      cases: 1,
      turns: 1,
      keys: 'timeout: 5000',
      assert: '[{type: contains, value: Done}]',
    });
    assert.equal(lines[0]?.status, 'pass');
    assert.equal(requests[0]?.headers.traceparent, undefined);
  });
});

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/**
 * A module that exports a turn's spans like an exporter: shortly after they end. @param link the traceparent, as an
 * expression
 */
function spansModule(link: string): string {
  return `import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url, OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers } = process.env;
const id = (bytes) => randomBytes(bytes).toString('hex');
const time = () => String(BigInt(Date.now()) * 1_000_000n);
const attributes = (given) =>
  Object.entries(given).map(([key, value]) => ({ key, value: { stringValue: value } }));
export async function traced(request, said) {
  const [, traceId = id(16), parentSpanId = ''] = (${link})?.split('-') ?? [];
  const agent = { traceId, spanId: id(8), parentSpanId, name: 'agent', startTimeUnixNano: time() };
  const tool = { traceId, spanId: id(8), parentSpanId: agent.spanId, name: 'tool', startTimeUnixNano: time() };
  await setTimeout(5);
  const spans = [
    { ...tool, endTimeUnixNano: time(), attributes: attributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look_up',
      'gen_ai.tool.call.arguments': JSON.stringify({ said }),
    }) },
    { ...agent, endTimeUnixNano: time(), attributes: [] },
  ];
  setTimeout(Number(process.env.OTEL_BSP_SCHEDULE_DELAY)).then(() =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...Object.fromEntries([headers.split('=')]) },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    }));
}
`;
}

const MODULE = `import { traced } from './spans.mjs';
export default async (messages, request) => {
  const said = messages.at(-1).content;
  await traced(request, said);
  return said;
};
`;

const PROGRAM = `import { createInterface } from 'node:readline';
import { traced } from './spans.mjs';
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  if (request.end) continue;
  const said = request.messages.at(-1).content;
  await traced(request, said);
  console.log(JSON.stringify({ ...(request.id && { id: request.id }), content: said }));
}
`;
