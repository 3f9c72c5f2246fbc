import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deepFreeze } from '../../../src/core/data/data.ts';
import { toOpenaiChat } from '../../../src/messages/openaiChat.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';

const read = (...list: unknown[]) => {
  const { messages, problems } = readMessages(list);
  assert.deepEqual(problems, []);
  return messages.map(({ message }) => message);
};

const USER = { role: 'user', content: 'Hi' };
const ASSISTANT = { role: 'assistant', content: 'Hello' };

describe('OpenAI chat messages', () => {
  it('can have null content next to tool calls, with arguments as JSON text', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x": 1}' } };
    const messages = read(
      USER,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'done', name: 'f' },
      ASSISTANT,
    );
    assert.deepEqual(messages[1], {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'a', name: 'f', arguments: { x: 1 } }],
    });
    assert.deepEqual(messages[2], { role: 'tool', callId: 'a', content: 'done' });
  });

  it("keep arguments that aren't JSON as text", () => {
    const call = { id: 'a', function: { name: 'f', arguments: '{broken' } };
    const [, message] = read(USER, { role: 'assistant', tool_calls: [call] });
    assert.equal(message?.role === 'assistant' && message.toolCalls?.[0]?.arguments, '{broken');
  });

  it('may have content in parts', () => {
    const content = [
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ];
    assert.equal(read({ role: 'user', content }, ASSISTANT)[0]?.content, 'One.\n\nTwo.');
  });

  it('are never changed', () => {
    const list = deepFreeze([USER, { ...ASSISTANT, retrieval_context: ['a'] }]);
    assert.equal(readMessages(list).problems.length, 0);
  });

  it("keep a model's refusal", () => {
    const refused = { role: 'assistant', content: null, refusal: 'I cannot.' };
    assert.equal(read(USER, refused)[1]?.content, 'I cannot.');
  });

  it('survive a round trip', () => {
    const list = [
      { role: 'system', content: 'Be kind.' },
      USER,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'done' },
      ASSISTANT,
    ];
    assert.deepEqual(read(...list).map(toOpenaiChat), list);
  });
});

describe('shorthand messages', () => {
  it('assign a result without an id to the only open call', () => {
    const call = { id: 'a', function: { name: 'f' } };
    const messages = read(
      { user: 'Hi' },
      { assistant: null, tool_calls: [call] },
      { tool: 'done' },
      { assistant: 'Hello' },
    );
    assert.deepEqual(messages[2], { role: 'tool', callId: 'a', content: 'done' });
  });

  it('refuse a result without an id if several calls are open', () => {
    const calls = ['a', 'b'].map((id) => ({ id, function: { name: 'f' } }));
    const { problems } = readMessages([
      { user: 'Hi' },
      { assistant: null, tool_calls: calls },
      { tool: 'done' },
    ]);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['result-without-id'],
    );
  });
});
