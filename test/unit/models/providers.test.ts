import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { destinationProblemOf } from '../../../src/models/destination.ts';
import type { ModelHost, ModelRequest } from '../../../src/models/model.ts';
import { resetAbilities } from '../../../src/models/openai/abilities.ts';
import { createModel, findProvider } from '../../../src/models/registry.ts';
import { load } from '../../support/evalFiles.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';

type Variables = Readonly<Record<string, string>>;

const KEY = 'azure-0123456789';
const TOKEN = 'eyJ-0123456789';
const log = { debug() {}, info() {}, warn() {}, error() {} };

beforeEach(resetAbilities);

function host(env: Variables): ModelHost {
  const find = (name: string) => env[name];
  return { secret: async (name) => find(name), env: find, scrubber: new Scrubber(), log };
}

function specOf(provider: string, keys: object) {
  const params = { provider, model: 'm', ...keys };
  return { id: `${provider}:m`, provider, params, folder: '/' };
}

async function serve(t: TestContext, script: Script) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  return { server, origin: new URL(server.baseUrl).origin };
}

async function ask(
  provider: string,
  keys: object,
  env: Variables,
  more: Partial<ModelRequest> = {},
) {
  const model = await createModel(specOf(provider, keys), host(env));
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const request = { messages, maxTokens: 9, ...more };
  const [reply] = await model.complete(request, 1, new AbortController().signal);
  return reply;
}

async function destination(provider: string, keys: object, env: Variables) {
  const connection = await findProvider(provider)?.connect(specOf(provider, keys), host(env));
  return connection?.destination ?? assert.fail('It has no destination.');
}

describe('a model of Azure OpenAI', () => {
  it('gets requests at its deployment, with the API version, and the key in a header', async (t) => {
    const { server, origin } = await serve(t, ['Hi!']);
    const keys = { base_url: `${origin}/`, deployment: 'judge', api_version: '2025-01-01' };
    assert.equal((await ask('azure-openai', keys, { AZURE_OPENAI_API_KEY: KEY })).text, 'Hi!');
    const [{ path, headers, body } = assert.fail()] = server.requests;
    assert.equal(path, '/openai/deployments/judge/chat/completions?api-version=2025-01-01');
    assert.equal(headers['api-key'], KEY);
    assert.equal(headers.authorization, undefined);
    assert.equal(body.max_completion_tokens, 9);
  });

  for (const [when, keys, env] of [
    [
      'if the file names its variable',
      { token_env: 'MY_TOKEN' },
      { MY_TOKEN: TOKEN, AZURE_OPENAI_API_KEY: KEY },
    ],
    ['if no key is set', {}, { AZURE_OPENAI_AD_TOKEN: TOKEN }],
  ] as const) {
    it(`gets a token ${when}`, async (t) => {
      const { server, origin } = await serve(t, ['Hi!']);
      await ask('azure-openai', { base_url: origin, ...keys }, env);
      const [{ path, headers } = assert.fail()] = server.requests;
      assert.equal(path, '/openai/deployments/m/chat/completions?api-version=2024-10-21');
      assert.equal(headers.authorization, `Bearer ${TOKEN}`);
      assert.equal(headers['api-key'], undefined);
    });
  }

  it("is found through Azure's own variables", async (t) => {
    const { server, origin } = await serve(t, ['Hi!']);
    const env = {
      AZURE_OPENAI_ENDPOINT: origin,
      OPENAI_API_VERSION: 'v',
      AZURE_OPENAI_API_KEY: KEY,
    };
    await ask('azure-openai', {}, env);
    assert.match(server.requests[0]?.path ?? '', /api-version=v$/);
  });

  it('gets the schema last in requests with a shared beginning, unless the file says otherwise', async (t) => {
    const { server, origin } = await serve(t, () => '{}');
    const answer = { name: 'verdict', schema: {} };
    const env = { AZURE_OPENAI_API_KEY: KEY };
    const asked = async (params: object, shared: boolean) => {
      const keys = { base_url: origin, ...params };
      const { answerFormat } = await ask('azure-openai', keys, env, { answer, shared });
      return [server.requests.at(-1)?.body.response_format?.type, answerFormat];
    };
    assert.deepEqual(await asked({}, true), ['json_object', 'json_object']);
    assert.deepEqual(await asked({ answer_format: 'auto' }, false), ['json_schema', 'json_schema']);
    assert.deepEqual(await asked({ answer_format: 'json_schema' }, true), [
      'json_schema',
      undefined,
    ]);
  });

  it('gets neither the organization nor the key of OpenAI', async (t) => {
    const { server, origin } = await serve(t, ['Hi!']);
    for (const name of ['OPENAI_ORG_ID', 'OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY']) {
      process.env[name] = 'sk-of-the-process';
      t.after(() => delete process.env[name]);
    }
    await ask('azure-openai', { base_url: origin, token_env: 'T' }, { T: TOKEN });
    assert.doesNotMatch(JSON.stringify(server.requests), /sk-of-the-process/);
  });

  it('has no trusted host: a host in a file must be allowed', async () => {
    const keys = { base_url: 'https://mine.openai.azure.com' };
    const to = await destination('azure-openai', keys, { AZURE_OPENAI_API_KEY: KEY });
    assert.deepEqual(destinationProblemOf(to, [])?.variables, ['AZURE_OPENAI_API_KEY']);
    const own = { AZURE_OPENAI_ENDPOINT: keys.base_url, AZURE_OPENAI_AD_TOKEN: TOKEN };
    const fromUser = await destination('azure-openai', {}, own);
    assert.deepEqual(fromUser.variables, ['AZURE_OPENAI_AD_TOKEN']);
    assert.equal(destinationProblemOf(fromUser, []), undefined);
  });

  it('reports a missing key or address', async () => {
    const missing = { reason: 'missing-key', message: /AZURE_OPENAI_API_KEY/ };
    await assert.rejects(ask('azure-openai', { base_url: 'http://localhost:9' }, {}), missing);
    const nowhere = { reason: 'missing-variable', message: /AZURE_OPENAI_ENDPOINT/ };
    await assert.rejects(ask('azure-openai', {}, { AZURE_OPENAI_API_KEY: KEY }), nowhere);
  });

  it('names a missing deployment', async (t) => {
    const { origin } = await serve(t, [faults.notFound()]);
    const keys = { base_url: origin, deployment: 'judge' };
    const missing = { reason: 'not-found', message: /a deployment "judge".*`api_version`/ };
    await assert.rejects(ask('azure-openai', keys, { AZURE_OPENAI_API_KEY: KEY }), missing);
  });

  it('reports an address for the OpenAI provider in the file', async () => {
    const { problems } = await load(
      'models: {j: {provider: azure-openai, model: m, base_url: "https://a.openai.azure.com/openai/v1"}}\ncases: [{id: a, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}]\n',
    );
    assert.match(problems[0]?.message ?? '', /use the provider `openai`/);
  });
});

