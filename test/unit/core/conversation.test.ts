import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  openEnd,
  type SourcedMessage,
  textOf,
  toConversation,
  turnsOf,
} from '../../../src/core/conversation.ts';
import type { Message } from '../../../src/core/message.ts';

const placed = (...messages: Message[]): SourcedMessage[] =>
  messages.map((message) => ({ message }));

describe('toConversation', () => {
  it('groups everything that one side says into one turn', () => {
    const conversation = toConversation(
      placed(
        { role: 'user', content: 'Hi' },
        { role: 'user', content: 'anyone there?' },
        { role: 'assistant', content: 'Let me look.', toolCalls: [call('1')] },
        { role: 'tool', callId: '1', content: 'shipped' },
        { role: 'assistant', content: 'It is on its way.' },
      ),
    );
    assert.deepEqual(
      turnsOf(conversation).map(({ number, side }) => [number, side]),
      [
        [1, 'user'],
        [2, 'assistant'],
      ],
    );
    assert.deepEqual(turnsOf(conversation)[1]?.items, [
      { kind: 'text', text: 'Let me look.' },
      { kind: 'tool-call', call: call('1'), result: 'shipped' },
      { kind: 'text', text: 'It is on its way.' },
    ]);
  });

  it('numbers turns from 1 if the assistant speaks first', () => {
    const conversation = toConversation(
      placed({ role: 'assistant', content: 'Welcome!' }, { role: 'user', content: 'Hi' }),
    );
    assert.deepEqual(
      turnsOf(conversation).map(({ number, side }) => [number, side]),
      [
        [1, 'assistant'],
        [2, 'user'],
      ],
    );
  });

  it('keeps every system text in its place', () => {
    const conversation = toConversation(
      placed(
        { role: 'system', content: 'first' },
        { role: 'user', content: 'Hi' },
        { role: 'developer', content: 'second' },
        { role: 'assistant', content: 'Hello' },
        { role: 'system', content: 'third' },
        { role: 'assistant', content: 'again' },
        { role: 'system', content: 'last' },
      ),
    );
    assert.deepEqual(
      conversation.entries.map((entry) =>
        entry.kind === 'system'
          ? entry.text
          : entry.items.map((item) => ('text' in item ? item.text : item.kind)),
      ),
      ['first', ['Hi'], 'second', ['Hello', 'third', 'again'], 'last'],
    );
  });

  it('adds the results of parallel calls by id', () => {
    const conversation = toConversation(
      placed(
        { role: 'user', content: 'Both?' },
        { role: 'assistant', content: '', toolCalls: [call('a'), call('b')] },
        { role: 'tool', callId: 'b', content: 'of b' },
        { role: 'tool', callId: 'a', content: 'of a' },
      ),
    );
    assert.deepEqual(
      turnsOf(conversation)[1]?.items.map((item) => item.kind === 'tool-call' && item.result),
      ['of a', 'of b'],
    );
  });

  it('adds a late result to its call if the user spoke in between', () => {
    const conversation = toConversation(
      placed(
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: 'One moment.', toolCalls: [call('a')] },
        { role: 'user', content: 'Hurry!' },
        { role: 'tool', callId: 'a', content: 'shipped' },
        { role: 'assistant', content: 'Shipped.' },
      ),
    );
    assert.deepEqual(
      turnsOf(conversation).map(({ items }) => items.at(-1)),
      [
        { kind: 'text', text: 'Where is it?' },
        { kind: 'tool-call', call: call('a'), result: 'shipped' },
        { kind: 'text', text: 'Hurry!' },
        { kind: 'text', text: 'Shipped.' },
      ],
    );
  });

  it('rejects a result without a call', () => {
    assert.throws(
      () =>
        toConversation(
          placed({ role: 'user', content: 'Hi' }, { role: 'tool', callId: 'x', content: '' }),
        ),
      /"x" has no matching call/,
    );
  });

  it("doesn't change the messages", () => {
    const messages = placed(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello', retrievalContext: ['a'] },
      { role: 'assistant', content: 'there', retrievalContext: ['b'] },
    );
    const before = structuredClone(messages);
    const conversation = toConversation(messages);
    assert.deepEqual(messages, before);
    assert.deepEqual(turnsOf(conversation)[1]?.retrievalContext, ['a', 'b']);
  });

  const hi: Message = { role: 'user', content: 'Hi' };
  const looks: Message = { role: 'assistant', content: 'Let me see.', toolCalls: [call('1')] };
  const found: Message = { role: 'tool', callId: '1', content: 'found' };
  const hello: Message = { role: 'assistant', content: 'Hello' };
  const ends: [what: string, messages: Message[], end: string | undefined][] = [
    ['the user', [hi], 'user'],
    ['words of the assistant', [hi, hello], undefined],
    ['a tool call', [hi, looks], 'tool-call'],
    ['the result of one', [hi, looks, found], 'tool-call'],
    ['words after a result', [hi, looks, found, hello], undefined],
    [
      'a system text after a result',
      [hi, looks, found, { role: 'system', content: 'x' }],
      'tool-call',
    ],
  ];
  for (const [what, messages, end] of ends) {
    it(`detects whether it ends open: ${what}`, () => {
      assert.equal(openEnd(toConversation(placed(...messages))), end);
    });
  }

  it('returns the text of a turn without its tool calls', () => {
    const [turn] = turnsOf(
      toConversation(
        placed(
          { role: 'assistant', content: 'One.', toolCalls: [call('1')] },
          { role: 'assistant', content: 'Two.' },
        ),
      ),
    );
    assert.ok(turn);
    assert.equal(textOf(turn), 'One.\n\nTwo.');
  });
});

function call(id: string) {
  return { id, name: 'lookup', arguments: { order: 98765 } };
}
