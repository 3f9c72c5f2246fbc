import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeEach, it, type TestContext, test } from 'node:test';
import * as tls from 'node:tls';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { ModelSpec } from '../../../src/core/suite.ts';
import {
  type Model,
  ModelError,
  type ModelErrorReason,
  type ModelHost,
  type ModelRequest,
} from '../../../src/models/model.ts';
import { answerFormatFor, resetAbilities } from '../../../src/models/openai/abilities.ts';
import { openaiSchema } from '../../../src/models/openai/params.ts';
import { createModel } from '../../../src/models/registry.ts';
import * as faults from '../../support/modelServer/faults.ts';
import {
  type ModelServer,
  type Rejected,
  type Script,
  startModelServer,
} from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { EXPIRED, PRIVATE_KEY } from '../../support/selfSigned.ts';

/** Newer than our types, which are those of the oldest supported Node. */
const { getCACertificates, setDefaultCACertificates } = tls as unknown as {
  getCACertificates(which: string): string[];
  setDefaultCACertificates(certificates: readonly string[]): void;
};

const KEY = 'sk-test-0123456789';

beforeEach(resetAbilities);

function host(
  secrets: Record<string, string> = { OPENAI_API_KEY: KEY },
  logged: string[] = [],
): ModelHost {
  const log = (message: string) => void logged.push(message);
  return {
    secret: async (name) => secrets[name],
    env: () => undefined,
    scrubber: new Scrubber(),
    log: { debug: log, info: log, warn: log, error: log },
  };
}

function spec(params: object): ModelSpec {
  return {
    id: 'openai:m',
    provider: 'openai',
    params: { provider: 'openai', model: 'm', ...params },
    folder: '/',
  };
}

interface Setup {
  readonly params?: object;
  readonly rejects?: readonly Rejected[];
  readonly host?: ModelHost;
}

async function modelWith(
  t: TestContext,
  script: Script,
  setup: Setup = {},
): Promise<{ server: ModelServer; model: Model }> {
  const server = await startModelServer(script, { rejects: setup.rejects ?? [] });
  t.after(() => server.close());
  const model = await createModel(
    spec({ base_url: server.baseUrl, ...setup.params }),
    setup.host ?? host(),
  );
  return { server, model };
}

const HELLO: ModelRequest = { messages: [{ role: 'user', content: 'Hello' }] };
const ANSWER = {
  name: 'verdict',
  schema: { type: 'object', properties: { score: { type: 'number' } } },
};

async function ask(model: Model, request: ModelRequest = HELLO) {
  const [reply] = await model.complete(request, 1, new AbortController().signal);
  return reply;
}

async function failure(promise: Promise<unknown>): Promise<ModelError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return error;
  }
  throw new Error('It was expected to fail.');
}

test("sends the conversation in OpenAI's chat format and reads text, version, and usage", async (t) => {
  const { server, model } = await modelWith(t, [
    { text: 'Hi!', version: 'm-1', usage: { input: 10, cached: 4, output: 2 } },
  ]);
  const reply = await ask(model, {
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Order 7?' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'c1', name: 'find', arguments: { id: 7 } }],
      },
      { role: 'tool', callId: 'c1', content: 'shipped' },
      { role: 'assistant', content: 'Shipped.', retrievalContext: ['not for the endpoint'] },
      { role: 'user', content: 'Thanks' },
    ],
    tools: [{ name: 'find', description: 'Finds.', parameters: { type: 'object' } }],
    temperature: 0,
    maxTokens: 50,
  });
  assert.deepEqual(reply, {
    text: 'Hi!',
    toolCalls: [],
    finish: 'stop',
    version: 'm-1',
    usage: { calls: 1, input_tokens: 10, cached_tokens: 4, output_tokens: 2, cost: null },
  });
  assert.deepEqual(server.requests[0]?.body, {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Order 7?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"id":7}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
      { role: 'assistant', content: 'Shipped.' },
      { role: 'user', content: 'Thanks' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'find', description: 'Finds.', parameters: { type: 'object' } },
      },
    ],
    temperature: 0,
    max_tokens: 50,
  });
});

test('reads tool calls; arguments that are not JSON stay text', async (t) => {
  const { model } = await modelWith(t, [
    {
      toolCalls: [
        { id: 'a', name: 'find', arguments: { id: 7 } },
        { name: 'stop', arguments: '{oops' },
      ],
    },
  ]);
  const reply = await ask(model);
  assert.equal(reply.finish, 'tool-calls');
  assert.deepEqual(reply.toolCalls, [
    { id: 'a', name: 'find', arguments: { id: 7 } },
    { id: 'call_2', name: 'stop', arguments: '{oops' },
  ]);
});

