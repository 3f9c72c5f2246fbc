import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shorthandOf } from '../../../../src/interop/conversation.ts';
import { traceDataSchema, traceInfoSchema } from '../../../../src/interop/mlflow/api.ts';
import {
  conversationInSession,
  readSpans,
  sortTraces,
} from '../../../../src/interop/mlflow/session.ts';
import {
  chatTrace,
  type FakeSpan,
  type FakeTrace,
  savedSpans,
  storedSpans,
  turnTrace,
} from '../../../support/mlflow/traces.ts';

/** The conversation in a session with the given traces, and the turn of each trace's reply. */
function read(traces: readonly FakeTrace[], wire = storedSpans) {
  const spans = new Map(
    traces.map((one) => [one.id, readSpans(traceDataSchema.parse({ spans: wire(one) }).spans)]),
  );
  const infos = traces.map(({ id }) => traceInfoSchema.parse({ trace_id: id }));
  const talk = conversationInSession(sortTraces({ id: 's', traces: infos }, spans), spans);
  return { ...talk, messages: talk.messages.map(shorthandOf), turns: [...talk.turns.values()] };
}

function trace(...spans: FakeSpan[]): FakeTrace {
  return { id: 'a', session: 's', spans };
}

const SYSTEM = { role: 'system', content: 'Be kind.' };
const asUser = (content: string) => ({ role: 'user', content });
const asAssistant = (content: string) => ({ role: 'assistant', content });
const model = (messages: readonly object[], outputs: unknown): FakeSpan => ({
  type: 'CHAT_MODEL',
  inputs: { messages },
  outputs,
});
const chosen = (message: object) => ({ choices: [{ message }] });

