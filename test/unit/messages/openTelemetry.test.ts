import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonical, notesOf, placesIn } from '../../support/dialects.ts';

const text = (content: string) => ({ type: 'text', content });
const USER = { role: 'user', parts: [text('Where is it?')] };
const CALL = { type: 'tool_call', id: 'a', name: 'find', arguments: { number: 7 } };
const DONE = { role: 'assistant', parts: [text('Done.')], finish_reason: 'stop' };

describe("OpenTelemetry's GenAI messages", () => {
  it('contain texts, calls, and results as parts', () => {
    const messages = canonical([
      { role: 'system', parts: [text('Be kind.')] },
      USER,
      { role: 'assistant', parts: [text('Let me look.'), CALL], finish_reason: 'tool_call' },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'a', response: { x: 1 } }] },
      DONE,
    ]);
    assert.deepEqual(messages, [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Where is it?' },
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 'a', name: 'find', arguments: { number: 7 } }],
      },
      { role: 'tool', callId: 'a', content: '{"x":1}' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  it('of older versions have a `result`', () => {
    const result = { type: 'tool_call_response', id: 'a', result: 'x' };
    const messages = canonical([
      USER,
      { role: 'assistant', parts: [CALL] },
      { role: 'tool', parts: [result] },
      DONE,
    ]);
    assert.equal(messages[2]?.content, 'x');
  });

  it('mark the positions of images, audio, and files, and note thoughts', () => {
    const list = [
      {
        role: 'user',
        parts: [
          text('See'),
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'x' },
          { type: 'uri', modality: 'audio', uri: 'https://x.test/a' },
          { type: 'file', modality: 'document', file_id: 'f' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'reasoning', content: 'Hm.' }, text('Done.')] },
    ];
    assert.equal(
      canonical(list)[0]?.content,
      'See\n\n[image: not shown]\n\n[audio: not shown]\n\n[file: not shown]',
    );
    assert.deepEqual(notesOf(list), ["Message 2: The model's reasoning."]);
  });

  it('are refused at the wrong part and key', () => {
    const yaml = `- {role: user, parts: [{type: text, content: Hi}]}
- role: assistant
  parts:
    - {type: tool_call, id: a}
    - {type: tool_call, name: f}
    - {type: tool_call_response, response: x}
    - {type: server_call, id: b}
- {role: tool, parts: [{type: text, content: Hi}]}
- {role: asistant, parts: [{type: text, content: Hi}]}
`;
    assert.deepEqual(placesIn(yaml), [
      '4:7 call-without-name',
      '5:7 call-without-id',
      '6:7 result-without-id',
      '7:14 unknown-part',
      '8:31 misplaced-part',
      '9:10 unknown-role',
    ]);
  });
});
