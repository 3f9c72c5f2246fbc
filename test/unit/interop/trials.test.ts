import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../src/core/conversation.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { load } from '../../support/evalFiles.ts';
import { imported, jsonLines } from '../../support/imports.ts';

const trial = (task: unknown, number: unknown, reply: string, more: object = {}) => ({
  task_id: task,
  trial: number,
  messages: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: reply },
  ],
  ...more,
});

describe('several trials of a task', () => {
  it('become one case with a conversation per trial, and every reward becomes feedback', async () => {
    const { cases, data, rated, found } = await imported(
      'log.jsonl',
      jsonLines(
        trial(0, 0, 'Shipped.', { reward: 1 }),
        trial(1, 0, 'Unknown.', { reward: 0 }),
        trial(0, 1, 'Lost.', { reward: 0 }),
      ),
    );
    assert.deepEqual(
      cases.map(({ id, transcripts, transcript }) => [id, transcripts, transcript?.length]),
      [
        ['task-0', 'imported.trials/task-0.jsonl', undefined],
        ['where-is-order-7', undefined, 2],
      ],
    );
    const lines = data['imported.trials/task-0.jsonl']
      ?.trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    assert.deepEqual(lines, [
      { id: 'trial-0', messages: [{ user: 'Where is order 7?' }, { assistant: 'Shipped.' }] },
      { id: 'trial-1', messages: [{ user: 'Where is order 7?' }, { assistant: 'Lost.' }] },
    ]);
    assert.deepEqual(
      rated.map((one) => [one.case, one.variant, one.feedback.map(({ value }) => value)]),
      [
        ['task-0', 'trial-0', [1]],
        ['task-0', 'trial-1', [0]],
        ['where-is-order-7', undefined, [0]],
      ],
    );
    assert.match(found ?? '', /\| repeated tasks \| 1 \| 2 trials; each task becomes one case \|/);
    assert.match(found ?? '', /\| feedback \| 3 \| reward \|/);
  });

  it('have the conversations that their variants have in a run', async () => {
    const { texts, data, rated } = await imported(
      'log.jsonl',
      jsonLines(trial('a', 0, 'Shipped.', { reward: 1 }), trial('a', 1, 'Lost.', { reward: 0 })),
    );
    const { suite } = await load(texts[0] ?? '', data);
    const expanded = await suite?.cases[0]?.expand?.();
    const opened = await Promise.all(expanded?.cases.map((one) => one.open?.()) ?? []);
    const hashes = opened.map((one) => {
      const origin = one?.suiteCase?.origin;
      assert.equal(origin?.kind, 'transcript');
      return [one?.suiteCase?.variant, conversationHash(toConversation(origin.messages))];
    });
    assert.deepEqual(
      rated.map(({ variant, messages }) => [
        variant,
        conversationHash(toConversation(messages.map((message) => ({ message })))),
      ]),
      hashes,
    );
  });

  it('keep what differs between them, and trials with the same name', async () => {
    const tool = (name: string) => ({ tools: [{ type: 'function', function: { name } }] });
    const { data, cases } = await imported(
      'log.jsonl',
      jsonLines(trial('a', 1, 'A', tool('find')), trial('a', 1, 'B', tool('cancel'))),
    );
    const [text = ''] = Object.values(data);
    const lines = text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    assert.deepEqual(
      lines.map(({ id, tools }) => [id, tools[0].name]),
      [
        ['trial-1', 'find'],
        ['trial-1-2', 'cancel'],
      ],
    );
    assert.equal(cases[0].tools, undefined);
  });
});

describe('feedback in a log', () => {
  it('can be thumbs on messages, a list with names and comments, or a key of the conversation', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello', feedback: 'thumbs_up' },
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: 'No idea.', feedback: { score: 0, comment: 'Rude.' } },
    ];
    const feedback = [
      { key: 'helpful', score: 0, comment: 'No.', created_at: '2026-01-02T03:04:05+01:00' },
    ];
    const { rated, lost } = await imported(
      'log.jsonl',
      jsonLines({ messages, feedback, rating: 4 }),
    );
    assert.deepEqual(lost, []);
    assert.deepEqual(
      rated[0]?.feedback.map(({ person: _, ...one }) => JSON.parse(JSON.stringify(one))),
      [
        { name: 'rating', value: 4 },
        { name: 'helpful', value: 0, comment: 'No.', at: '2026-01-02T02:04:05.000Z' },
        { name: 'feedback', value: 'thumbs_up', turn: 2 },
        { name: 'feedback', value: 0, turn: 4, comment: 'Rude.' },
      ],
    );
  });

  it('is suggested as assertions', async () => {
    const { texts } = await imported('log.jsonl', jsonLines(trial('a', 1, 'A', { reward: 1 })));
    assert.match(texts[0] ?? '', /^# - \{ name: reward, type: criterion, criterion: "" \}$/m);
  });
});
