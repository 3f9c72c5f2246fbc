import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation, turnsOf } from '../../../src/core/conversation.ts';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const USER = { role: 'user', content: [{ type: 'text', text: 'Weather?' }] };
const CALL = { type: 'tool_call', tool_call_id: 'c', name: 'weather', arguments: { city: 'Oslo' } };
const RESULT = {
  role: 'tool',
  tool_call_id: 'c',
  content: [{ type: 'tool_result', tool_result: 7 }],
};
const REPLY = { role: 'assistant', content: [{ type: 'output_text', text: 'Seven.' }] };

const reply = (...content: unknown[]) => ({ role: 'assistant', run_id: '', content });

describe('Azure agent messages', () => {
  it('contain calls and results of any kind', () => {
    for (const [given, content] of [
      ['{"a": 1}', '{"a": 1}'],
      [{ a: [1] }, '{"a":[1]}'],
      ['', ''],
      [null, ''],
    ] as const) {
      const result = { ...RESULT, content: [{ type: 'tool_result', tool_result: given }] };
      const messages = canonical([USER, reply(CALL), result, REPLY]);
      assert.deepEqual(messages.slice(1, 3), [
        {
          role: 'assistant',
          content: '',
          toolCalls: [{ id: 'c', name: 'weather', arguments: { city: 'Oslo' } }],
        },
        { role: 'tool', callId: 'c', content },
      ]);
    }
  });

  for (const kind of ['function_call', 'openapi_call']) {
    it(`contain ${kind} parts and their outputs`, () => {
      const output = { type: `${kind}_output`, [`${kind}_output`]: { ok: true } };
      const messages = canonical([
        USER,
        reply({ ...CALL, type: kind, arguments: '{"city": "Oslo"}' }),
        { ...RESULT, run_id: '', content: [output] },
        REPLY,
      ]);
      assert.deepEqual(messages[2], { role: 'tool', callId: 'c', content: '{"ok":true}' });
      assert.deepEqual(messages[1]?.role === 'assistant' && messages[1].toolCalls?.[0]?.arguments, {
        city: 'Oslo',
      });
    });
  }

  it("may contain a call in OpenAI's format in the part", () => {
    const called = { id: 'c', function: { name: 'mail', arguments: { to: 'a' } } };
    const messages = canonical([
      USER,
      reply({ type: 'tool_call', tool_call: called }),
      RESULT,
      REPLY,
    ]);
    assert.deepEqual(messages[1]?.role === 'assistant' && messages[1].toolCalls, [
      { id: 'c', name: 'mail', arguments: { to: 'a' } },
    ]);
  });

  it('keep texts before and after a call in order', () => {
    const messages = canonical([
      USER,
      reply({ type: 'text', text: 'Let me look.' }, CALL, { type: 'text', text: 'A moment.' }),
      RESULT,
      REPLY,
    ]);
    const [, turn] = turnsOf(toConversation(messages.map((message) => ({ message }))));
    assert.deepEqual(
      turn?.items.map((item) => (item.kind === 'text' ? item.text : item.kind)),
      ['Let me look.', 'tool-call', 'A moment.', 'Seven.'],
    );
  });

  it('note approvals of MCP calls', () => {
    const notes = notesOf([
      USER,
      reply({ type: 'mcp_approval_request', tool_call_id: 'm', name: 'docs', arguments: {} }),
      {
        role: 'tool',
        tool_call_id: 'm',
        content: [{ type: 'mcp_approval_response', mcp_approval_response: true }],
      },
      REPLY,
    ]);
    assert.deepEqual(notes, [
      'Message 2: A request to approve a call of "docs".',
      'Message 3: A call of an MCP tool was approved.',
    ]);
  });

  it('note an unfinished call', () => {
    const notes = notesOf([USER, reply({ ...CALL, status: 'failed' }), RESULT, REPLY]);
    assert.deepEqual(notes, ['Message 2: The call of "weather" has the status "failed".']);
  });

  it('may name calls in their results, and split one result into parts', () => {
    const messages = canonical([
      USER,
      reply(CALL, { ...CALL, tool_call_id: 'd' }),
      {
        role: 'tool',
        content: [
          { type: 'tool_result', tool_call_id: 'd', tool_result: 'two' },
          { type: 'tool_result', tool_call_id: 'c', tool_result: 'one' },
          { type: 'tool_result', tool_call_id: 'c', tool_result: 'more' },
        ],
      },
      REPLY,
    ]);
    assert.deepEqual(messages.slice(2, 4), [
      { role: 'tool', callId: 'd', content: 'two' },
      { role: 'tool', callId: 'c', content: 'one\n\nmore' },
    ]);
  });

  it('may have a result that is plain text', () => {
    const messages = canonical([
      USER,
      reply(CALL),
      { ...RESULT, run_id: 'r', content: 'ok' },
      REPLY,
    ]);
    assert.deepEqual(messages[2], { role: 'tool', callId: 'c', content: 'ok' });
  });

  const call = (part: string) =>
    `- user: Hi\n- role: assistant\n  content:\n    - {type: text, text: a}\n    - ${part}\n- assistant: x`;
  const result = (message: string) =>
    `- user: Hi\n- role: assistant\n  content: [{type: tool_call, tool_call_id: c, name: f}]\n- ${message}\n- assistant: x`;
  for (const [what, text, expected] of [
    ['a call without a name', call('{type: tool_call, tool_call_id: c}'), '5:7 call-without-name'],
    [
      'a nested call without a name',
      call('{type: tool_call, tool_call: {id: c, function: {}}}'),
      '5:7 call-without-name',
    ],
    [
      'arguments of another kind',
      call('{type: tool_call, tool_call_id: c, name: f, arguments: 5}'),
      '5:62 wrong-type',
    ],
    ['a misspelled key', call('{type: tool_call, tool_call_id: c, nam: f}'), '5:42 unknown-key'],
    ["a part that isn't a mapping", call('tool_call'), '5:7 wrong-type'],
    ['a part without a type', call('{tool_result: x}'), '5:7 unknown-part'],
    [
      'a result without an id',
      result('{role: tool, content: [{type: tool_result, tool_result: x}]}'),
      '4:4 result-without-id',
    ],
    [
      'a result without a call',
      result('{role: tool, tool_call_id: q, content: [{type: tool_result, tool_result: x}]}'),
      '4:30 unmatched-result',
    ],
    [
      'a result that is missing',
      result('{role: tool, tool_call_id: c, content: [{type: tool_result}]}'),
      '4:44 missing-key',
    ],
    [
      'a call by the user',
      result('{role: user, content: [{type: tool_call, tool_call_id: d, name: f}]}'),
      '4:33 misplaced-part',
    ],
    [
      'a role that is none',
      result('{role: bot, content: [{type: tool_result, tool_result: x}]}'),
      '4:10 unknown-role',
    ],
  ] as const) {
    it(`with ${what} are refused once, at its position`, () => {
      assert.deepEqual(placesIn(text), [expected]);
    });
  }

  it('suggest the fix for a misspelled part type', () => {
    const text = call('{type: tool_cal, tool_call_id: c, name: f}');
    assert.deepEqual(firstPlaced(text), { at: 'tool_cal', replacement: 'tool_call' });
  });
});
