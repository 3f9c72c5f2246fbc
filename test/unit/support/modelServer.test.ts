import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as faults from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { json, jsonInTokens } from '../../support/modelServer/steps.ts';

async function start(t: TestContext, ...args: Parameters<typeof startModelServer>) {
  const server = await startModelServer(...args);
  t.after(() => server.close());
  const ask = (more: object = {}, signal?: AbortSignal) =>
    fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }),
      ...(signal && { signal }),
    });
  return { server, ask };
}

async function firstChoice(response: Response) {
  const body = (await response.json()) as { choices: Record<string, unknown>[] };
  return body.choices[0];
}

test('answers from a queue in order and keeps every request with its headers', async (t) => {
  const { server, ask } = await start(t, ['one', json({ score: 1 })]);
  assert.deepEqual((await firstChoice(await ask()))?.message, {
    role: 'assistant',
    content: 'one',
    refusal: null,
  });
  assert.match(JSON.stringify(await firstChoice(await ask())), /\{\\"score\\":1\}/);
  assert.equal(server.left(), 0);
  assert.equal(server.requests.length, 2);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer key');
  assert.equal(server.requests[0]?.body.messages[0]?.content, 'Hi');
});

test('answers from a function of the request', async (t) => {
  const { ask } = await start(t, (body, index) => `${body.model} ${index}`);
  await ask();
  const choice = await firstChoice(await ask());
  assert.match(JSON.stringify(choice), /"content":"m 1"/);
});

test('a used-up queue and a throwing function answer 400 with the reason', async (t) => {
  const empty = await (await start(t, [])).ask();
  assert.equal(empty.status, 400);
  assert.match(await empty.text(), /ended before request 1/);
  const throwing = await start(t, () => {
    throw new Error('no such case');
  });
  const response = await throwing.ask();
  assert.equal(response.status, 400);
  assert.match(await response.text(), /no such case/);
});

test('reports tool calls with JSON-string arguments', async (t) => {
  const { ask } = await start(t, [{ toolCalls: [{ name: 'find', arguments: { id: 7 } }] }]);
  const choice = await firstChoice(await ask());
  assert.equal(choice?.finish_reason, 'tool_calls');
  assert.match(JSON.stringify(choice), /"arguments":"\{\\"id\\":7\}"/);
});

test('counts usage, and as cached what an earlier request began with', async (t) => {
  const { ask } = await start(t, ['a', 'b', { text: 'c', usage: null }]);
  const messages = (last: string) => [{ role: 'user', content: 'x'.repeat(95) + last }];
  const usageOf = async (response: Response) =>
    ((await response.json()) as { usage?: Record<string, unknown> }).usage;
  assert.deepEqual(await usageOf(await ask({ messages: messages('1') })), {
    prompt_tokens: 26,
    completion_tokens: 1,
    total_tokens: 27,
    prompt_tokens_details: { cached_tokens: 0 },
  });
  assert.deepEqual((await usageOf(await ask({ messages: messages('2') })))?.prompt_tokens_details, {
    cached_tokens: 25,
  });
  assert.equal(await usageOf(await ask()), undefined);
});

test('sends log-probabilities where they are asked for', async (t) => {
  const said = jsonInTokens({ score: 8 }, '8', { 8: -0.5, 6: -1 });
  const { ask } = await start(t, [said, said]);
  assert.equal((await firstChoice(await ask()))?.logprobs, null);
  const choice = await firstChoice(await ask({ logprobs: true }));
  assert.deepEqual(choice?.logprobs, {
    content: [
      { token: '{"score":', logprob: 0, top_logprobs: [] },
      {
        token: '8',
        logprob: -0.5,
        top_logprobs: [
          { token: '6', logprob: -1 },
          { token: '8', logprob: -0.5 },
        ],
      },
      { token: '}', logprob: 0, top_logprobs: [] },
    ],
  });
});

