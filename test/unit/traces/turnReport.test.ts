import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { toConversation, turnsOf as turnsOfConversation } from '../../../src/core/conversation.ts';
import { mergeCalls } from '../../../src/targets/tracedSession.ts';
import { byStart, type Span, spansIn } from '../../../src/traces/spans.ts';
import { reportOf } from '../../../src/traces/turnReport.ts';
import { handoffs } from '../../frameworks/handoffs.ts';
import {
  conventions,
  exportRequest,
  REQUEST_USAGE,
  type ScriptedTurn,
  scriptedSpans,
  type WireSpan,
} from '../../support/scriptedSpans.ts';
import { assertWork } from '../../support/work.ts';

const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const TURN: ScriptedTurn = {
  user: 'Where are orders 7 and 8?',
  agent: 'shop',
  calls: [
    { id: 'c1', name: 'find_order', arguments: { id: 7 }, result: '{"status":"sent"}', took: 40 },
    { id: 'c2', name: 'find_order', arguments: { id: 8 }, result: 'none', took: 25 },
  ],
  text: 'Order 7 was sent, and there is no order 8.',
  firstToken: 120,
};

function reported(spans: readonly WireSpan[]) {
  return reportOf(spansIn(exportRequest(spans), 0));
}

function scripted(convention: string, turn = TURN) {
  return scriptedSpans(convention, turn, TRACEPARENT, 1_000_000);
}

