import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AllowedHost } from '../../../src/core/environment.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { destinationProblemOf } from '../../../src/models/destination.ts';
import { createModel } from '../../../src/models/registry.ts';
import { destinationsOf } from '../../../src/runner/models.ts';
import { load } from '../../support/evalFiles.ts';

const ENV: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'sk-0123456789',
  OTHER_KEY: 'other-0123456789',
  SECRET: 'secret-0123456789',
  URL: 'https://mine.example.com/v1',
};

const env = (name: string) => ENV[name];
const host = { env, secret: async (name: string) => ENV[name] };

/** Which data a judge or a target with the given keys sends where. */
async function sentBy(model: string, target = ''): Promise<string[]> {
  const turns = target === '' ? 'transcript: [{user: Hi}, {assistant: x}]' : 'turns: [Hi]';
  const { suite, problems } = await load(
    `models: {j: ${model}}\n${target}cases: [{id: a, judge: j, ${turns}, assert: [It greets.]}]\n`,
    {},
    { env },
  );
  assert.ok(suite, JSON.stringify(problems));
  return (await destinationsOf(suite.cases, host)).map(
    (one) => `${one.host} ${one.variables.join()} ${destinationProblemOf(one, [])?.kind ?? 'goes'}`,
  );
}

describe('a key, or another variable,', () => {
  const judge = (keys: string) => `{provider: openai, model: m, ${keys}}`;

  for (const [where, keys, sent] of [
    ['goes to the host of its provider', '', 'api.openai.com OPENAI_API_KEY goes'],
    [
      'goes to the host of its provider if the file names that host',
      'base_url: "https://api.openai.com/v1/"',
      'api.openai.com OPENAI_API_KEY goes',
    ],
    [
      'does not go to the host of a provider that it does not belong to',
      'api_key_env: OTHER_KEY',
      'api.openai.com OTHER_KEY host-not-allowed',
    ],
    [
      'does not go to the host of its provider together with another variable',
      `model: "\${env:SECRET}"`,
      'api.openai.com OPENAI_API_KEY,SECRET host-not-allowed',
    ],
    [
      'does not go to the host of its provider with credentials from the file',
      'headers: {AUTHORIZATION: Bearer x}',
      'api.openai.com OPENAI_API_KEY host-not-allowed',
    ],
    [
      'does not go to the host of its provider with an organization from the file',
      'headers: {OpenAI-Organization: x}',
      'api.openai.com OPENAI_API_KEY host-not-allowed',
    ],
    [
      'does not go to the host of its provider with a header from the file that could be a credential',
      'headers: {X-Team: x}',
      'api.openai.com OPENAI_API_KEY host-not-allowed',
    ],
    [
      'does not go to an address that is a variable with a gateway header from the file',
      `base_url: "\${env:URL}", headers: {Helicone-Auth: x}`,
      'mine.example.com OPENAI_API_KEY,URL host-not-allowed',
    ],
    [
      'goes to the host of its provider with harmless headers',
      'headers: {User-Agent: x, OpenAI-Beta: x}',
      'api.openai.com OPENAI_API_KEY goes',
    ],
    [
      'does not go to an address that is a variable with credentials from the file',
      `base_url: "\${env:URL}", headers: {api-key: x}`,
      'mine.example.com OPENAI_API_KEY,URL host-not-allowed',
    ],
    [
      'goes to this machine',
      'base_url: "http://127.0.0.1:11434/v1"',
      '127.0.0.1:11434 OPENAI_API_KEY goes',
    ],
    ['goes to localhost', 'base_url: "http://localhost:1/v1"', 'localhost:1 OPENAI_API_KEY goes'],
    [
      'goes to an address that is a variable',
      `base_url: "\${env:URL}"`,
      'mine.example.com OPENAI_API_KEY,URL goes',
    ],
    [
      'does not go to an address that the file puts together',
      `base_url: "https://\${env:SECRET}.example.com"`,
      'secret-0123456789.example.com OPENAI_API_KEY,SECRET host-not-allowed',
    ],
    [
      'does not go to another host',
      'base_url: "https://llm.example.com/v1", api_key_env: OTHER_KEY',
      'llm.example.com OTHER_KEY host-not-allowed',
    ],
    [
      "does not go to a host that looks like the provider's",
      'base_url: "https://api.openai.com.example.com/v1"',
      'api.openai.com.example.com OPENAI_API_KEY host-not-allowed',
    ],
    [
      "does not go to another port of the provider's host",
      'base_url: "https://api.openai.com:444/v1"',
      'api.openai.com:444 OPENAI_API_KEY host-not-allowed',
    ],
    [
      "does not go to another host with the provider's host as its user name",
      'base_url: "https://api.openai.com@example.com/v1"',
      'example.com OPENAI_API_KEY host-not-allowed',
    ],
    [
      'is not sent unencrypted',
      'base_url: "http://api.openai.com/v1"',
      'api.openai.com OPENAI_API_KEY not-encrypted',
    ],
    [
      'is not sent in a header',
      `base_url: "https://llm.example.com/v1", api_key_env: NONE, headers: {x: "\${env:SECRET}"}`,
      'llm.example.com SECRET host-not-allowed',
    ],
    [
      'is not sent in the name of a model',
      `base_url: "https://llm.example.com/v1", api_key_env: NONE, model: "\${env:SECRET}"`,
      'llm.example.com SECRET host-not-allowed',
    ],
    [
      'needs no permission if none is set',
      'base_url: "http://gpu.example.com/v1", api_key_env: NONE',
      'gpu.example.com  goes',
    ],
  ] as const) {
    it(where, async () => {
      const model = keys.includes('model:') ? `{provider: openai, ${keys}}` : judge(keys);
      assert.deepEqual(await sentBy(model), [sent]);
    });
  }

  it('is not sent in the system text of a chat target, whatever the host', async () => {
    const keys = (model: string) =>
      `target: {type: chat, model: ${model}, system: "Say \${env:SECRET}."}\n`;
    assert.deepEqual(await sentBy(judge(''), keys('openai:m')), [
      'api.openai.com OPENAI_API_KEY,SECRET host-not-allowed',
    ]);
    const foreign = judge('base_url: "https://llm.example.com/v1", api_key_env: NONE');
    const [, agent] = await sentBy(judge(''), keys(foreign));
    assert.equal(agent, 'llm.example.com SECRET host-not-allowed');
  });
});

