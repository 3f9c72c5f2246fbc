import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../src/core/conversation.ts';
import { writtenMessages } from '../../../src/evalfile/save/writtenMessages.ts';
import { conversationBlock } from '../../../src/judge/conversationBlock.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { toOpenaiChat } from '../../../src/messages/toOpenaiChat.ts';

const CALL = { id: 'c', type: 'function', function: { name: 'refund', arguments: '{"order":7}' } };
const RESULT = { tool: 'done', tool_call_id: 'c' };

const HANDED = [
  { user: 'Refund order 7.' },
  { assistant: 'One moment.', agent: 'triage' },
  { assistant: null, tool_calls: [CALL], agent: 'refunds' },
  RESULT,
  { assistant: 'It is refunded.', agent: 'refunds' },
];

function read(list: readonly unknown[]) {
  const { messages, problems } = readMessages(list);
  assert.deepEqual(problems, []);
  return messages;
}

describe('messages of several agents', () => {
  const conversation = toConversation(read(HANDED));

  it('keep the name of each on what it says and calls', () => {
    const [, turn] = conversation.entries;
    assert.deepEqual(turn?.kind === 'turn' && turn.items, [
      { kind: 'text', text: 'One moment.', agent: 'triage' },
      {
        kind: 'tool-call',
        call: { id: 'c', name: 'refund', arguments: { order: 7 } },
        result: 'done',
        agent: 'refunds',
      },
      { kind: 'text', text: 'It is refunded.', agent: 'refunds' },
    ]);
  });

  it('are written as they were read', () => {
    assert.deepEqual(writtenMessages(conversation), HANDED);
  });

  it('go to targets with the names', () => {
    const given = read(HANDED).map(({ message }) => toOpenaiChat(message));
    assert.deepEqual(
      given.map(({ agent }) => agent),
      [undefined, 'triage', 'refunds', undefined, 'refunds'],
    );
  });

  it('show judges the same as without the names', () => {
    const nameless = toConversation(
      read(HANDED.map(({ agent: _, ...rest }: object & { agent?: string }) => rest)),
    );
    assert.equal(conversationBlock(conversation), conversationBlock(nameless));
  });

  it('have the name where other formats put it', () => {
    const user = { role: 'user', content: 'Hi' };
    const nameOf = (message: object) => {
      const said = read([user, message])[1]?.message;
      return said?.role === 'assistant' && said.agent;
    };
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', agent: 'triage' }), 'triage');
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', name: 'triage' }), 'triage');
    assert.equal(nameOf({ type: 'ai', content: 'Hello', name: 'triage' }), 'triage');
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', name: null }), undefined);
  });

  it('are refused where the name is none', () => {
    const { problems } = readMessages([{ user: 'Hi' }, { assistant: 'Hello', agent: 7 }]);
    assert.equal(problems.length, 1);
    assert.deepEqual(problems[0]?.path, [1, 'agent']);
  });
});
