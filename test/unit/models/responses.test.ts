import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import type { Message } from '../../../src/core/message.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { ModelRequest } from '../../../src/models/model.ts';
import { resetAbilities } from '../../../src/models/openai/abilities.ts';
import { createModel } from '../../../src/models/registry.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { thoughtItem } from '../../support/modelServer/response.ts';
import {
  type Script,
  type ServerOptions,
  startModelServer,
} from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';

beforeEach(resetAbilities);

const HELLO: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] };

async function modelWith(
  t: TestContext,
  script: Script,
  { params = {}, ...options }: ServerOptions & { readonly params?: object } = {},
) {
  const server = await startModelServer(script, options);
  t.after(() => server.close());
  const keys = { provider: 'openai', model: 'm', base_url: server.baseUrl, api: 'responses' };
  const model = await createModel(
    { id: 'openai:m', provider: 'openai', params: { ...keys, ...params }, folder: '/' },
    {
      secret: async () => 'sk-test-0123456789',
      env: () => undefined,
      scrubber: new Scrubber(),
      log: SILENT,
    },
  );
  const ask = async (request: ModelRequest = HELLO) => {
    const [reply] = await model.complete(request, 1, new AbortController().signal);
    return reply;
  };
  return { server, ask, model };
}

describe('a model with the Responses API', () => {
  it('gets the conversation as items, without storing it', async (t) => {
    const { server, ask } = await modelWith(t, ['Hi!']);
    const calling: Message = {
      role: 'assistant',
      content: 'One moment.',
      toolCalls: [{ id: 'c1', name: 'find', arguments: { id: 7 } }],
    };
    const reply = await ask({
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Order 7?' },
        calling,
        { role: 'tool', callId: 'c1', content: 'shipped' },
      ],
      thoughts: new Map([[calling, [thoughtItem('abc')]]]),
      tools: [{ name: 'find', description: 'Finds.', parameters: { type: 'object' } }],
      temperature: 0,
      maxTokens: 50,
    });
    assert.equal(reply.text, 'Hi!');
    const [{ path, body } = assert.fail()] = server.requests;
    assert.equal(path, '/v1/responses');
    assert.deepEqual(body, {
      model: 'm',
      input: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Order 7?' },
        thoughtItem('abc'),
        { role: 'assistant', content: 'One moment.' },
        { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{"id":7}' },
        { type: 'function_call_output', call_id: 'c1', output: 'shipped' },
      ],
      store: false,
      tools: [
        {
          type: 'function',
          name: 'find',
          description: 'Finds.',
          parameters: { type: 'object' },
          strict: false,
        },
      ],
      temperature: 0,
      max_output_tokens: 50,
      include: ['reasoning.encrypted_content'],
    });
  });

  it('returns text, calls, reasoning, usage, and cost', async (t) => {
    const { ask } = await modelWith(
      t,
      [
        {
          thought: 'abc',
          text: 'Looking.',
          toolCalls: [{ id: 'c9', name: 'find', arguments: { id: 7 } }],
          usage: { input: 1000, cached: 400, output: 100 },
          version: 'm-1',
        },
      ],
      { params: { price: { input: 2, cached_input: 0.5, output: 10 } } },
    );
    const { usage, ...reply } = await ask();
    assert.deepEqual(reply, {
      text: 'Looking.',
      toolCalls: [{ id: 'c9', name: 'find', arguments: { id: 7 } }],
      finish: 'tool-calls',
      version: 'm-1',
      thoughts: [{ ...thoughtItem('abc') }],
    });
    assert.deepEqual(
      [usage.input_tokens, usage.cached_tokens, usage.output_tokens],
      [1000, 400, 100],
    );
    assert.ok(Math.abs((usage.cost ?? 0) - 0.0024) < 1e-9);
  });

  it('gets a strict schema for judges, then whatever the endpoint accepts', async (t) => {
    const answer = { name: 'verdict', schema: { type: 'object' } };
    const { server, ask } = await modelWith(t, (body) => {
      const type = Object(body.text).format?.type;
      if (type !== 'json_schema') return json({ score: 1 });
      return faults.httpError(400, "Invalid parameter: 'text.format' is not supported.");
    });
    assert.equal((await ask({ ...HELLO, answer })).text, '{"score":1}');
    const formats = server.requests.map(({ body }) => Object(body.text).format);
    assert.deepEqual(formats, [
      { type: 'json_schema', name: 'verdict', strict: true, schema: answer.schema },
      { type: 'json_object' },
    ]);
  });

  it('is no longer asked for reasoning if the endpoint does not support it', async (t) => {
    const tools = [{ name: 'find' }];
    const { server, ask } = await modelWith(t, (body) =>
      body.include ? faults.httpError(400, 'Encrypted content is not supported.') : 'Hi!',
    );
    for (let times = 0; times < 2; times += 1) await ask({ ...HELLO, tools });
    assert.deepEqual(
      server.requests.map(({ body }) => body.include !== undefined),
      [true, false, false],
    );
  });

  it('returns token probabilities', async (t) => {
    const { ask, server } = await modelWith(t, [
      { text: '8', tokens: [{ text: '8', top: { 8: -0.1, 6: -2 } }] },
    ]);
    const { tokens } = await ask({ ...HELLO, logprobs: true });
    assert.deepEqual(tokens, [
      {
        text: '8',
        top: [
          { text: '6', logprob: -2 },
          { text: '8', logprob: -0.1 },
        ],
      },
    ]);
    assert.deepEqual(server.requests[0]?.body.include, ['message.output_text.logprobs']);
  });

  it('gets one request per answer', async (t) => {
    const { model } = await modelWith(t, ['a', 'b', 'c']);
    const replies = await model.complete(HELLO, 3, new AbortController().signal);
    assert.deepEqual(
      replies.map(({ text }) => text),
      ['a', 'b', 'c'],
    );
  });

  for (const [finish, expected] of [
    ['max_output_tokens', 'length'],
    ['content_filter', 'content-filter'],
    ['bored', 'other'],
  ] as const) {
    it(`ends with ${expected} if it is incomplete because of ${finish}`, async (t) => {
      const { ask } = await modelWith(t, [{ text: 'Hel', finish }]);
      assert.equal((await ask()).finish, expected);
    });
  }

  it('reports a refusal and a failure', async (t) => {
    const { ask } = await modelWith(t, [faults.refusal('No.'), { finish: 'error' }]);
    assert.equal((await ask()).refusal, 'No.');
    await assert.rejects(ask(), { reason: 'malformed-reply', message: /The model failed\./ });
  });

  it('is an error if the endpoint only has Chat Completions', async (t) => {
    const { ask } = await modelWith(t, [faults.missingChoices()]);
    await assert.rejects(ask(), { reason: 'malformed-reply', message: /"output"/ });
  });
});