test('computes the cost from the price per million tokens', async (t) => {
  const { model } = await modelWith(
    t,
    [{ text: 'x', usage: { input: 1000, cached: 400, output: 100 } }],
    {
      params: { price: { input: 2, cached_input: 0.5, output: 10 } },
    },
  );
  const { usage } = await ask(model);
  assert.ok(Math.abs((usage.cost ?? 0) - (600 * 2 + 400 * 0.5 + 100 * 10) / 1e6) < 1e-12);
});

test('the cost is unknown, not 0, without reported usage', async (t) => {
  const { model } = await modelWith(t, [{ text: 'x', usage: null }], {
    params: { price: { input: 2, output: 10 } },
  });
  assert.deepEqual((await ask(model)).usage, {
    calls: 1,
    input_tokens: 0,
    cached_tokens: 0,
    output_tokens: 0,
    cost: null,
  });
});

test('sends the key only as Authorization', async (t) => {
  const { server, model } = await modelWith(t, ['x'], {
    params: { api_key_env: 'MY_KEY', headers: { 'x-team': 'evals' } },
    host: host({ MY_KEY: `${KEY}\n` }),
  });
  await ask(model);
  const [request] = server.requests;
  assert.equal(request?.headers.authorization, `Bearer ${KEY}`);
  assert.equal(request?.headers['x-team'], 'evals');
  const { authorization: _, ...others } = request?.headers ?? {};
  assert.doesNotMatch(JSON.stringify([others, request?.text]), new RegExp(KEY));
});

test('reports a missing key with variable and command, before anything is sent', async () => {
  const error = await failure(createModel(spec({ api_key_env: 'MY_KEY' }), host({})));
  assert.equal(error.reason, 'missing-key');
  assert.match(error.message, /MY_KEY.*"Turnlight: Set API Key…"/);
});

test('needs no key for a custom endpoint', async (t) => {
  const { server, model } = await modelWith(t, ['x'], { host: host({}) });
  await ask(model);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer no-key');
});

test("refuses a pasted key instead of a variable's name", () => {
  const parsed = openaiSchema.safeParse({
    provider: 'openai',
    model: 'm',
    api_key_env: 'sk-1-2',
  });
  assert.match(parsed.error?.issues[0]?.message ?? '', /name of a variable/);
});

test('asks for structured output as a strict JSON Schema', async (t) => {
  const { server, model } = await modelWith(t, [json({ score: 1 })]);
  assert.equal((await ask(model, { ...HELLO, answer: ANSWER })).text, '{"score":1}');
  assert.deepEqual(server.requests[0]?.body.response_format, {
    type: 'json_schema',
    json_schema: { name: 'verdict', strict: true, schema: ANSWER.schema },
  });
});

test('falls back to json_object and then to plain text with the schema last, and remembers it', async (t) => {
  const logged: string[] = [];
  const { server, model } = await modelWith(t, () => json({ score: 1 }), {
    rejects: ['json_schema', 'json_object'],
    host: host({}, logged),
  });
  await ask(model, { ...HELLO, answer: ANSWER });
  await ask(model, { ...HELLO, answer: ANSWER });
  const formats = server.requests.map(({ body }) => body.response_format?.type);
  assert.deepEqual(formats, ['json_schema', 'json_object', undefined, undefined]);
  const [message] = server.requests[3]?.body.messages ?? [];
  assert.ok(message?.content?.startsWith('Hello\n\n'));
  assert.ok(message?.content?.endsWith(JSON.stringify(ANSWER.schema)));
  assert.equal(logged.length, 2);
});

test("puts the schema last if the model's answer_format says so, and falls back from there", async (t) => {
  const { server, model } = await modelWith(t, () => json({ score: 1 }), {
    rejects: ['json_object'],
    params: { answer_format: 'json_object' },
  });
  await ask(model, { ...HELLO, answer: ANSWER });
  const strict = await createModel(spec({ base_url: server.baseUrl }), host());
  await ask(strict, { ...HELLO, answer: ANSWER });
  const formats = server.requests.map(({ body }) => body.response_format?.type);
  assert.deepEqual(formats, ['json_object', undefined, 'json_schema']);
  const [message] = server.requests[0]?.body.messages ?? [];
  assert.ok(message?.content?.endsWith(JSON.stringify(ANSWER.schema)));
  assert.equal(server.requests[0]?.body.response_format?.json_schema, undefined);
});

