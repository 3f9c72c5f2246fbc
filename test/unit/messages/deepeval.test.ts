import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const USER = { role: 'user', content: 'Book a flight.', user_id: null, tools_called: null };

describe('DeepEval turns', () => {
  it('have their text after the results of their tools', () => {
    const messages = canonical([
      USER,
      {
        role: 'assistant',
        content: 'It is booked.',
        retrieval_context: ['Flights may be changed.'],
        tools_called: [
          { name: 'search', input_parameters: { to: 'Oslo' }, output: [{ id: 7 }] },
          { name: 'book', input_parameters: null },
        ],
      },
    ]);
    assert.deepEqual(messages.slice(1), [
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'message-2-call-1', name: 'search', arguments: { to: 'Oslo' } },
          { id: 'message-2-call-2', name: 'book', arguments: {} },
        ],
      },
      { role: 'tool', callId: 'message-2-call-1', content: '[{"id":7}]' },
      {
        role: 'assistant',
        content: 'It is booked.',
        retrievalContext: ['Flights may be changed.'],
      },
    ]);
  });

  it('give each call its own id, even if a tool is called twice', () => {
    const turn = { role: 'assistant', content: 'Yes.', tools_called: [{ name: 'f' }] };
    const answered = { ...turn, tools_called: [{ name: 'f', output: 'x' }] };
    const ids = canonical([USER, turn, answered]).flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
    );
    assert.equal(new Set(ids).size, 2);
  });

  it('may contain MCP calls with the texts of their results', () => {
    const result = { content: [{ type: 'text', text: 'found' }], isError: false };
    const messages = canonical([
      USER,
      {
        role: 'assistant',
        content: 'So.',
        mcp_tools_called: [{ name: 'f', args: { a: 1 }, result }],
      },
    ]);
    assert.deepEqual(messages[2], { role: 'tool', callId: 'message-2-call-1', content: 'found' });
  });

  it("note keys that aren't read", () => {
    const notes = notesOf([
      { ...USER, user_id: 'u', metadata: { a: 1 } },
      {
        role: 'assistant',
        content: 'Yes.',
        tools_called: [{ name: 'f', description: 'Does f.', reasoning: 'It fits.' }],
      },
    ]);
    assert.deepEqual(notes, [
      'Message 1: `user_id` of a turn.',
      'Message 1: `metadata` of a turn.',
      'Message 2: The description of "f".',
      'Message 2: Why "f" was called.',
    ]);
  });

  for (const [what, turn, expected] of [
    [
      'a called tool without a name',
      '{role: assistant, content: x, tools_called: [{output: 1}]}',
      '2:48 call-without-name',
    ],
    [
      'a called tool that is a text',
      '{role: assistant, content: x, tools_called: [f]}',
      '2:48 wrong-type',
    ],
    ['text instead of a list', '{role: assistant, content: x, tools_called: f}', '2:47 wrong-type'],
    [
      'tools called by the user',
      '{role: user, content: x, tools_called: [{name: f}]}',
      '2:42 wrong-type',
    ],
    [
      'neither words nor calls',
      '{role: assistant, content: "", tools_called: []}',
      '2:30 empty-content',
    ],
    ['no content', '{role: assistant, user_id: u}', '2:4 missing-content'],
    ['another role', '{role: tool, content: x, tools_called: []}', '2:10 unknown-role'],
  ] as const) {
    it(`with ${what} are refused once, at its position`, () => {
      assert.deepEqual(placesIn(`- user: Hi\n- ${turn}\n- assistant: x`), [expected]);
    });
  }

  it("suggest the fix for misspelled keys and for the servers' spelling", () => {
    for (const [given, meant] of [
      ['tools_caled', 'tools_called'],
      ['toolsCalled', 'tools_called'],
      ['tool_cals', 'tool_calls'],
    ]) {
      const text = `- user: Hi\n- {role: assistant, content: x, ${given}: []}`;
      assert.deepEqual(firstPlaced(text), { at: given, replacement: meant });
    }
    const nested =
      '- user: Hi\n- {role: assistant, content: x, tools_called: [{name: f, inputParameters: {}}]}';
    assert.deepEqual(firstPlaced(nested), {
      at: 'inputParameters',
      replacement: 'input_parameters',
    });
  });

  it('may have all keys that DeepEval saves, without values', () => {
    const empty = {
      user_id: null,
      audio: null,
      mcp_tools_called: null,
      mcp_resources_called: null,
      mcp_prompts_called: null,
      metadata: null,
    };
    const list = [
      { role: 'user', content: 'Hi', ...empty },
      { role: 'assistant', content: 'Hello', ...empty },
    ];
    assert.deepEqual(notesOf(list), []);
    assert.equal(canonical(list).length, 2);
  });
});