describe('The spans of a turn', () => {
  for (const convention of Object.keys(conventions)) {
    it(`report its calls, agent, usage, and times by the convention ${convention}`, () => {
      const { calls, agent, usage, firstToken, fault } = reported(scripted(convention));
      assert.equal(fault, undefined);
      assert.deepEqual(
        calls.map(({ id: _, latency = 0, ...call }) => ({ ...call, took: Math.round(latency) })),
        TURN.calls.map(({ id: _, ...call }) => ({ ...call, agent: 'shop' })),
      );
      assert.equal(agent, 'shop');
      assert.equal(usage?.input_tokens, 2 * REQUEST_USAGE.input);
      assert.equal(usage?.output_tokens, 2 * REQUEST_USAGE.output);
      // After the tools, which start after 1 ms.
      assert.equal(Math.round(firstToken ?? 0), 1 + 40 + 25 + TURN.firstToken);
    });
  }

  it('report thousands of calls that two spans report differently', async () => {
    const span = {
      line: 0,
      trace: 'a'.repeat(32),
      parent: '',
      isServer: false,
      start: '1',
      end: '2',
    };
    const names = Array.from({ length: 1_000 }, (_, index) => `tool_${index}`);
    const calls = names.map((name) => ({
      type: 'tool_call',
      id: `m_${name}`,
      name,
      arguments: {},
    }));
    const messages = [{ role: 'assistant', parts: calls }];
    const model = { 'gen_ai.output.messages': JSON.stringify(messages) };
    const attributes = names.map((name) => ({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': `other_${name}`,
      'gen_ai.tool.call.id': name,
      'gen_ai.tool.call.arguments': '{}',
    }));
    const spans = [...attributes, model].map((own, index): Span => {
      return { ...span, id: `${index}`, name: 'span', attributes: own, events: [], dropped: 0 };
    });
    await assertWork(200, () => assert.equal(reportOf(spans).calls.length, 2_000));
  });

  for (const [framework, handoff] of Object.entries(handoffs)) {
    it(`report its calls, as recorded from ${framework}`, () => {
      const turns = turnsOf(framework);
      const calls = turns.map((spans) =>
        reportOf(spans).calls.map(({ name, arguments: given }) => ({ name, arguments: given })),
      );
      assert.deepEqual(calls, [
        [
          { name: 'find_order', arguments: { order: '98765' } },
          { name: 'check_stock', arguments: { item: 'lamp' } },
          { name: 'check_stock', arguments: { item: 'shade' } },
        ],
        [
          { name: handoff.name, arguments: handoff.arguments },
          { name: 'refund', arguments: { item: 'lamp' } },
          { name: 'refund', arguments: { item: 'shade' } },
        ],
        [],
      ]);
      for (const spans of turns) {
        const { fault, usage } = reportOf(spans);
        assert.equal(fault, undefined);
        assert.ok(usage && usage.output_tokens > 0);
      }
      const results = turns.flatMap((spans) => reportOf(spans).calls.map(({ result }) => result));
      assert.deepEqual(JSON.parse(results[1] ?? ''), { stock: 7 });
    });
  }

  it('report agents that are asked by a tool', () => {
    for (const framework of ['pydantic-ai', 'ai-sdk']) {
      const { calls } = reportOf(turnsOf(framework)[1] ?? []);
      assert.deepEqual(
        calls.map(({ agent, within }) => [agent, within]),
        [
          ['triage', undefined],
          ['refunds', 'call_4'],
          ['refunds', 'call_4'],
        ],
      );
      const reply = mergeCalls(calls, [{ role: 'assistant', content: 'Done.', agent: 'triage' }]);
      const messages = [{ role: 'user' as const, content: 'Hi' }, ...reply];
      const [, turn] = turnsOfConversation(
        toConversation(messages.map((message) => ({ message }))),
      );
      // Asking an agent isn't a handoff.
      assert.deepEqual(
        turn?.items.map(({ kind }) => kind),
        ['tool-call', 'tool-call', 'tool-call', 'text'],
      );
    }
  });

  it('report calls that only tools show, or only models', () => {
    const spans = scripted('GenAI, messages in attributes');
    const isTool = ({ name }: WireSpan) => name.startsWith('execute_tool');
    const isRequest = ({ name }: WireSpan) => name.startsWith('chat');
    for (const kept of [isTool, isRequest]) {
      const own = spans.filter((span) => kept(span) || !(isTool(span) || isRequest(span)));
      assert.deepEqual(
        reported(own).calls.map(({ name, arguments: given }) => [name, given]),
        TURN.calls.map(({ name, arguments: given }) => [name, given]),
      );
    }
  });

  it('report a call once if nested spans of its tool repeat it', () => {
    const spans = scripted('GenAI, messages in attributes');
    const tools = spans.filter(({ name }) => name.startsWith('execute_tool'));
    const again = tools.map((span) => ({
      ...span,
      spanId: span.spanId.replace(/^./, 'f'),
      parentSpanId: span.spanId,
    }));
    assert.equal(reported([...spans, ...again]).calls.length, 2);
  });

  it('report what was retrieved', () => {
    const [first] = scripted('OpenInference');
    assert.ok(first);
    const attributes = [
      { key: 'openinference.span.kind', value: { stringValue: 'RETRIEVER' } },
      { key: 'retrieval.documents.0.document.content', value: { stringValue: 'Rule 1' } },
      { key: 'retrieval.documents.1.document.content', value: { stringValue: 'Rule 2' } },
    ];
    const { retrieved, reports } = reported([{ ...first, attributes }]);
    assert.deepEqual(retrieved, ['Rule 1', 'Rule 2']);
    assert.ok(reports.includes('context'));
  });

  it('do not report tool calls if they are only about HTTP', () => {
    const server = scripted('OpenInference').at(-1);
    assert.ok(server);
    assert.deepEqual(reported([server]).reports, []);
  });

  it('have a fault if a model calls a tool that they do not show', () => {
    const spans = scripted('GenAI, messages in attributes');
    const silent = spans
      .filter(({ name }) => !name.startsWith('execute_tool'))
      .map((span) => ({
        ...span,
        attributes: span.attributes.filter(
          (one) => !('key' in one && String(one.key).endsWith('.messages')),
        ),
      }));
    assert.match(reported(silent).fault ?? '', /ends with a tool call, but no span shows the call/);
    assert.equal(reported(silent).usage, undefined);
  });

  it('have a fault if a tool hides its arguments', () => {
    const tool = scripted('GenAI, messages in attributes').find(({ name }) => /execute/.test(name));
    assert.ok(tool);
    const attributes = tool.attributes.filter(
      (one) => !('key' in one && String(one.key).endsWith('.arguments')),
    );
    const { fault } = reported([{ ...tool, attributes }]);
    assert.match(fault ?? '', /"find_order" doesn't show its arguments/);
  });

  it('have a fault if the exporter left out attributes of a tool', () => {
    const spans = scripted('GenAI, messages in attributes');
    const cut = spans.map((span) => ({ ...span, droppedAttributesCount: 1 }));
    assert.match(reported(cut).fault ?? '', /left out attributes or events/);
  });
});

/** A recording's spans, by turn. */
function turnsOf(framework: string): Span[][] {
  const file = join(import.meta.dirname, '../../frameworks', framework, 'traces.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const spans = lines.flatMap((line) => spansIn(JSON.parse(line), 0)).sort(byStart);
  const traces = [...new Set(spans.map(({ trace }) => trace))];
  // OpenAI's client instrumentation has one trace per request.
  const perTurn = framework === 'openai-agents-js' ? [3, 3, 1] : [1, 1, 1];
  return perTurn.map((count) => {
    const own = traces.splice(0, count);
    return spans.filter(({ trace }) => own.includes(trace));
  });
}