describe('the conversation of an MLflow session', () => {
  for (const [where, wire] of [
    ['the tracking store', storedSpans],
    ['artifacts', savedSpans],
  ] as const) {
    it(`is read from ${where} if each trace repeats the earlier messages`, () => {
      const { messages, turns } = read(
        [
          chatTrace('a', 's', [SYSTEM, asUser('Hi')], 'Hello'),
          chatTrace(
            'b',
            's',
            [SYSTEM, asUser('Hi'), asAssistant('Hello'), asUser('Bye')],
            'See you',
          ),
        ],
        wire,
      );
      const said = [
        { system: 'Be kind.' },
        { user: 'Hi' },
        { assistant: 'Hello' },
        { user: 'Bye' },
      ];
      assert.deepEqual(messages, [...said, { assistant: 'See you' }]);
      assert.deepEqual(turns, [2, 4]);
    });
  }

  it('keeps the instructions once if each trace contains only its own turn', () => {
    const { messages } = read([
      chatTrace('a', 's', [SYSTEM, asUser('Hi')], 'Hello'),
      chatTrace('b', 's', [SYSTEM, asUser('Bye')], 'See you'),
    ]);
    assert.deepEqual(
      messages.map((one) => Object.values(one)[0]),
      ['Be kind.', 'Hi', 'Hello', 'Bye', 'See you'],
    );
  });

  it('joins a trace that repeats only the last messages', () => {
    const { messages } = read([
      chatTrace('a', 's', [SYSTEM, asUser('One')], 'First'),
      chatTrace('b', 's', [SYSTEM, asUser('One'), asAssistant('First'), asUser('Two')], 'Second'),
      chatTrace('c', 's', [SYSTEM, asUser('Two'), asAssistant('Second'), asUser('Three')], 'Third'),
    ]);
    assert.deepEqual(
      messages.map((one) => Object.values(one)[0]),
      ['Be kind.', 'One', 'First', 'Two', 'Second', 'Three', 'Third'],
    );
  });

  it('follows the order of spans if traces began within a millisecond', () => {
    const [first, second] = [
      turnTrace('b', 's', 'One', 'First'),
      turnTrace('a', 's', 'Two', 'Second'),
    ];
    const at = (one: FakeTrace, began: number) => ({ ...one, began });
    const { messages } = read([at(second, 2_000), at(first, 1_000)]);
    assert.deepEqual(
      messages.map((one) => Object.values(one)[0]),
      ['One', 'First', 'Two', 'Second'],
    );
  });

  it('contains repeated words as often as they were said', () => {
    const { messages } = read([
      turnTrace('a', 's', 'Hi', 'Yes?'),
      turnTrace('b', 's', 'Hi', 'Yes?'),
    ]);
    assert.equal(messages.length, 4);
  });

  it('joins logs of one call under different ids, and keeps retrieved texts', () => {
    const calling = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'lookup', arguments: '{}' } }],
    });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'shipped' });
    const first = [asUser('Where?'), calling('x'), result('x')];
    const second = [
      asUser('Where?'),
      calling('y'),
      result('y'),
      asAssistant('Here'),
      asUser('Bye'),
    ];
    const { messages } = read([
      trace(
        { outputs: 'Here' },
        { type: 'RETRIEVER', outputs: ['Two days.'] },
        model(first.slice(0, 1), chosen(calling('x'))),
        model(first, chosen(asAssistant('Here'))),
      ),
      chatTrace('b', 's', second, 'See you'),
    ]);
    assert.deepEqual(
      messages.map((one) => Object.values(one)[0]),
      ['Where?', null, 'shipped', 'Here', 'Bye', 'See you'],
    );
    assert.deepEqual(messages[3]?.retrieval_context, ['Two days.']);
    const { tool_calls: calls } = messages[1] as { tool_calls: { id: string }[] };
    assert.equal(calls[0]?.id, messages[2]?.tool_call_id);
  });

  it('leaves out other requests to models, such as safety checks', () => {
    const { messages } = read([
      trace(
        { inputs: { message: 'Hi' }, outputs: 'Hello' },
        model([asUser('Is "Hi" safe?')], chosen(asAssistant('SAFE'))),
        model([asUser('Hi')], chosen(asAssistant('Hello'))),
      ),
    ]);
    assert.deepEqual(messages, [{ user: 'Hi' }, { assistant: 'Hello' }]);
  });

  it("does not count a framework's span twice", () => {
    const inner = { ...model([asUser('Hi')], chosen(asAssistant('Hello'))), parent: 'outer' };
    const outer = { ...model([asUser('Hi')], chosen(asAssistant('Hello'))), id: 'outer' };
    const { messages } = read([trace({ inputs: {}, outputs: 'Hello' }, outer, inner)]);
    assert.deepEqual(messages, [{ user: 'Hi' }, { assistant: 'Hello' }]);
  });

  it('keeps tool calls with results, retrieved texts, and tools', () => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'lookup', arguments: '{"id":1}' } },
      ],
    };
    const result = { role: 'tool', tool_call_id: 'c', content: 'shipped' };
    const tools = [{ type: 'function', function: { name: 'lookup' } }];
    const { messages, tools: offered } = read([
      trace(
        { inputs: { question: 'Where?' }, outputs: { answer: 'On its way' } },
        { type: 'RETRIEVER', outputs: [{ page_content: 'Two days.' }, { page_content: 'Free.' }] },
        {
          type: 'CHAT_MODEL',
          inputs: { messages: [asUser('Where?')], tools },
          outputs: chosen(call),
        },
        { type: 'TOOL', name: 'lookup', inputs: { id: 1 }, outputs: 'shipped' },
        model([asUser('Where?'), call, result], chosen(asAssistant('On its way'))),
      ),
    ]);
    assert.deepEqual(messages, [
      { user: 'Where?' },
      {
        assistant: null,
        tool_calls: [{ id: 'c', function: { name: 'lookup', arguments: { id: 1 } } }],
      },
      { tool: 'shipped', tool_call_id: 'c' },
      { assistant: 'On its way', retrieval_context: ['Two days.', 'Free.'] },
    ]);
    assert.deepEqual(offered, [{ name: 'lookup' }]);
  });

  it('uses the texts of the function and its tool calls if no model was logged', () => {
    const { messages } = read([
      trace(
        { inputs: { user_input: 'Where?', session_id: 's' }, outputs: { response: 'Here' } },
        { id: 't', type: 'TOOL', name: 'lookup', inputs: { id: 1 }, outputs: { state: 'sent' } },
      ),
    ]);
    assert.deepEqual(messages, [
      { user: 'Where?' },
      {
        assistant: null,
        tool_calls: [{ id: 't', function: { name: 'lookup', arguments: { id: 1 } } }],
      },
      { tool: '{"state":"sent"}', tool_call_id: 't' },
      { assistant: 'Here' },
    ]);
  });

  for (const [what, inputs, outputs] of [
    [
      'Responses',
      { input: [asUser('Hi')], instructions: 'Be kind.' },
      {
        output: [
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
        ],
      },
    ],
    [
      'Anthropic',
      { system: 'Be kind.', messages: [asUser('Hi')] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    ],
    [
      'LangChain',
      [
        [
          { type: 'system', content: 'Be kind.' },
          { type: 'human', content: 'Hi' },
        ],
      ],
      { generations: [[{ message: { type: 'ai', content: 'Hello' } }]] },
    ],
  ] as const) {
    it(`reads what ${what} logs of its models`, () => {
      const { messages } = read([
        trace({ inputs: {}, outputs: 'Hello' }, { type: 'CHAT_MODEL', inputs, outputs }),
      ]);
      assert.deepEqual(messages, [{ system: 'Be kind.' }, { user: 'Hi' }, { assistant: 'Hello' }]);
    });
  }

  for (const [what, one] of [
    ['no spans', trace()],
    ['nothing in them', trace({ inputs: null, outputs: null })],
    [
      'a parent that is its own',
      trace({ id: 'x', parent: 'x', type: 'CHAT_MODEL' }, { id: 'y', parent: 'y', type: 'LLM' }),
    ],
    ['a reply without a question', trace({ outputs: 'Hello' })],
  ] as const) {
    it(`notes a trace with ${what}`, () => {
      const { messages, silent } = read([one]);
      assert.deepEqual([messages, silent], [[], ['a']]);
    });
  }
});