test('uses a strict schema for requests with a shared beginning, unless the endpoint reads the schema first', async (t) => {
  const { server, model } = await modelWith(t, () => json({ score: 1 }));
  const reply = await ask(model, { ...HELLO, answer: ANSWER, shared: true });
  assert.equal(server.requests[0]?.body.response_format?.type, 'json_schema');
  assert.equal(reply.answerFormat, undefined);
});

test('parallel requests settle on the same fallback', async (t) => {
  const { server, model } = await modelWith(t, () => json({ score: 1 }), {
    rejects: ['json_schema'],
  });
  await Promise.all([1, 2, 3].map(() => ask(model, { ...HELLO, answer: ANSWER })));
  await ask(model, { ...HELLO, answer: ANSWER });
  assert.equal(server.requests.at(-1)?.body.response_format?.type, 'json_object');
});

test('omits a temperature that the endpoint refuses, and remembers it', async (t) => {
  const { server, model } = await modelWith(t, () => 'x', { rejects: ['temperature'] });
  await ask(model, { ...HELLO, temperature: 0 });
  await ask(model, { ...HELLO, temperature: 0 });
  assert.deepEqual(
    server.requests.map(({ body }) => body.temperature),
    [0, undefined, undefined],
  );
});

test('reports a temperature out of range instead of omitting it', async (t) => {
  const { model } = await modelWith(t, [
    faults.httpError(400, "Invalid 'temperature': decimal above maximum value. Expected <= 2."),
  ]);
  assert.equal((await failure(ask(model, { ...HELLO, temperature: 2 }))).reason, 'bad-request');
});

test('uses max_completion_tokens if max_tokens is refused', async (t) => {
  const { server, model } = await modelWith(t, () => 'x', { rejects: ['max_tokens'] });
  await ask(model, { ...HELLO, maxTokens: 9 });
  assert.equal(server.requests[1]?.body.max_completion_tokens, 9);
  assert.equal(server.requests[1]?.body.max_tokens, undefined);
});

test('stops after a few requests if the endpoint refuses everything', async (t) => {
  const { server, model } = await modelWith(t, () =>
    faults.httpError(
      400,
      'response_format, temperature, max_tokens, max_completion_tokens: unsupported',
    ),
  );
  const error = await failure(
    ask(model, { ...HELLO, answer: ANSWER, temperature: 0, maxTokens: 9 }),
  );
  assert.equal(error.reason, 'bad-request');
  assert.equal(server.requests.length, 5);
});

test('reports truncation, a content filter, and a refusal', async (t) => {
  const { model } = await modelWith(t, [
    faults.cutOff(),
    faults.contentFilter(),
    faults.refusal('No.'),
    faults.emptyContent(),
  ]);
  assert.equal((await ask(model)).finish, 'length');
  assert.equal((await ask(model)).finish, 'content-filter');
  assert.equal((await ask(model)).refusal, 'No.');
  assert.equal((await ask(model)).text, '');
});

test('reports a reply that ends with an error, and logs unknown finish reasons once', async (t) => {
  const logged: string[] = [];
  const { model } = await modelWith(
    t,
    [{ finish: 'error' }, { text: 'a', finish: 'eos' }, { text: 'b', finish: 'eos' }],
    { host: host({}, logged) },
  );
  assert.equal((await ask(model)).finish, 'error');
  assert.equal((await ask(model)).finish, 'other');
  assert.equal((await ask(model)).text, 'b');
  assert.deepEqual(logged, ['openai:m ended a reply with the unknown finish_reason "eos".']);
});

test('retries after a rate limit with Retry-After, a server error, and a lost connection', async (t) => {
  const { server, model } = await modelWith(t, [
    faults.rateLimited(0),
    faults.serverError(),
    faults.cutConnection(),
    'At last',
  ]);
  const reply = await ask(model);
  assert.equal(reply.text, 'At last');
  assert.equal(reply.usage.calls, 1);
  assert.equal(server.requests.length, 4);
});

test('does not follow redirects', async (t) => {
  for (const status of [301, 302, 307, 308]) {
    const elsewhere = await startModelServer(() => 'stolen');
    t.after(() => elsewhere.close());
    const { server, model } = await modelWith(t, [faults.redirect(elsewhere.baseUrl, status)]);
    const error = await failure(ask(model));
    assert.equal(error.reason, 'redirected');
    assert.ok(error.message.includes(elsewhere.baseUrl), error.message);
    assert.deepEqual([server.requests.length, elsewhere.requests.length], [1, 0]);
  }
});

