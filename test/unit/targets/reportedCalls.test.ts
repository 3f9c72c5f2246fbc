import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../../../src/core/message.ts';
import { readUsage } from '../../../src/targets/reply.ts';
import {
  isReportedCall,
  prependCalls,
  readReportedCalls,
} from '../../../src/targets/reportedCalls.ts';

/** Each call as `name arguments → result`. */
function shown(messages: readonly Message[]): string[] {
  const results = new Map(
    messages.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.content] as const] : [])),
  );
  return messages.flatMap((one) =>
    (one.role === 'assistant' ? (one.toolCalls ?? []) : []).map(
      ({ id, name, arguments: given }) => {
        const result = results.get(id);
        return `${name} ${JSON.stringify(given)}${result === undefined ? '' : ` → ${result}`}`;
      },
    ),
  );
}

const readAs = (value: unknown) => {
  const { messages, problem } = readReportedCalls(value, 1);
  assert.equal(problem, undefined);
  return shown(messages);
};

const OPENAI = { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"id":7}' } };
const REFUND = 'refund {"id":7}';

describe('reported tool calls', () => {
  for (const [whose, value, expected] of [
    ['of OpenAI', [OPENAI], [REFUND]],
    ['that are a single call', OPENAI, [REFUND]],
    ['of none', [], []],
    ['that are left out', undefined, []],
    ['that are null', null, []],
    [
      'of Ollama, with arguments that are not text',
      [{ function: { name: 'refund', arguments: { id: 7 } } }],
      [REFUND],
    ],
    ['without an id', [{ name: 'refund', arguments: { id: 7 } }], [REFUND]],
    ['without arguments', [{ name: 'refund' }], ['refund {}']],
    ['of LangChain', [{ type: 'tool_call', id: 'a', name: 'refund', args: { id: 7 } }], [REFUND]],
    ['of Anthropic', [{ type: 'tool_use', id: 'a', name: 'refund', input: { id: 7 } }], [REFUND]],
    [
      'of the AI SDK',
      [
        { type: 'tool-call', toolCallId: 'a', toolName: 'refund', input: { id: 7 } },
        { type: 'tool-result', toolCallId: 'a', toolName: 'refund', output: 'ok' },
      ],
      [`${REFUND} → ok`],
    ],
    [
      'of DeepEval',
      [{ name: 'refund', input_parameters: { id: 7 }, output: 'ok' }],
      [`${REFUND} → ok`],
    ],
    [
      'of Responses',
      [
        { type: 'function_call', call_id: 'a', id: 'fc', name: 'refund', arguments: '{"id":7}' },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
      ],
      [`${REFUND} → ok`],
    ],
    [
      'of ADK',
      [
        { type: 'function_call', id: 'a', name: 'refund', args: { id: 7 } },
        { type: 'function_response', id: 'a', name: 'refund', response: { ok: true } },
      ],
      [`${REFUND} → {"ok":true}`],
    ],
    [
      'with their results',
      [{ name: 'refund', arguments: { id: 7 }, result: { ok: true } }],
      [`${REFUND} → {"ok":true}`],
    ],
    [
      'in parallel, with results in order',
      [
        { name: 'a', args: {} },
        { name: 'b', args: {} },
        { name: 'b', result: '2' },
        { name: 'a', result: '1' },
      ],
      ['a {} → 1', 'b {} → 2'],
    ],
    [
      'made twice',
      [
        { name: 'a', args: {} },
        { name: 'a', args: {} },
      ],
      ['a {}', 'a {}'],
    ],
    ['reported twice', [OPENAI, { ...OPENAI, result: 'ok' }], [`${REFUND} → ok`]],
    ['with unknown keys', [{ name: 'refund', arguments: { id: 7 }, took_ms: 3 }], [REFUND]],
    [
      'in messages, only those of this reply,',
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [{ ...OPENAI, id: 'c0' }] },
        { role: 'tool', tool_call_id: 'c0', content: 'no' },
        { role: 'user', content: 'Again' },
        { role: 'assistant', content: 'One moment', tool_calls: [OPENAI] },
        { role: 'tool', tool_call_id: 'c1', content: 'ok' },
      ],
      [`${REFUND} → ok`],
    ],
  ] as const) {
    it(`${whose} are read`, () => {
      assert.deepEqual(readAs(value), expected);
    });
  }

  for (const value of [
    'refund',
    [7],
    [{ arguments: {} }],
    [{ name: '' }],
    [{ function: 'refund' }],
  ]) {
    it(`cannot be ${JSON.stringify(value)}`, () => {
      assert.match(readReportedCalls(value, 1).problem ?? '', /list of tool calls/);
    });
  }

  it('omit a result without a call, with a note, and never read it as a call', () => {
    const { messages, notes } = readReportedCalls(
      [{ type: 'function_response', id: 'x', name: 'refund', response: {} }],
      1,
    );
    assert.deepEqual(messages, []);
    assert.match(notes.join(), /refund/);
  });

  it('count once if the reply also contains them', () => {
    const { messages } = readReportedCalls([OPENAI, { name: 'look_up', args: {} }], 1);
    const own: Message[] = [
      {
        role: 'assistant',
        content: 'Done.',
        toolCalls: [{ id: 'x', name: 'refund', arguments: { id: 7 } }],
      },
    ];
    assert.deepEqual(shown(prependCalls(messages, own)), ['look_up {}', REFUND]);
  });

  it('without ids get different ids in each reply', () => {
    const ids = [1, 2].flatMap((reply) =>
      readReportedCalls([{ name: 'a' }], reply).messages.flatMap((one) =>
        one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : [],
      ),
    );
    assert.equal(new Set(ids).size, 2);
  });

  it('have a maximum number', () => {
    const many = Array.from({ length: 10_001 }, () => ({ name: 'a' }));
    assert.match(readReportedCalls(many, 1).problem ?? '', /10,001/);
  });

  for (const value of [
    { city: 'Rome' },
    { name: 'Rome', id: 7 },
    { name: 'Rome', arguments: {}, region: 'Lazio' },
    { function: 'sine' },
    'refund',
  ]) {
    it(`are not taken from data such as ${JSON.stringify(value)}`, () => {
      assert.equal(isReportedCall(value), false);
    });
  }
});

describe('reported usage', () => {
  for (const [whose, value, expected] of [
    ['ours', { input_tokens: 10, output_tokens: 5, cost: 0.1 }, [10, 5, 0, 0.1]],
    [
      "OpenAI's",
      { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
      [10, 5, 4, null],
    ],
    [
      "Anthropic's",
      { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 90 },
      [100, 5, 90, null],
    ],
    ["the AI SDK's", { inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 }, [10, 5, 4, null]],
    ["Gemini's", { promptTokenCount: 10, candidatesTokenCount: 5 }, [10, 5, 0, null]],
    ['only a cost', { cost: 0.1 }, [0, 0, 0, 0.1]],
  ] as const) {
    it(`is read if it is ${whose}`, () => {
      const { input_tokens, output_tokens, cached_tokens, cost } =
        readUsage(value) ?? assert.fail();
      assert.deepEqual([input_tokens, output_tokens, cached_tokens, cost], expected);
    });
  }

  for (const value of [
    null,
    7,
    {},
    { input_tokens: 10 },
    { input_tokens: -1, output_tokens: 5 },
    { input_tokens: '10', output_tokens: 5 },
    { input_tokens: 0.5, output_tokens: 1 },
  ]) {
    it(`is unknown in ${JSON.stringify(value)}, because incomplete usage would pass any limit`, () => {
      assert.equal(readUsage(value), undefined);
    });
  }
});
