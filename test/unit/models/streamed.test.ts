import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { resetAbilities } from '../../../src/models/openai/abilities.ts';
import { createModel } from '../../../src/models/registry.ts';
import * as faults from '../../support/modelServer/faults.ts';
import {
  type Script,
  type ServerOptions,
  startModelServer,
} from '../../support/modelServer/server.ts';
import type { Answer, Fault } from '../../support/modelServer/steps.ts';

beforeEach(resetAbilities);

async function ask(
  t: TestContext,
  script: Script,
  {
    api = 'chat-completions',
    streams = true,
    ...options
  }: ServerOptions & { readonly api?: string; readonly streams?: boolean } = {},
) {
  const server = await startModelServer(script, options);
  t.after(() => server.close());
  const params = { provider: 'openai', model: 'm', base_url: server.baseUrl, api };
  const host = { secret: async () => 'sk-0123456789', env: () => undefined };
  const model = await createModel(
    { id: 'openai:m', provider: 'openai', params, folder: '/' },
    { ...host, scrubber: new Scrubber(), log: SILENT },
  );
  const heard: string[] = [];
  const onText = (soFar: string) => void heard.push(soFar);
  const request = {
    messages: [{ role: 'user' as const, content: 'Hi' }],
    ...(streams && { onText }),
  };
  const { signal } = new AbortController();
  const reply = async () => (await model.complete(request, 1, signal))[0];
  return {
    first: await reply(),
    reply,
    heard,
    asked: server.requests.map(({ body }) => body.stream),
  };
}

/** An endpoint's raw stream. */
const stream = (text: string): Fault => faults.body(200, text, 'text/event-stream');

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ['a text', { text: 'Good day to you.', usage: { input: 9, cached: 2, output: 3 } }],
  [
    'calls',
    {
      text: 'One moment.',
      toolCalls: [
        { id: 'a', name: 'find', arguments: { id: 7 } },
        { id: 'b', name: 'stop', arguments: {} },
      ],
    },
  ],
  ['a refusal', { refusal: 'I will not.' }],
  ['what is cut off', { text: 'Good', finish: 'length' }],
  ['no usage', { text: 'Good day.', usage: null }],
];

describe('a streamed reply', () => {
  for (const api of ['chat-completions', 'responses']) {
    for (const [what, answer] of ANSWERS) {
      const finish =
        answer.finish === 'length' && api === 'responses' ? 'max_output_tokens' : answer.finish;
      const step = { ...answer, ...(finish !== undefined && { finish }) };
      it(`equals an unstreamed one: ${what} (${api})`, async (t) => {
        const whole = await ask(t, [step], { api, streams: false });
        const streamed = await ask(t, [step], { api });
        assert.deepEqual(streamed.first, whole.first);
        assert.deepEqual([whole.asked, streamed.asked], [[undefined], [true]]);
      });
    }

    it(`is reported as it grows (${api})`, async (t) => {
      const { heard } = await ask(t, ['Good day to you.'], { api });
      assert.deepEqual(heard, ['Good ', 'Good day ', 'Good day to ', 'Good day to you.']);
    });
  }

  it('may also arrive in one piece', async (t) => {
    const at = { message: { content: 'Hi.' }, finish_reason: 'stop' };
    const { first, heard } = await ask(t, [
      faults.body(200, JSON.stringify({ choices: [at] }), 'application/json'),
    ]);
    assert.deepEqual([first.text, heard], ['Hi.', []]);
  });

  it('is no longer requested if the endpoint refuses it', async (t) => {
    const { first, reply, asked } = await ask(t, () => 'Hi.', { rejects: ['stream'] });
    assert.equal(first.text, 'Hi.');
    assert.equal((await reply()).text, 'Hi.');
    assert.deepEqual(asked, [true, undefined]);
  });

  for (const [what, step, reason, words] of [
    [
      'an error',
      stream('data: {"error": {"message": "No credit."}}\n\n'),
      'malformed-reply',
      /No credit/,
    ],
    ['nothing', stream('data: [DONE]\n\n'), 'malformed-reply', /"choices"/],
    ['no JSON', stream('data: {"choi\n\n'), 'malformed-reply', /"choices"/],
    [
      'a call with a huge index',
      stream(
        'data: {"choices":[{"delta":{"tool_calls":[{"index":1000000000,"function":{"name":"x"}}]}}]}\n\n',
      ),
      'malformed-reply',
      /"choices"/,
    ],
    [
      'too many events',
      stream('data: {}\n\n'.repeat(LIMITS.events + 1)),
      'malformed-reply',
      /more than 250,000 events and was cut off/,
    ],
  ] as const) {
    it(`is an error if it contains ${what}`, (t) =>
      assert.rejects(ask(t, [step]), { reason, message: words }));
  }
});
