import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation, turnsOf } from '../../../src/core/conversation.ts';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const USER = { role: 'user', content: 'Weather?' };
const CALL = { type: 'tool_use', id: 't', name: 'weather', input: { city: 'Oslo' } };
const RESULT = { type: 'tool_result', tool_use_id: 't', content: 'Sunny' };
const REPLY = { role: 'assistant', content: [{ type: 'text', text: 'It is sunny.' }] };

describe('Anthropic messages', () => {
  it('contain calls as blocks, and results as blocks of the user', () => {
    const messages = canonical([
      USER,
      { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, CALL] },
      { role: 'user', content: [RESULT] },
      REPLY,
    ]);
    assert.deepEqual(messages.slice(1, 3), [
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 't', name: 'weather', arguments: { city: 'Oslo' } }],
      },
      { role: 'tool', callId: 't', content: 'Sunny' },
    ]);
    const turns = turnsOf(toConversation(messages.map((message) => ({ message }))));
    assert.deepEqual(
      turns.map(({ side }) => side),
      ['user', 'assistant'],
    );
  });

  it("keep the user's text next to a result", () => {
    const messages = canonical([
      USER,
      { role: 'assistant', content: [CALL] },
      { role: 'user', content: [RESULT, { type: 'text', text: 'And tomorrow?' }] },
      REPLY,
    ]);
    assert.deepEqual(messages.slice(2, 4), [
      { role: 'tool', callId: 't', content: 'Sunny' },
      { role: 'user', content: 'And tomorrow?' },
    ]);
  });

  it('may have a result as text blocks, or no result', () => {
    const blocks = [
      { type: 'text', text: 'One' },
      { type: 'text', text: 'Two' },
    ];
    for (const [content, expected] of [
      [blocks, 'One\n\nTwo'],
      [undefined, ''],
    ] as const) {
      const { content: _content, ...rest } = RESULT;
      const result = { ...rest, ...(content && { content }) };
      const messages = canonical([
        USER,
        { role: 'assistant', content: [CALL] },
        { role: 'user', content: [result] },
        REPLY,
      ]);
      assert.equal(messages[2]?.content, expected);
    }
  });

  it('note thoughts, citations, and failed tools', () => {
    const notes = notesOf([
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
      },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }, CALL] },
      { role: 'user', content: [{ ...RESULT, is_error: true }] },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'So.', citations: [{}, {}] }] },
    ]);
    assert.deepEqual(notes, [
      "Message 2: The model's reasoning.",
      'Message 3: The result of the call "t" says that the tool failed.',
      "Message 4: The model's reasoning.",
      'Message 5: 2 text annotations.',
    ]);
  });

  it('may be a whole API reply', () => {
    const reply = {
      ...REPLY,
      id: 'm',
      type: 'message',
      model: 'x',
      stop_reason: 'end_turn',
      usage: {},
    };
    assert.equal(canonical([USER, reply])[1]?.content, 'It is sunny.');
  });

  const text = (block: string) =>
    `- user: Hi\n- role: assistant\n  content:\n    - {type: thinking, thinking: x}\n    - ${block}\n- assistant: x`;
  for (const [what, block, expected] of [
    ['a call without a name', '{type: tool_use, id: a, input: {}}', '5:7 call-without-name'],
    ["input that isn't a mapping", '{type: tool_use, id: a, name: f, input: x}', '5:47 wrong-type'],
    ['a block of another type', '{type: hologram, source: {}}', '5:14 unknown-part'],
    ['an unknown key', '{type: tool_use, id: a, name: f, inptu: {}}', '5:40 unknown-key'],
    ['a result from the assistant', '{type: tool_result, tool_use_id: a}', '5:14 misplaced-part'],
  ] as const) {
    it(`with ${what} are refused once, at its position`, () => {
      assert.deepEqual(placesIn(text(block)), [expected]);
    });
  }

  it('with a result that answers no call are refused at its id', () => {
    const stray =
      '- user: Hi\n- {role: user, content: [{type: tool_result, tool_use_id: q}]}\n- assistant: x';
    assert.deepEqual(firstPlaced(stray), { at: 'q', replacement: undefined });
    const nameless = '- user: Hi\n- {role: user, content: [{type: tool_result}]}\n- assistant: x';
    assert.deepEqual(placesIn(nameless), ['2:26 result-without-id']);
  });
});