test('retries after a connection reset', async (t) => {
  const { model } = await modelWith(t, [faults.connectionReset(), 'Back']);
  assert.equal((await ask(model)).text, 'Back');
});

for (const [what, fault] of [
  ['resets the connection after its answer', faults.resetAfter('Fine')],
  ['sends it in small pieces', faults.slowBytes('Fine')],
  ['sends it under another type', faults.wrongType('Fine')],
  ['sends it as a stream that nobody asked for', faults.wrongType('Fine', 'text/event-stream')],
  ['sends it after a megabyte of white space', faults.paddedJson('Fine')],
  ['refused it before without Retry-After', [faults.refused(), 'Fine']],
] as const) {
  test(`accepts an endpoint that ${what}`, async (t) => {
    const { model } = await modelWith(t, [fault, 'Next'].flat());
    assert.equal((await ask(model)).text, 'Fine');
    assert.equal((await ask(model)).text, 'Next');
  });
}

const FAILURES: [string, () => Script, ModelErrorReason, RegExp][] = [
  ['401', () => [faults.unauthorized(KEY)], 'unauthorized', /OPENAI_API_KEY.*Set API Key/],
  ['403', () => [faults.httpError(403, 'Not for you.')], 'unauthorized', /refused the key/],
  ['404', () => [faults.notFound()], 'not-found', /"m".*base_url/],
  ['400', () => [faults.httpError(400, 'Bad tools.')], 'bad-request', /Bad tools/],
  ['a context too long', () => [faults.contextTooLong()], 'too-long', /max_input_tokens/],
  ['429 without end', () => () => faults.rateLimited(0), 'rate-limited', /concurrency/],
  ['500 without end', () => () => faults.serverError(), 'server-error', /Try again later/],
  ['an HTML error page', () => () => faults.htmlPage(), 'server-error', /an HTML page/],
  ['an HTML page with 200', () => [faults.htmlPage(200)], 'malformed-reply', /other than JSON/],
  ['truncated JSON', () => [faults.truncatedJson('Fine')], 'malformed-reply', /other than JSON/],
  ['doubled JSON', () => [faults.doubledJson('Fine')], 'malformed-reply', /other than JSON/],
  [
    'a huge body',
    () => [faults.hugeBody('Fine')],
    'malformed-reply',
    /larger than 16,000,000 bytes and was cut off/,
  ],
  ['a stall', () => [faults.stall()], 'timeout', /did not answer within 1000 ms.*status 200/],
  [
    'endless resets within the body',
    () => () => faults.cutConnection(),
    'unreachable',
    /cannot be reached \(.*base_url/,
  ],
  ['invalid JSON', () => [faults.invalidJson()], 'malformed-reply', /other than JSON/],
  [
    'text that is other than JSON',
    () => [faults.plainText()],
    'malformed-reply',
    /other than JSON/,
  ],
  ['missing choices', () => [faults.missingChoices()], 'malformed-reply', /"choices"/],
  [
    'a bare JSON value',
    () => [faults.body(200, '7', 'application/json')],
    'malformed-reply',
    /not a chat completion/,
  ],
  [
    'an error with 200',
    () => [faults.body(200, '{"error":{"message":"No credit."}}', 'application/json')],
    'malformed-reply',
    /No credit/,
  ],
  [
    'JSON without end in depth',
    () => [faults.body(200, '['.repeat(1_000_000), 'application/json')],
    'malformed-reply',
    /is nested too deep/,
  ],
  [
    'an endless flood',
    () => [faults.endlessFlood()],
    'malformed-reply',
    /larger than 16,000,000 bytes/,
  ],
];

for (const [name, script, reason, words] of FAILURES) {
  test(`${name}: ${reason}, naming the endpoint and never the key`, async (t) => {
    const params = name === 'a stall' ? { timeout: 1_000 } : {};
    const { server, model } = await modelWith(t, script(), { params });
    const error = await failure(ask(model));
    assert.equal(error.reason, reason);
    assert.match(error.message, words);
    assert.ok(error.message.includes(server.baseUrl), error.message);
    assert.ok(!error.message.includes(KEY), error.message);
    assert.equal(error.cause, undefined);
  });
}

test('reports an expired certificate at once, and sends no key', async (t) => {
  setDefaultCACertificates([EXPIRED]);
  t.after(() => setDefaultCACertificates(getCACertificates('bundled')));
  let asked = 0;
  const server = createServer({ key: PRIVATE_KEY, cert: EXPIRED }, () => {
    asked += 1;
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const at = { base_url: `https://127.0.0.1:${port}/v1`, timeout: 60_000 };
  const began = performance.now();
  const error = await failure(ask(await createModel(spec(at), host())));
  assert.equal(error.reason, 'unreachable');
  assert.match(
    error.message,
    /certificate has expired.*has expired or is not yet valid\. Renew it, or check the clock/,
  );
  assert.equal(asked, 0);
  assert.ok(performance.now() - began < at.timeout);
});

for (const [when, params] of [
  ['', {}],
  [', also where the time is over before the last attempt', { timeout: 200 }],
] as const) {
  test(`names an unreachable endpoint with the reason${when}`, async () => {
    // By now, another test could use the port of a closed server.
    const nobody = { base_url: 'http://127.0.0.1:2/v1', ...params };
    const error = await failure(ask(await createModel(spec(nobody), host())));
    assert.equal(error.reason, 'unreachable');
    assert.match(error.message, /ECONNREFUSED.*base_url/);
  });
}

for (const [name, script] of [
  ['a hang', [faults.hang()]],
  ['an endless trickle', [faults.endlessTrickle()]],
] as const) {
  test(`${name} ends at the time limit without a retry`, async (t) => {
    const { server, model } = await modelWith(t, script, { params: { timeout: 2_000 } });
    const error = await failure(ask(model));
    assert.equal(error.reason, 'timeout');
    assert.match(error.message, /2000 ms/);
    assert.equal(server.requests.length, 1);
  });
}

for (const [status, headers, reason] of [
  [429, { 'retry-after': '86400' }, 'rate-limited'],
  [429, { 'retry-after': '86400, 1' }, 'rate-limited'],
  [429, { 'retry-after-ms': '86400000' }, 'rate-limited'],
  [429, { 'retry-after': '1', 'retry-after-ms': '86400000' }, 'rate-limited'],
  [503, { 'retry-after': '86400' }, 'server-error'],
  [409, { 'retry-after': '86400' }, 'server-error'],
  [408, { 'retry-after': '86400' }, 'timeout'],
] as const) {
  const asked = JSON.stringify(headers);
  test(`reports a wait beyond the time limit instead of waiting: ${status} ${asked}`, async (t) => {
    const fault = faults.httpError(status, 'Leave me alone.', { headers });
    const { server, model } = await modelWith(t, [fault]);
    const error = await failure(ask(model));
    assert.equal(error.reason, reason);
    assert.match(
      error.message,
      /\. It asked clients to wait 24 h 0 min, which is longer than the model's `timeout`\. Try again later\.$/,
    );
    assert.equal(server.requests.length, 1);
  });
}

test('an abort ends a request, or a wait between retries, with its own reason', async (t) => {
  const { server, model } = await modelWith(t, (_body, index) =>
    index === 0 ? faults.hang() : faults.rateLimited(3),
  );
  for (let count = 1; count <= 2; count += 1) {
    const controller = new AbortController();
    const asked = model.complete(HELLO, 1, controller.signal);
    while (server.requests.length < count) await new Promise((done) => setTimeout(done, 5));
    const reason = new Error('cancelled');
    controller.abort(reason);
    await assert.rejects(asked, (error) => error === reason);
  }
});

test('never shows secrets in headers and in the address', async (t) => {
  const { model } = await modelWith(t, [faults.unauthorized('team-secret-1')], {
    params: { headers: { 'api-key': 'team-secret-1' } },
  });
  const { message } = await failure(ask(model));
  assert.match(message, /\[hidden: api-key\]/);
  assert.doesNotMatch(message, /team-secret-1/);
});

test('reports an invalid key without showing it', async (t) => {
  const { model } = await modelWith(t, ['x'], { host: host({ OPENAI_API_KEY: 'sk-bad\nkey-…' }) });
  const { message } = await failure(ask(model));
  assert.doesNotMatch(message, /sk-bad|key-…/);
});

const SHARED = { messages: [], answer: { name: 'a', schema: {} }, shared: true };

for (const [baseUrl, isOpenAi, format] of [
  ['https://api.openai.com/v1', true, 'json_object'],
  ['https://contoso.openai.azure.com/openai/v1', false, 'json_object'],
  ['https://openai.azure.com.example.com/v1', false, 'json_schema'],
  ['http://localhost:8000/v1', false, 'json_schema'],
  ['no address', false, 'json_schema'],
] as const) {
  it(`asks for ${format} at ${baseUrl} if requests share a long beginning`, () => {
    assert.equal(answerFormatFor(SHARED, { baseUrl, isOpenAi, params: { model: 'm' } }), format);
  });
}