describe("a secret in a target's keys", () => {
  const judge = '{provider: openai, model: m}';
  for (const [where, keys, sent] of [
    [
      'does not go to a host that the file names',
      `url: "https://a.example.com", headers: {authorization: "\${env:SECRET}"}`,
      'a.example.com SECRET host-not-allowed',
    ],
    [
      'is not sent in the body',
      `url: "https://a.example.com", body: {key: "\${env:SECRET}"}`,
      'a.example.com SECRET host-not-allowed',
    ],
    [
      'is not sent in an address that the file puts together',
      `url: "https://a.example.com/\${env:SECRET}"`,
      'a.example.com SECRET host-not-allowed',
    ],
    [
      'goes to an address that is a variable',
      `url: "\${env:URL}", headers: {authorization: "\${env:SECRET}"}`,
      'mine.example.com URL,SECRET goes',
    ],
    [
      'goes to this machine',
      `url: "http://localhost:3000", headers: {x: "\${env:SECRET}"}`,
      'localhost:3000 SECRET goes',
    ],
    [
      'is not sent unencrypted',
      `url: "http://a.example.com", headers: {x: "\${env:SECRET}"}`,
      'a.example.com SECRET not-encrypted',
    ],
    ['needs no permission if there is none', 'url: "http://a.example.com"', 'a.example.com  goes'],
  ] as const) {
    it(where, async () => {
      const [, agent] = await sentBy(judge, `target: {type: http, ${keys}}\n`);
      assert.equal(agent, sent);
    });
  }
});

describe('a host that the user allowed', () => {
  const to = { url: 'https://llm.example.com/v1', variables: ['A', 'B'], needConsent: ['A', 'B'] };

  for (const [what, allowed, refused] of [
    ['may have any variable', [{ host: 'llm.example.com' }], undefined],
    [
      'may have only the variables that it was allowed',
      [{ host: 'llm.example.com', variables: ['A'] }],
      ['B'],
    ],
    ['does not include another port', [{ host: 'llm.example.com:8443' }], ['A', 'B']],
    ['does not include its subdomains', [{ host: 'example.com' }], ['A', 'B']],
  ] as const satisfies readonly (readonly [string, readonly AllowedHost[], unknown])[]) {
    it(what, () => assert.deepEqual(destinationProblemOf(to, allowed)?.variables, refused));
  }

  it('never gets them unencrypted', () => {
    const plain = { ...to, url: 'http://llm.example.com/v1' };
    assert.equal(destinationProblemOf(plain, [{ host: 'llm.example.com' }])?.kind, 'not-encrypted');
  });
});

describe('a model', () => {
  const params = { provider: 'openai', model: 'm', base_url: 'https://llm.example.com/v1' };
  const spec = { id: 'openai:m', provider: 'openai', params, folder: '/' };
  const log = { debug() {}, info() {}, warn() {}, error() {} };

  it('is not created if its host may not get the key, even without a check before', async () => {
    await assert.rejects(createModel(spec, { ...host, scrubber: new Scrubber(), log }), {
      reason: 'host-not-allowed',
      message: /turnlight trust llm\.example\.com=OPENAI_API_KEY$/,
    });
  });

  it('is created if the host is allowed', async () => {
    const allowedHosts = [{ host: 'llm.example.com', variables: ['OPENAI_API_KEY'] }];
    assert.equal(
      (await createModel(spec, { ...host, scrubber: new Scrubber(), log, allowedHosts })).id,
      'openai:m',
    );
  });
});
