import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Attributes, context, type Span, trace } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { imported, jsonLines } from '../../support/imports.ts';
import { growth } from '../../support/work.ts';

/** Spans as OTLP JSON, exported by the real OpenTelemetry SDK. */
async function exported(write: (start: StartSpan) => void): Promise<string> {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('test');
  write((name, attributes, parent) => {
    const around = parent ? trace.setSpan(context.active(), parent) : context.active();
    const span = tracer.startSpan(name, { attributes }, around);
    span.end();
    return span;
  });
  await provider.forceFlush();
  const bytes = JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans());
  return new TextDecoder().decode(bytes);
}

type StartSpan = (name: string, attributes: Attributes, parent?: Span) => Span;

const text = (content: string) => [{ type: 'text', content }];
const json = (value: unknown) => JSON.stringify(value);

describe('OpenTelemetry traces', () => {
  it('become one case per session, as exported by the real SDK', async () => {
    const call = { type: 'tool_call', id: 'c1', name: 'find_order', arguments: { number: 7 } };
    const first = { role: 'user', parts: text('Where is order 7?') };
    const asked = { role: 'assistant', parts: [call], finish_reason: 'tool_call' };
    const found = {
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'c1', response: { status: 'shipped' } }],
    };
    const told = { role: 'assistant', parts: text('It was shipped.'), finish_reason: 'stop' };
    const thanks = { role: 'user', parts: text('Thanks!') };
    const bye = { role: 'assistant', parts: text('You are welcome.'), finish_reason: 'stop' };
    const otlp = await exported((start) => {
      const chat = (session: string, input: object[], output: object, parent?: Span) =>
        start(
          'chat gpt-5-mini',
          {
            'gen_ai.operation.name': 'chat',
            'gen_ai.conversation.id': session,
            'gen_ai.system_instructions': json(text('Be kind.')),
            'gen_ai.tool.definitions': json([{ type: 'function', name: 'find_order' }]),
            'gen_ai.input.messages': json(input),
            'gen_ai.output.messages': json([output]),
          },
          parent,
        );
      // The agent's own span repeats the messages of its requests.
      const agent = start('invoke_agent shop', {
        'gen_ai.conversation.id': 'shop-1',
        'gen_ai.input.messages': json([first]),
        'gen_ai.output.messages': json([told]),
      });
      chat('shop-1', [first], asked, agent);
      chat('shop-1', [first, asked, found], told, agent);
      chat('other', [{ role: 'user', parts: text('Hi') }], bye);
      chat('shop-1', [first, asked, found, told, thanks], bye);
    });
    const { importer, cases, broken, lost } = await imported('traces.json', otlp);
    assert.equal(importer, 'OpenTelemetry traces');
    assert.deepEqual([broken, lost], [[], []]);
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['shop-1', 'other'],
    );
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'Where is order 7?' },
      {
        assistant: null,
        tool_calls: [{ id: 'c1', function: { name: 'find_order', arguments: { number: 7 } } }],
      },
      { tool: '{"status":"shipped"}', tool_call_id: 'c1' },
      { assistant: 'It was shipped.' },
      { user: 'Thanks!' },
      { assistant: 'You are welcome.' },
    ]);
    assert.deepEqual(cases[0].tools, [{ name: 'find_order' }]);
    assert.deepEqual(cases[0].assert, [
      { type: 'no-repeat' },
      { type: 'tool-sequence', tools: ['find_order'] },
    ]);
  });

  it('are joined if each request has only new messages, also by `session.id`', async () => {
    const otlp = await exported((start) => {
      for (const [question, answer] of [
        ['One?', 'One.'],
        ['Two?', 'Two.'],
      ] as const) {
        start('chat', {
          'session.id': 's',
          'gen_ai.system_instructions': json(text('Be kind.')),
          'gen_ai.input.messages': json([{ role: 'user', parts: text(question) }]),
          'gen_ai.output.messages': json([{ role: 'assistant', parts: text(answer) }]),
        });
      }
    });
    const { cases } = await imported('traces.json', otlp);
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'One?' },
      { assistant: 'One.' },
      { user: 'Two?' },
      { assistant: 'Two.' },
    ]);
  });

  it('of OpenInference contain messages and retrieved texts in flat attributes', async () => {
    const otlp = await exported((start) => {
      const chain = start('chain', { 'session.id': 's', 'openinference.span.kind': 'CHAIN' });
      start(
        'retrieve',
        {
          'retrieval.documents.0.document.content': 'Orders ship within two days.',
          'retrieval.documents.1.document.content': 'Returns are free.',
        },
        chain,
      );
      const message = 'message';
      start(
        'llm',
        {
          'openinference.span.kind': 'LLM',
          'llm.input_messages.0.message.role': 'system',
          'llm.input_messages.0.message.content': 'Be kind.',
          'llm.input_messages.1.message.role': 'user',
          'llm.input_messages.1.message.contents.0.message_content.type': 'text',
          'llm.input_messages.1.message.contents.0.message_content.text': 'When?',
          'llm.input_messages.1.message.contents.1.message_content.type': 'image',
          'llm.input_messages.2.message.role': 'assistant',
          [`llm.input_messages.2.${message}.tool_calls.0.tool_call.id`]: 'c',
          [`llm.input_messages.2.${message}.tool_calls.0.tool_call.function.name`]: 'find',
          [`llm.input_messages.2.${message}.tool_calls.0.tool_call.function.arguments`]: '{"n":1}',
          'llm.input_messages.3.message.role': 'tool',
          'llm.input_messages.3.message.content': 'found',
          'llm.input_messages.3.message.tool_call_id': 'c',
          'llm.output_messages.0.message.role': 'assistant',
          'llm.output_messages.0.message.content': 'Tomorrow.',
          'llm.tools.0.tool.json_schema': json({ type: 'function', function: { name: 'find' } }),
        },
        chain,
      );
    });
    const { cases, broken } = await imported('traces.json', otlp);
    assert.deepEqual(broken, []);
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'When?\n\n[image: not shown]' },
      {
        assistant: null,
        tool_calls: [{ id: 'c', function: { name: 'find', arguments: { n: 1 } } }],
      },
      { tool: 'found', tool_call_id: 'c' },
      {
        assistant: 'Tomorrow.',
        retrieval_context: ['Orders ship within two days.', 'Returns are free.'],
      },
    ]);
    assert.deepEqual(cases[0].tools, [{ name: 'find' }]);
  });

  it('of OpenLLMetry contain numbered prompts and completions', async () => {
    const otlp = await exported((start) => {
      const more = Object.fromEntries(
        Array.from({ length: 11 }, (_one, index) => [
          [`gen_ai.prompt.${index}.role`, index % 2 === 0 ? 'user' : 'assistant'],
          [`gen_ai.prompt.${index}.content`, `Line ${index}`],
        ]).flat(),
      );
      start('openai.chat', {
        'traceloop.association.properties.session_id': 'chat 9',
        ...more,
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.tool_calls.0.id': 'c',
        'gen_ai.completion.0.tool_calls.0.name': 'find',
        'gen_ai.completion.0.tool_calls.0.arguments': '{}',
        'llm.request.functions.0.name': 'find',
        'llm.request.functions.0.description': 'Finds.',
      });
    });
    const { cases } = await imported('traces.json', otlp);
    assert.equal(cases[0].id, 'chat-9');
    assert.deepEqual(cases[0].transcript.slice(9), [
      { assistant: 'Line 9' },
      { user: 'Line 10' },
      { assistant: null, tool_calls: [{ id: 'c', function: { name: 'find', arguments: {} } }] },
    ]);
    assert.deepEqual(cases[0].tools, [{ name: 'find', description: 'Finds.' }]);
  });

  it('can have one document per line, as a collector writes them', async () => {
    const lines = await Promise.all(
      ['One', 'Two'].map((word) =>
        exported((start) =>
          start('chat', {
            'gen_ai.conversation.id': word,
            'gen_ai.input.messages': json([{ role: 'user', parts: text(word) }]),
            'gen_ai.output.messages': json([{ role: 'assistant', parts: text('Yes.') }]),
          }),
        ),
      ),
    );
    for (const name of ['traces.jsonl', 'traces.json']) {
      const { cases } = await imported(name, lines.join('\n'));
      assert.deepEqual(
        cases.map(({ id }) => id),
        ['One', 'Two'],
      );
    }
  });

  it('are read in linear time, even if nested thousands deep', async () => {
    const nested = (count: number) =>
      json({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: Array.from({ length: count }, (_, index) => ({
                  traceId: 'a',
                  spanId: `${index + 1}`,
                  parentSpanId: index === 0 ? '' : `${index}`,
                  name: 'step',
                })),
              },
            ],
          },
        ],
      });
    const times = await growth((count) => imported('traces.json', nested(count)), 1_000);
    assert.ok(times < 8, `${times} times as much for four times as many`);
  });

  it('explain how to capture messages if there are none', async () => {
    const otlp = await exported((start) => start('chat', { 'gen_ai.operation.name': 'chat' }));
    const { broken, texts } = await imported('traces.json', otlp);
    assert.deepEqual(texts, []);
    assert.match(
      broken[0] ?? '',
      /None of the 1 spans contains messages\..*CAPTURE_MESSAGE_CONTENT/,
    );
  });

  it('lose only a broken span, and name it', async () => {
    const otlp = await exported((start) => {
      start('good', {
        'session.id': 's',
        'gen_ai.input.messages': json([{ role: 'user', parts: text('Hi') }]),
        'gen_ai.output.messages': json([{ role: 'assistant', parts: text('Hello') }]),
      });
      start('bad', {
        'session.id': 's',
        'gen_ai.input.messages': json([{ role: 'user', parts: [{ type: 'hologram' }] }]),
        'gen_ai.output.messages': json([{ role: 'assistant', parts: text('Hello') }]),
      });
    });
    const { cases, broken } = await imported('traces.json', otlp);
    assert.equal(cases.length, 1);
    assert.match(broken[0] ?? '', /^1 The span "bad" was left out\. Message 1/);
  });

  it('of older conventions contain messages in events', async () => {
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const event = (name: string, ...attributes: object[]) => ({ name, attributes });
    const span = {
      traceId: 't',
      spanId: 'a',
      name: 'chat',
      startTimeUnixNano: '1',
      attributes: [attribute('gen_ai.conversation.id', 'old')],
      events: [
        event('gen_ai.system.message', attribute('content', 'Be kind.')),
        event('gen_ai.user.message', attribute('content', 'Hi')),
        event('gen_ai.choice', attribute('message', json({ content: 'Hello' }))),
      ],
    };
    const { cases } = await imported(
      'traces.jsonl',
      jsonLines({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    );
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'Hi' },
      { assistant: 'Hello' },
    ]);
  });
});
