import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const USER = { role: 'user', content: [{ type: 'input_text', text: 'Where is it?' }] };
const REPLY = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'final_answer',
  content: [{ type: 'output_text', text: 'On its way.', annotations: [], logprobs: [] }],
};

describe('OpenAI Responses items', () => {
  it('become messages, calls, and outputs, in order', () => {
    const messages = canonical([
      { type: 'message', role: 'developer', content: 'Be kind.' },
      USER,
      { type: 'function_call', id: 'fc', call_id: 'c', name: 'find', arguments: '{"id":1}' },
      { type: 'function_call_output', call_id: 'c', output: '{"status":"sent"}' },
      REPLY,
    ]);
    assert.deepEqual(messages, [
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'find', arguments: { id: 1 } }],
      },
      { role: 'tool', callId: 'c', content: '{"status":"sent"}' },
      { role: 'assistant', content: 'On its way.' },
    ]);
  });

  it('may have an output as text parts, a custom call, and its output', () => {
    const messages = canonical([
      USER,
      { type: 'custom_tool_call', call_id: 'c', name: 'run', input: 'print(1)' },
      {
        type: 'custom_tool_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: '1' },
          { type: 'input_text', text: 'done' },
        ],
      },
      REPLY,
    ]);
    assert.deepEqual(messages.slice(1, 3), [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c', name: 'run', arguments: 'print(1)' }],
      },
      { role: 'tool', callId: 'c', content: '1\n\ndone' },
    ]);
  });

  it('may contain an MCP call with its output or error', () => {
    const call = {
      type: 'mcp_call',
      id: 'm',
      name: 'search',
      server_label: 'docs',
      arguments: '{}',
    };
    for (const [given, content] of [
      [{ output: 'found' }, 'found'],
      [{ output: null, error: { code: 500 } }, '{"code":500}'],
    ] as const) {
      const messages = canonical([USER, { ...call, ...given }, REPLY]);
      assert.deepEqual(messages[2], { role: 'tool', callId: 'm', content });
    }
  });

  it('note items with nothing to show', () => {
    const notes = notesOf([
      USER,
      { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'gAAAA' },
      { type: 'mcp_list_tools', id: 'l', server_label: 'docs', tools: [] },
      {
        type: 'mcp_approval_request',
        id: 'r',
        name: 'search',
        arguments: '{}',
        server_label: 'docs',
      },
      { type: 'mcp_approval_response', approval_request_id: 'r', approve: false, reason: 'no' },
      { ...REPLY, status: 'incomplete' },
    ]);
    assert.deepEqual(notes, [
      "Message 2: The model's reasoning.",
      'Message 3: The list of tools of "docs".',
      'Message 4: A request to approve a call of "search".',
      'Message 5: A call of an MCP tool was refused: no',
      'Message 6: The message has the status "incomplete".',
    ]);
  });

  it("keep a refusal as the model's text", () => {
    const refusal = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'No.' }],
    };
    assert.equal(canonical([USER, refusal])[1]?.content, 'No.');
  });

  for (const [what, item, expected] of [
    ['an item of another type', '{type: computer_call, id: a}', '2:10 unknown-part'],
    ['a call without a name', '{type: function_call, call_id: a}', '2:4 call-without-name'],
    ['an output without an id', '{type: function_call_output, output: x}', '2:4 result-without-id'],
    [
      'an output without a call',
      '{type: function_call_output, call_id: q, output: x}',
      '2:41 unmatched-result',
    ],
    ['a message without a role', '{type: message, content: x}', '2:4 missing-role'],
    ['an unknown role', '{type: message, role: bot, content: x}', '2:25 unknown-role'],
    [
      'a part of another type',
      '{role: user, content: [{type: input_text, text: a}, {type: hologram}]}',
      '2:62 unknown-part',
    ],
    ['an unknown key', '{type: function_call, call_id: a, nme: f}', '2:37 unknown-key'],
    [
      'a part without text',
      '{type: message, role: user, content: [{type: input_text}]}',
      '2:42 missing-key',
    ],
    ['no content', '{type: message, role: user}', '2:4 missing-content'],
    ['nothing in it', '{type: message, role: user, content: []}', '2:40 empty-content'],
  ] as const) {
    it(`with ${what} are refused once, at its position`, () => {
      assert.deepEqual(placesIn(`- user: Hi\n- ${item}\n- assistant: x`), [expected]);
    });
  }

  it('suggest the fix for a misspelled type', () => {
    const text = '- user: Hi\n- {type: function_cal, call_id: a, name: f}\n- assistant: x';
    assert.deepEqual(firstPlaced(text), { at: 'function_cal', replacement: 'function_call' });
  });
});
