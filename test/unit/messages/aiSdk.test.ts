import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonical, firstPlaced, notesOf, placesIn } from '../../support/dialects.ts';

const DONE = { id: 'm9', role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] };

describe("the AI SDK's UIMessages", () => {
  const user = (...parts: object[]) => ({ id: 'm1', role: 'user', parts });
  const assistant = (...parts: object[]) => ({ id: 'm2', role: 'assistant', parts });
  const call = {
    type: 'tool-find_order',
    toolCallId: 'a',
    state: 'output-available',
    input: { number: 7 },
    output: { status: 'shipped' },
  };

  it('contain a call and its result in one part, with texts before and after', () => {
    const messages = canonical([
      user({ type: 'text', text: 'Where is it?' }),
      assistant(
        { type: 'step-start' },
        { type: 'text', text: 'Let me look.', state: 'done' },
        call,
        { type: 'step-start' },
        { type: 'text', text: 'Shipped.' },
      ),
    ]);
    assert.deepEqual(messages.slice(1), [
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 'a', name: 'find_order', arguments: { number: 7 } }],
      },
      { role: 'tool', callId: 'a', content: '{"status":"shipped"}' },
      { role: 'assistant', content: 'Shipped.' },
    ]);
  });

  it('name a dynamic tool next to its type, and contain the error', () => {
    const failed = {
      type: 'dynamic-tool',
      toolName: 'find',
      toolCallId: 'a',
      state: 'output-error',
      input: {},
      errorText: 'Timed out',
    };
    const list = [user({ type: 'text', text: 'Hi' }), assistant(failed), DONE];
    assert.deepEqual(canonical(list).slice(1, 3), [
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'find', arguments: {} }] },
      { role: 'tool', callId: 'a', content: 'Timed out' },
    ]);
    assert.deepEqual(notesOf(list), [
      'Message 2: The result of the call "a" says that the tool failed.',
    ]);
  });

  it('note thoughts, sources, data, and unfinished calls', () => {
    const waiting = { ...call, state: 'approval-requested', approval: { id: 'x' } };
    const { output: _output, ...unanswered } = waiting;
    const list = [
      user({ type: 'text', text: 'Hi' }),
      assistant(
        { type: 'reasoning', text: 'Hm.' },
        unanswered,
        { type: 'source-url', sourceId: 's', url: 'https://x.test', title: 'Terms' },
        { type: 'data-weather', data: { degrees: 3 } },
      ),
      DONE,
    ];
    assert.deepEqual(notesOf(list), [
      "Message 2: The model's reasoning.",
      'Message 2: The call of "find_order" has the state "approval-requested".',
      'Message 2: The source "Terms".',
      'Message 2: A part of type "data-weather".',
    ]);
  });

  it('mark the positions of images, audio, and files', () => {
    const file = (mediaType: string, filename?: string) => ({
      type: 'file',
      mediaType,
      url: 'data:,x',
      ...(filename !== undefined && { filename }),
    });
    const [message] = canonical([
      user(
        { type: 'text', text: 'See' },
        file('image/png'),
        file('audio/wav'),
        file('application/pdf', 'a.pdf'),
        { type: 'text', text: 'there.' },
      ),
      DONE,
    ]);
    assert.equal(
      message?.content,
      'See\n\n[image: not shown]\n\n[audio: not shown]\n\n[file "a.pdf": not shown]\n\nthere.',
    );
  });

  it('are refused at the wrong part and key', () => {
    const text = `- {id: a, role: user, parts: [{type: text, text: Hi}]}
- id: b
  role: assistant
  parts:
    - {type: tool-find, state: output-available, input: {}}
    - {type: tool-find, toolCallId: x, state: done}
    - {type: souce-url, url: x}
- {id: c, role: assistant, parts: []}
`;
    assert.deepEqual(placesIn(text), [
      '5:7 call-without-id',
      '6:47 wrong-value',
      '7:14 unknown-part',
      '8:35 empty-content',
    ]);
    const misspelt = '- {id: a, role: user, parts: [{type: text, txt: Hi}]}';
    assert.deepEqual(firstPlaced(misspelt), { at: 'txt', replacement: 'text' });
  });
});

describe("the AI SDK's ModelMessages", () => {
  const user = { role: 'user', content: 'Where is it?' };
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'find', input: { number: 7 } };
  const result = (output: object) => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'find', output }],
  });
  const done = { role: 'assistant', content: 'Done.' };
  const resultOf = (output: object) =>
    canonical([user, { role: 'assistant', content: [call] }, result(output), done])[2];

  it('contain calls as parts of the assistant, and results as tool messages', () => {
    const messages = canonical([
      user,
      { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, call] },
      result({ type: 'json', value: { status: 'shipped' } }),
      done,
    ]);
    assert.deepEqual(messages.slice(1, 3), [
      {
        role: 'assistant',
        content: 'Let me look.',
        toolCalls: [{ id: 'a', name: 'find', arguments: { number: 7 } }],
      },
      { role: 'tool', callId: 'a', content: '{"status":"shipped"}' },
    ]);
  });

  it('may have a result that is text, content, an error, or a refusal', () => {
    const image = { type: 'image-data', data: 'x', mediaType: 'image/png' };
    const content = [{ type: 'text', text: 'Here:' }, image];
    for (const [output, expected] of [
      [{ type: 'text', value: 'Shipped' }, 'Shipped'],
      [{ type: 'content', value: content }, 'Here:\n\n[image: not shown]'],
      [{ type: 'error-text', value: 'Timed out' }, 'Timed out'],
      [{ type: 'execution-denied', reason: 'Not today' }, 'Not today'],
    ] as const) {
      assert.deepEqual(resultOf(output), { role: 'tool', callId: 'a', content: expected });
    }
    const failed = result({ type: 'error-json', value: {} });
    assert.deepEqual(notesOf([user, { role: 'assistant', content: [call] }, failed, done]), [
      'Message 3: The result of the call "a" says that the tool failed.',
    ]);
  });

  it('may be of version 4, with `args` and `result`', () => {
    const messages = canonical([
      user,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'find', args: { number: 7 } }],
      },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'find', result: 'Shipped' }],
      },
      done,
    ]);
    assert.equal(messages[2]?.content, 'Shipped');
  });

  it('mark the positions of images and files, and note thoughts', () => {
    const list = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', image: 'data', mediaType: 'image/png' },
          { type: 'file', data: 'x', filename: 'a.pdf', mediaType: 'application/pdf' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'Done.' },
        ],
      },
    ];
    assert.equal(
      canonical(list)[0]?.content,
      'See\n\n[image: not shown]\n\n[file "a.pdf": not shown]',
    );
    assert.deepEqual(notesOf(list), ["Message 2: The model's reasoning."]);
  });

  it('are refused at a part without a name or an id', () => {
    const text = `- {role: user, content: Hi}
- role: assistant
  content:
    - {type: tool-call, toolCallId: a}
    - {type: tool-call, toolName: f}
- role: tool
  content: [{type: tool-result, toolName: f, output: {type: text, value: x}}]
- {role: assistant, content: Done.}
`;
    assert.deepEqual(placesIn(text), ['4:7 call-without-name', '5:7 call-without-id']);
  });
});
