import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';
import { realLines } from '../../support/realData.ts';

const USER = { role: 'user', content: 'Where is order 7?' };
const CALL = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{"n":7}' } }],
};
const RESULT = { role: 'tool', tool_call_id: 'c', content: 'shipped' };
const REPLY = { role: 'assistant', content: 'It was shipped.' };
const WHOLE = [
  { user: 'Where is order 7?' },
  {
    assistant: null,
    tool_calls: [{ id: 'c', function: { name: 'find', arguments: { n: 7 } } }],
  },
  { tool: 'shipped', tool_call_id: 'c' },
  { assistant: 'It was shipped.' },
];

describe('chat logs', () => {
  it('can be messages, requests with answers, or items of Responses', async () => {
    const answer = { choices: [{ index: 0, message: REPLY }], usage: {} };
    const items = [
      USER,
      { type: 'function_call', call_id: 'c', name: 'find', arguments: '{"n":7}' },
      { type: 'function_call_output', call_id: 'c', output: 'shipped' },
    ];
    const output = [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: REPLY.content }],
      },
    ];
    const asked = [USER, CALL, RESULT];
    for (const line of [
      { messages: [...asked, REPLY] },
      { request: { model: 'm', messages: asked }, response: answer },
      { request: { model: 'm', messages: asked }, response: JSON.stringify(answer) },
      { custom_id: 'x', body: { model: 'm', messages: asked }, response: { body: answer } },
      { model: 'm', input: items, output },
      { request: { model: 'm', input: items }, response: { output } },
      { request: { body: { model: 'm', input: items } }, response: { body: { output } } },
    ]) {
      const { cases, importer, broken } = await imported('log.jsonl', jsonLines(line));
      assert.deepEqual([importer, broken], ['chat logs', []], JSON.stringify(line));
      assert.deepEqual(cases[0].transcript, WHOLE, JSON.stringify(line));
    }
  });

  it('can contain an answer as events of a stream', async () => {
    const delta = (given: object) => `data: ${JSON.stringify({ choices: [{ delta: given }] })}\n\n`;
    const chat = [
      delta({ role: 'assistant', content: 'It was ' }),
      delta({ content: 'shipped.' }),
      'data: [DONE]\n',
    ].join('');
    const output = [{ type: 'message', role: 'assistant', content: 'It was shipped.' }];
    const event = JSON.stringify({ type: 'response.completed', response: { output } });
    for (const response of [chat, `event: response.completed\ndata: ${event}\n\n`]) {
      const request = { model: 'm', messages: [USER] };
      const { cases } = await imported('log.jsonl', jsonLines({ request, response }));
      assert.deepEqual(cases[0].transcript, [WHOLE[0], WHOLE[3]]);
    }
    const pieces = [
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'find', arguments: '{"n"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: ':7}' } }] }),
    ].join('');
    // Some endpoints repeat the id and name in each chunk.
    for (const response of [
      pieces,
      pieces.replace('"function":{"arg', '"id":"c","function":{"name":"find","arg'),
    ]) {
      const { cases } = await imported(
        'log.jsonl',
        jsonLines({ request: { model: 'm', messages: [USER] }, response }),
      );
      assert.deepEqual(cases[0].transcript, WHOLE.slice(0, 2));
    }
  });

  it('of one session are one case, whether or not requests repeat earlier messages', async () => {
    const bye = { role: 'assistant', content: 'Bye.' };
    const thanks = { role: 'user', content: 'Thanks!' };
    const log = (messages: object[], message: object) => ({
      session_id: 's-1',
      request: { model: 'm', messages },
      response: { choices: [{ message }] },
    });
    for (const second of [[USER, REPLY, thanks], [thanks]]) {
      const { cases } = await imported(
        'log.jsonl',
        jsonLines(log([USER], REPLY), log(second, bye)),
      );
      assert.equal(cases.length, 1);
      assert.equal(cases[0].id, 's-1');
      assert.deepEqual(cases[0].transcript, [
        { user: USER.content },
        { assistant: REPLY.content },
        { user: 'Thanks!' },
        { assistant: 'Bye.' },
      ]);
    }
  });

  it('keep tools and instructions, and report keys without a counterpart', async () => {
    const tool = { type: 'function', function: { name: 'find', parameters: { type: 'object' } } };
    const { cases, lost } = await imported(
      'log.jsonl',
      jsonLines({
        id: 'a',
        model: 'm',
        instructions: 'Be kind.',
        tools: [tool],
        input: 'Hi',
        output: [
          { type: 'reasoning', summary: [] },
          { role: 'assistant', content: 'Hello' },
        ],
        temperature: 1,
      }),
    );
    assert.deepEqual(cases[0].tools, [{ name: 'find', parameters: { type: 'object' } }]);
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'Hi' },
      { assistant: 'Hello' },
    ]);
    assert.deepEqual(lost, [
      '1 `temperature` has no Turnlight equivalent.',
      "1 Not shown: The model's reasoning.",
    ]);
  });

  it('can be one conversation, as a list or one message per line', async () => {
    const list = [USER, CALL, RESULT, REPLY];
    for (const [name, content] of [
      ['talk.json', list],
      ['talk.jsonl', jsonLines(...list)],
      ['talk.yaml', '- user: Hi\n- assistant: Hello\n'],
      ['talk.json', { messages: list }],
    ] as const) {
      const { cases } = await imported(name, content);
      assert.equal(cases.length, 1, name);
    }
  });

  it('are one conversation if call ids change between requests, and results without a call are reported', async () => {
    const call = (id: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, function: { name: 'find', arguments: '{}' } }],
    });
    const log = (messages: object[], message: object) => ({
      session_id: 's',
      request: { model: 'm', messages },
      response: { choices: [{ message }] },
    });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' });
    const { cases, broken } = await imported(
      'log.jsonl',
      jsonLines(
        log([USER], call('a')),
        log([call('b'), result('b')], REPLY),
        log([result('zzz')], REPLY),
      ),
    );
    assert.deepEqual(cases[0].transcript.slice(1, 3), [
      { assistant: null, tool_calls: [{ id: 'a', function: { name: 'find', arguments: {} } }] },
      { tool: 'x', tool_call_id: 'a' },
    ]);
    assert.match(
      broken[0] ?? '',
      /^3 A request was left out\. .*No open tool call has the id "zzz"/,
    );
  });

  it('without a readable answer are reported, and the previous line is kept', async () => {
    const { cases, broken } = await imported(
      'log.jsonl',
      jsonLines({ messages: [USER, REPLY] }, { messages: [USER] }),
    );
    assert.equal(cases.length, 1);
    assert.deepEqual(broken, ['2 This conversation has no message from the assistant.']);
  });

  const recorded = realLines('openai-responses/recorded-bodies.sample.jsonl');
  it('recorded from OpenAI: 11 of 12, and the one with an unreadable answer is reported', {
    skip: recorded.skip,
  }, async () => {
    const { cases, broken } = await imported('bodies.jsonl', jsonLines(...recorded.lines()));
    assert.equal(cases.length, 11);
    assert.ok(broken.includes('1 This conversation has no message from the assistant.'));
  });

  const airline = realLines('tau-bench/gpt-4o-airline.sample.jsonl');
  it('of tau-bench: all 40 trials of 10 tasks, with their rewards', {
    skip: airline.skip,
  }, async () => {
    const { cases, broken, lost, data, rated } = await imported(
      'airline.jsonl',
      jsonLines(...airline.lines()),
    );
    assert.deepEqual([broken, lost], [[], []]);
    assert.equal(cases.length, 10);
    const trials = Object.values(data).flatMap((text) => text.trim().split('\n'));
    assert.equal(trials.length, 40);
    assert.equal(rated.length, 40);
  });
});