describe('a model of Ollama', () => {
  it('needs no key', async (t) => {
    const { server, origin } = await serve(t, ['Hi!', 'Hi!']);
    for (const base_url of [origin, server.baseUrl]) await ask('ollama', { base_url }, {});
    for (const { path, headers, body } of server.requests) {
      assert.deepEqual([path, body.max_tokens], ['/v1/chat/completions', 9]);
      assert.equal(headers.authorization, 'Bearer no-key');
    }
  });

  for (const [given, url] of [
    [undefined, 'http://localhost:11434/v1'],
    ['0.0.0.0', 'http://localhost:11434/v1'],
    [':8080', 'http://localhost:8080/v1'],
    ['gpu.local', 'http://gpu.local:11434/v1'],
    ['https://ollama.example.com/', 'https://ollama.example.com/v1'],
  ] as const) {
    it(`is found at ${url} if OLLAMA_HOST is ${given ?? 'not set'}`, async () => {
      const to = await destination('ollama', {}, given === undefined ? {} : { OLLAMA_HOST: given });
      assert.deepEqual(to, { url, variables: [], needConsent: [] });
    });
  }

  it('says how to get a missing model', async (t) => {
    const { origin } = await serve(t, [faults.notFound()]);
    const missing = { reason: 'not-found', message: /ollama pull m$/ };
    await assert.rejects(ask('ollama', { base_url: origin }, {}), missing);
  });
});

describe('a server on this machine that is not running', () => {
  it('is reported with advice to start it', async () => {
    // Nothing listens on these ports during tests. The short time limit prevents retries.
    for (const [provider, base_url, words] of [
      ['ollama', 'http://localhost:9', /cannot be reached.*Start the server/],
      ['openai', 'http://127.0.0.1:9/v1', /cannot be reached.*Start the server/],
    ] as const) {
      const unreachable = { reason: 'unreachable', message: words };
      await assert.rejects(ask(provider, { base_url, timeout: 300 }, {}), unreachable);
    }
  });
});
