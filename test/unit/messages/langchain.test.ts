import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const FIELDS = [
  ['SystemMessage', 'system', { content: 'Be kind.' }],
  ['HumanMessage', 'human', { content: 'Where is it?', additional_kwargs: {}, example: false }],
  [
    'AIMessage',
    'ai',
    {
      content: 'Let me look.',
      tool_calls: [{ id: 'a', name: 'find', args: { number: 7 }, type: 'tool_call' }],
      invalid_tool_calls: [],
      usage_metadata: { input_tokens: 3 },
      response_metadata: { model: 'x' },
    },
  ],
  ['ToolMessage', 'tool', { content: 'Shipped', tool_call_id: 'a', status: 'success' }],
  ['AIMessage', 'ai', { content: 'It was shipped.' }],
] as const;

const EXPECTED = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'Where is it?' },
  {
    role: 'assistant',
    content: 'Let me look.',
    toolCalls: [{ id: 'a', name: 'find', arguments: { number: 7 } }],
  },
  { role: 'tool', callId: 'a', content: 'Shipped' },
  { role: 'assistant', content: 'It was shipped.' },
];

describe("LangChain's messages", () => {
  it('may be plain, under `data`, or serialized objects, whole or in chunks', () => {
    const plain = FIELDS.map(([, type, fields]) => ({ type, ...fields }));
    const wrapped = FIELDS.map(([, type, fields]) => ({ type, data: { type, ...fields } }));
    const constructed = FIELDS.map(([name, type, fields]) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'schema', 'messages', name],
      kwargs: { type, ...fields },
    }));
    const chunks = FIELDS.map(([name, , fields]) => ({ type: `${name}Chunk`, ...fields }));
    for (const list of [plain, wrapped, constructed, chunks]) {
      assert.deepEqual(canonical(list), EXPECTED);
    }
  });

  it("may contain texts next to parts, and a provider's calls that `tool_calls` repeats", () => {
    const messages = canonical([
      { type: 'human', content: ['See', { type: 'image_url', image_url: { url: 'data:x' } }] },
      {
        type: 'ai',
        content: [
          { type: 'text', text: 'A cat.' },
          { type: 'tool_use', id: 'a', name: 'find', input: {} },
        ],
        tool_calls: [{ id: 'a', name: 'find', args: { number: 7 } }],
      },
      { type: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] },
      { type: 'ai', content: 'Done.' },
    ]);
    assert.equal(messages[0]?.content, 'See\n\n[image: not shown]');
    assert.deepEqual(messages[1], {
      role: 'assistant',
      content: 'A cat.',
      toolCalls: [{ id: 'a', name: 'find', arguments: { number: 7 } }],
    });
  });

  it("of older versions have calls in OpenAI's format", () => {
    const call = { id: 'a', type: 'function', function: { name: 'find', arguments: '{"n":1}' } };
    const messages = canonical([
      { type: 'human', content: 'Hi' },
      { type: 'ai', content: '', additional_kwargs: { tool_calls: [call] } },
      { type: 'tool', tool_call_id: 'a', content: '' },
      { type: 'ai', content: 'Done.' },
    ]);
    assert.deepEqual(messages[1], {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'a', name: 'find', arguments: { n: 1 } }],
    });
  });

  it('mark the positions of audio and files, and note thoughts, broken calls, and failed tools', () => {
    const list = [
      {
        type: 'human',
        content: [
          { type: 'audio', base64: 'x', mime_type: 'audio/wav' },
          { type: 'file', base64: 'x', mime_type: 'application/pdf', filename: 'a.pdf' },
        ],
      },
      {
        type: 'ai',
        content: [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }],
        tool_calls: [{ id: 'a', name: 'find', args: {} }],
        invalid_tool_calls: [{ id: 'b', name: 'find', args: '{', error: 'x' }],
      },
      { type: 'tool', tool_call_id: 'a', content: 'Timed out', status: 'error' },
      { type: 'ai', content: 'Done.' },
    ];
    assert.equal(canonical(list)[0]?.content, '[audio: not shown]\n\n[file "a.pdf": not shown]');
    assert.deepEqual(notesOf(list), [
      "Message 2: The model's reasoning.",
      'Message 2: A tool call with invalid JSON arguments.',
      'Message 3: The result of the call "a" says that the tool failed.',
    ]);
  });

  it('are refused at the wrong key, at any depth', () => {
    const text = `- {type: human, content: Hi}
- {type: ai, content: "", tool_calls: [{name: f, args: {}}]}
- {type: tool, content: x}
- {lc: 1, type: constructor, id: [langchain, Document], kwargs: {}}
- type: ai
  data: {content: Done., tool_cals: []}
- {type: ai, content: ""}
`;
    assert.deepEqual(placesIn(text), [
      '4:34 unknown-role',
      '6:26 unknown-key',
      '7:23 empty-content',
    ]);
    const unmatched = `- {type: human, content: Hi}
- {lc: 1, type: constructor, id: [ToolMessage], kwargs: {content: x, tool_call_id: zzz}}
- {type: ai, content: Hi}
`;
    assert.equal(firstPlaced(unmatched).at, 'zzz');
    assert.deepEqual(firstPlaced('- {type: humn, content: Hi}'), {
      at: 'humn',
      replacement: 'human',
    });
  });
});