test('answers so many times as `n` says where it can, and once where it cannot', async (t) => {
  const choicesOf = async (response: Response) =>
    ((await response.json()) as { choices: unknown[] }).choices.length;
  const several = await start(t, ['a', 'b', 'c'], { several: true });
  assert.equal(await choicesOf(await several.ask({ n: 3 })), 3);
  const single = await start(t, ['a', 'b', 'c']);
  assert.equal(await choicesOf(await single.ask({ n: 3 })), 1);
  const refusing = await start(t, ['a'], { rejects: ['n', 'logprobs'] });
  assert.equal((await refusing.ask({ n: 3 })).status, 400);
  assert.equal((await refusing.ask({ logprobs: true })).status, 400);
  assert.equal((await refusing.ask()).status, 200);
});

test('gives embeddings, where it has some', async (t) => {
  const { server } = await start(t, [], { embed: (text) => [text.length, 1] });
  const embed = (baseUrl: string) =>
    fetch(`${baseUrl}/embeddings`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', input: ['a', 'abc'] }),
    });
  const { data } = (await (await embed(server.baseUrl)).json()) as { data: { index: number }[] };
  assert.deepEqual(
    data.map(({ index }) => index),
    [1, 0],
  );
  assert.deepEqual(server.embedded, [['a', 'abc']]);
  assert.equal((await embed((await start(t, [])).server.baseUrl)).status, 404);
});

test('lists its model', async (t) => {
  const { server } = await start(t, []);
  const list = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: unknown[] };
  assert.equal(list.data.length, 1);
});

test('rejects with 400 what the endpoint is told to reject, and only that', async (t) => {
  const { ask } = await start(t, () => 'fine', { rejects: ['json_schema', 'temperature'] });
  const strict = await ask({ response_format: { type: 'json_schema', json_schema: {} } });
  assert.equal(strict.status, 400);
  assert.match(await strict.text(), /response_format/);
  assert.equal((await ask({ temperature: 0 })).status, 400);
  assert.equal((await ask({ response_format: { type: 'json_object' } })).status, 200);
});

const STATUSES: [string, Script, number, RegExp][] = [
  ['rate limit', [faults.rateLimited(3)], 429, /Rate limit/],
  ['server error', [faults.serverError()], 500, /had an error/],
  ['unauthorized', [faults.unauthorized('sk-1')], 401, /sk-1/],
  ['unknown model', [faults.notFound()], 404, /does not exist/],
  ['too long', [faults.contextTooLong()], 400, /maximum context length/],
  ['invalid JSON', [faults.invalidJson()], 200, /"Hel$/],
  ['plain text', [faults.plainText()], 200, /All fine/],
  ['HTML page', [faults.htmlPage()], 502, /<html>/],
  ['missing choices', [faults.missingChoices()], 200, /chat.completion/],
  ['cut-off', [faults.cutOff()], 200, /"finish_reason":"length"/],
  ['content filter', [faults.contentFilter()], 200, /"finish_reason":"content_filter"/],
  ['refusal', [faults.refusal('No.')], 200, /"refusal":"No\."/],
  ['empty content', [faults.emptyContent()], 200, /"content":""/],
];

for (const [name, script, status, text] of STATUSES) {
  test(`fault: ${name}`, async (t) => {
    const response = await (await start(t, script)).ask();
    assert.equal(response.status, status);
    assert.match(await response.text(), text);
  });
}

test('fault: connection reset, before and within the body', async (t) => {
  const { ask } = await start(t, [faults.connectionReset(), faults.cutConnection()]);
  await assert.rejects(ask());
  const cut = await ask();
  await assert.rejects(cut.text());
});

test('fault: a hang and endless bodies last until the client leaves', async (t) => {
  const { ask } = await start(t, [faults.hang(), faults.endlessTrickle(), faults.endlessFlood()]);
  for (let count = 0; count < 3; count += 1) {
    await assert.rejects(async () => (await ask({}, AbortSignal.timeout(100))).text(), {
      name: 'TimeoutError',
    });
  }
});
