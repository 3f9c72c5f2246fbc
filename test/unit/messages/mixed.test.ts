import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addMissingHandoffs, agentOf, toConversation } from '../../../src/core/conversation.ts';
import { writtenMessages } from '../../../src/evalfile/savedCase.ts';
import { toOpenaiChat } from '../../../src/messages/openaiChat.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { canonical, notesOf, placesIn } from '../../support/dialects.ts';

describe('messages of several dialects in one list', () => {
  it("answer each other's calls", () => {
    const messages = canonical([
      { user: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { type: 'function_call', call_id: 'b', name: 'g' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'tool_result', tool_result: 'two' }] },
      { assistant: 'Done.', tool_calls: [{ id: 'c', function: { name: 'h' } }] },
      { tool: 'three' },
    ]);
    assert.deepEqual(
      messages.map(({ role, content }) => `${role} ${content}`.trim()),
      [
        'user Hi',
        'assistant',
        'tool one',
        'assistant',
        'tool two',
        'assistant Done.',
        'tool three',
      ],
    );
  });

  it('are reported if one message mixes them', () => {
    const text =
      '- user: Hi\n- role: assistant\n  content:\n    - {type: tool_use, id: a, name: f}\n    - {type: tool_call, tool_call_id: b, name: g}\n- assistant: x';
    const [place] = placesIn(text);
    assert.match(place ?? '', /^4:14 unknown-part|^5:14 unknown-part/);
    assert.equal(placesIn(text).length, 1);
  });

  it('report a mistake once, without problems that depend on an unreadable message', () => {
    const text = '- user: Hi\n- {asistant: x, tool_calls: []}\n- {tool: y}\n- assistant: x';
    assert.deepEqual(placesIn(text), ['2:4 unknown-key']);
  });

  it('may start a streamed call with an empty message', () => {
    const list = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: '' },
      { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ];
    assert.deepEqual(notesOf(list), ['Message 2: An empty message before a tool call.']);
    const { problems } = readMessages([...list.slice(0, 2), { role: 'assistant', content: 'Hi' }]);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['empty-content'],
    );
  });

  it('name the list to use if it is nested in something else', () => {
    const user = [{ role: 'user', content: 'Hi' }];
    for (const [given, hint] of [
      [{ messages: user }, /under `messages`\. Keep only the list/],
      [{ input: user, output: user }, /under `input` and `output`/],
    ] as const) {
      assert.match(readMessages(given).problems[0]?.message ?? '', hint);
      assert.match(readMessages([given]).problems[0]?.message ?? '', hint);
    }
  });

  it('mean the same in every dialect, and after conversion to OpenAI chat', () => {
    const call = { id: 'a', name: 'find', arguments: { number: 7 } };
    const toolCalls = [{ id: 'a', function: { name: 'find', arguments: '{"number":7}' } }];
    const input = { toolCallId: 'a', toolName: 'find', input: { number: 7 } };
    const text = (content: string) => [{ type: 'text', content }];
    const dialects = {
      shorthand: [
        { user: 'Where?' },
        { assistant: 'Let me look.', tool_calls: toolCalls },
        { tool: 'Shipped' },
        { assistant: 'It was shipped.' },
      ],
      'AI SDK UIMessage': [
        { id: '1', role: 'user', parts: [{ type: 'text', text: 'Where?' }] },
        {
          id: '2',
          role: 'assistant',
          parts: [
            { type: 'text', text: 'Let me look.' },
            { type: 'dynamic-tool', state: 'output-available', output: 'Shipped', ...input },
            { type: 'text', text: 'It was shipped.' },
          ],
        },
      ],
      'AI SDK ModelMessage': [
        { role: 'user', content: 'Where?' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool-call', ...input },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'a', output: { type: 'text', value: 'Shipped' } },
          ],
        },
        { role: 'assistant', content: 'It was shipped.' },
      ],
      LangChain: [
        { type: 'human', content: 'Where?' },
        {
          type: 'ai',
          content: 'Let me look.',
          tool_calls: [{ id: 'a', name: 'find', args: { number: 7 } }],
        },
        { type: 'tool', content: 'Shipped', tool_call_id: 'a' },
        { type: 'ai', content: 'It was shipped.' },
      ],
      'OpenTelemetry GenAI': [
        { role: 'user', parts: text('Where?') },
        { role: 'assistant', parts: [...text('Let me look.'), { type: 'tool_call', ...call }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: 'Shipped' }] },
        { role: 'assistant', parts: text('It was shipped.') },
      ],
    };
    const expected = [
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: 'Let me look.', toolCalls: [call] },
      { role: 'tool', callId: 'a', content: 'Shipped' },
      { role: 'assistant', content: 'It was shipped.' },
    ];
    for (const [name, list] of Object.entries(dialects)) {
      const messages = canonical(list);
      assert.deepEqual(messages, expected, name);
      assert.deepEqual(canonical(messages.map(toOpenaiChat)), expected, name);
    }
  });
});

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

  it("keep each agent's name with its texts and calls", () => {
    const [, turn] = conversation.entries;
    assert.deepEqual(turn?.kind === 'turn' && turn.items, [
      { kind: 'text', text: 'One moment.', agent: 'triage' },
      { kind: 'handoff', from: 'triage', to: 'refunds' },
      {
        kind: 'tool-call',
        call: { id: 'c', name: 'refund', arguments: { order: 7 } },
        result: 'done',
        agent: 'refunds',
      },
      { kind: 'text', text: 'It is refunded.', agent: 'refunds' },
    ]);
  });

  it('survive a round trip', () => {
    assert.deepEqual(writtenMessages(conversation), HANDED);
  });

  it('reach targets with the names', () => {
    const given = read(HANDED).map(({ message }) => toOpenaiChat(message));
    assert.deepEqual(
      given.map(({ agent }) => agent),
      [undefined, 'triage', 'refunds', undefined, 'refunds'],
    );
  });

  it('have the same hash with and without handoffs, which earlier versions lack', () => {
    const entries = conversation.entries.map((entry) =>
      entry.kind === 'turn'
        ? { ...entry, items: entry.items.filter(({ kind }) => kind !== 'handoff') }
        : entry,
    );
    const earlier = { ...conversation, entries };
    assert.notDeepEqual(earlier, conversation);
    assert.equal(conversationHash(earlier), conversationHash(conversation));
    assert.deepEqual(addMissingHandoffs(earlier), conversation);
  });

  it('may name the agent of each call', () => {
    const calls = [{ ...CALL, agent: 'refunds' }];
    const [, message] = read([{ user: 'Hi' }, { assistant: 'So.', tool_calls: calls, agent: 'a' }]);
    assert.ok(message);
    const [turn] = toConversation([message]).entries;
    assert.deepEqual(turn?.kind === 'turn' && turn.items.map(agentOf), ['a', undefined, 'refunds']);
    assert.deepEqual(read([{ user: 'Hi' }, toOpenaiChat(message.message)])[1], message);
  });

  it('may have the name where other formats put it', () => {
    const user = { role: 'user', content: 'Hi' };
    const nameOf = (message: object) => {
      const said = read([user, message])[1]?.message;
      return said?.role === 'assistant' && said.agent;
    };
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', agent: 'triage' }), 'triage');
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', name: 'triage' }), 'triage');
    assert.equal(nameOf({ type: 'ai', content: 'Hello', name: 'triage' }), 'triage');
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', name: null }), undefined);
    assert.equal(nameOf({ role: 'assistant', content: 'Hello', name: ' ' }), undefined);
  });

  it('are refused if the name is invalid', () => {
    const { problems } = readMessages([{ user: 'Hi' }, { assistant: 'Hello', agent: 7 }]);
    assert.equal(problems.length, 1);
    assert.deepEqual(problems[0]?.path, [1, 'agent']);
  });
});
