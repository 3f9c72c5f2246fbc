import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../src/core/conversation.ts';
import { conversationBlock } from '../../../src/judge/conversationBlock.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';

const ANSWER = { role: 'assistant', content: 'A cat.' };

function textOf(...messages: object[]): string[] {
  const { messages: read, problems } = readMessages(messages);
  assert.deepEqual(problems, []);
  return read.map(({ message }) => message.content);
}

describe('a part that cannot be shown', () => {
  for (const [what, content, expected] of [
    [
      'an image of OpenAI chat',
      [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url: 'data:x' } },
      ],
      'What is this?\n\n[image: not shown]',
    ],
    [
      'an image before the words',
      [{ type: 'image_url' }, { type: 'text', text: 'And this?' }],
      '[image: not shown]\n\nAnd this?',
    ],
    [
      'a sound of OpenAI chat',
      [{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }],
      '[audio: not shown]',
    ],
    [
      'a file of OpenAI chat',
      [{ type: 'file', file: { filename: 'bill "1".pdf', file_data: 'x' } }],
      '[file "bill \\"1\\".pdf": not shown]',
    ],
    [
      'an image of Responses',
      [{ type: 'input_image', image_url: 'https://x', detail: 'low' }],
      '[image: not shown]',
    ],
    [
      'a file of Responses',
      [{ type: 'input_file', file_id: 'f', filename: 'a.pdf' }],
      '[file "a.pdf": not shown]',
    ],
    [
      'an image of Anthropic',
      [{ type: 'image', source: { type: 'url', url: 'https://x' } }],
      '[image: not shown]',
    ],
    [
      'a document of Anthropic',
      [{ type: 'document', source: {}, title: 'Bill' }],
      '[document "Bill": not shown]',
    ],
  ] as const) {
    it(`is marked at its position: ${what}`, () => {
      assert.deepEqual(textOf({ role: 'user', content }, ANSWER), [expected, 'A cat.']);
    });
  }

  it('is marked in a tool result', () => {
    const call = { type: 'tool_use', id: 'a', name: 'shoot', input: {} };
    const result = {
      type: 'tool_result',
      tool_use_id: 'a',
      content: [
        { type: 'text', text: 'Done.' },
        { type: 'image', source: {} },
      ],
    };
    const messages = [
      { role: 'user', content: 'Take a picture.' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
      ANSWER,
    ];
    assert.equal(textOf(...messages)[2], 'Done.\n\n[image: not shown]');
    const output = [
      { type: 'message', role: 'user', content: 'Take a picture.' },
      { type: 'function_call', call_id: 'a', name: 'shoot' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'Done.' },
          { type: 'input_image', file_id: 'f' },
        ],
      },
      ANSWER,
    ];
    assert.equal(textOf(...output)[2], 'Done.\n\n[image: not shown]');
  });

  it('becomes text if it has any, such as the transcript of a spoken reply', () => {
    const spoken = (audio: object) => ({ role: 'assistant', content: null, audio });
    const user = { role: 'user', content: 'Hi' };
    assert.deepEqual(textOf(user, spoken({ id: 'a', transcript: 'Hello.' }))[1], 'Hello.');
    assert.deepEqual(textOf(user, spoken({ id: 'a' }))[1], '[audio: not shown]');
  });

  it('appears in its position for a judge', () => {
    const content = [{ type: 'image_url', image_url: { url: 'data:secret' } }];
    const { messages } = readMessages([{ role: 'user', content }, ANSWER]);
    const block = conversationBlock(toConversation(messages));
    assert.match(block, /\[1 user\]\n\| \[image: not shown\]\n\[2 assistant\]/);
    assert.doesNotMatch(block, /secret/);
  });

  it('is refused with an unknown key, like any part', () => {
    const content = [{ type: 'image_url', imge_url: {} }];
    const { problems } = readMessages([{ role: 'user', content }, ANSWER]);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['unknown-key'],
    );
  });
});
