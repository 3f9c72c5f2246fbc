import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deepFreeze } from '../../../src/core/data/data.ts';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { readReply } from '../../../src/targets/reply.ts';
import { assertWork } from '../../support/work.ts';

const USER = { role: 'user', content: 'What is the weather, and how far is it?' };
const DONE = { role: 'assistant', content: 'Sunny, and an hour away.' };

const read = (...list: unknown[]) => {
  const { messages, notes, problems } = readMessages(deepFreeze(list));
  assert.deepEqual(problems, []);
  return { messages: messages.map(({ message }) => message), notes };
};

/** Each call as `name → result`, in order. */
function resultsOf(messages: ReturnType<typeof read>['messages']): string[] {
  const results = new Map(
    messages.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.content] as const] : [])),
  );
  return messages.flatMap((one) =>
    one.role === 'assistant'
      ? (one.toolCalls ?? []).map(({ id, name }) => `${name} → ${results.get(id)}`)
      : [],
  );
}

describe('unknown keys of other tools', () => {
  it('are ignored, with one note per key', () => {
    const { messages, notes } = read(
      { type: 'human', content: 'Hi', sent_at: 1 },
      { type: 'ai', content: '', tool_calls: [{ id: 'a', name: 'f', args: {} }] },
      { type: 'tool', tool_call_id: 'a', content: 'x', trace: { run: 1 } },
      { type: 'ai', content: 'Hello', trace: {}, sent_at: 2 },
    );
    assert.equal(messages.length, 4);
    assert.deepEqual(notes, [
      'Message 1, and 1 more: Ignored the unknown key "sent_at".',
      'Message 3, and 1 more: Ignored the unknown key "trace".',
    ]);
  });

  it('are ignored in parts', () => {
    const { messages, notes } = read(
      { role: 'user', parts: [{ type: 'text', content: 'Hi' }] },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'a', name: 'f', arguments: {} }] },
      {
        role: 'user',
        parts: [{ type: 'tool_call_response', id: 'a', name: 'f', result: 'x' }],
      },
      { role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] },
    );
    assert.deepEqual(resultsOf(messages), ['f → x']);
    assert.deepEqual(notes, ['Message 3: Ignored the unknown key "parts.name".']);
  });

  it('are ignored quickly, even if there are thousands', async () => {
    const keys = Array.from({ length: 5_000 }, (_, index) => [`zz${index.toString(36)}`, 1]);
    const many = { ...USER, ...Object.fromEntries(keys) };
    await assertWork(400, () => assert.equal(read(many, DONE).messages.length, 2));
  });

  it('are refused if they are misspelled, since a misspelled key means something', () => {
    const { problems } = readMessages([USER, { ...DONE, tol_calls: [] }]);
    assert.match(problems[0]?.message ?? '', /Did you mean "tool_calls"\?/);
  });

  it('are refused in our own format', () => {
    const { problems } = readMessages([{ user: 'Hi', sent_at: 1 }, { assistant: 'Hello' }]);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['unknown-key'],
    );
  });

  it('are warnings in a file of messages, one per key, at its first occurrence', () => {
    const text = JSON.stringify([
      { ...USER, sent_at: 1 },
      { ...DONE, sent_at: 2 },
    ]);
    const { messages, problems } = loadTranscript(text, '/talk.json');
    assert.equal(messages.length, 2);
    assert.deepEqual(
      problems.map(({ code, severity, message }) => [code, severity, message.slice(0, 35)]),
      [['unknown-key', 'warning', 'Message 1: Unknown key "sent_at". K']],
    );
  });

  it('of a live reply are noted, and the reply is used', () => {
    const { messages, notes } = readReply([
      { type: 'ai', content: '', tool_calls: [{ id: 'a', name: 'f', args: {} }] },
      { type: 'tool', tool_call_id: 'a', content: 'x', trace: {} },
      { type: 'ai', content: 'Hello' },
    ]);
    assert.equal(messages.length, 3);
    assert.deepEqual(notes, ['Ignored the unknown key "trace".']);
  });
});

describe('calls without an id', () => {
  const call = (name: string) => ({ function: { name, arguments: '{}' } });

  it('pair with the results after them, in order', () => {
    const { messages } = read(
      USER,
      { role: 'assistant', content: '', tool_calls: [call('weather'), call('distance')] },
      { role: 'tool', content: '80 degrees' },
      { role: 'tool', content: '1 hour' },
      DONE,
      USER,
      { role: 'assistant', content: '', tool_calls: [call('weather')] },
      { role: 'tool', content: '81 degrees' },
      DONE,
    );
    assert.deepEqual(resultsOf(messages), [
      'weather → 80 degrees',
      'distance → 1 hour',
      'weather → 81 degrees',
    ]);
  });

  it('pair within their message: a late result is not given to an earlier call', () => {
    const { messages } = read(
      USER,
      { role: 'assistant', content: '', tool_calls: [call('weather')] },
      { role: 'assistant', content: '', tool_calls: [call('distance')] },
      { role: 'tool', content: '1 hour' },
      DONE,
    );
    assert.deepEqual(resultsOf(messages), ['weather → undefined', 'distance → 1 hour']);
  });

  for (const [what, list] of [
    [
      'LangChain',
      [
        { type: 'human', content: 'Hi' },
        { type: 'ai', content: '', tool_calls: [{ name: 'f', args: {}, id: null }] },
        { type: 'tool', content: 'x' },
        { type: 'ai', content: 'Hello' },
      ],
    ],
    [
      'OpenTelemetry',
      [
        { role: 'user', parts: [{ type: 'text', content: 'Hi' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', name: 'f', arguments: {} }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', response: 'x' }] },
        { role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] },
      ],
    ],
    [
      'Responses',
      [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', name: 'f', arguments: '{}' },
        { type: 'function_call_output', output: 'x' },
        { role: 'assistant', content: 'Hello' },
      ],
    ],
  ] as const) {
    it(`are read in ${what}`, () => {
      assert.deepEqual(resultsOf(read(...list).messages), ['f → x']);
    });
  }

  it("don't help a result without an id if the calls have ids", () => {
    const named = { id: 'a', ...call('weather') };
    const { problems } = readMessages([
      USER,
      { role: 'assistant', content: '', tool_calls: [named] },
      { role: 'tool', content: 'x' },
    ]);
    assert.deepEqual(
      problems.map(({ code, path }) => [code, path]),
      [['result-without-id', [2]]],
    );
  });
});
