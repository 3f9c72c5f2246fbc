import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { missingKeys, neededKeys } from '../../../src/runner/missingKeys.ts';
import { tryModel } from '../../../src/runner/tryModel.ts';
import { load } from '../../support/evalFiles.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';

/** Keys by their names; other variables are not set. */
const withKeys = (
  keys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) => ({
  secret: async (name: string) => keys[name],
  env: (name: string) => env[name],
});

const NO_LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the keys that cases need and lack', () => {
  it('are those of judges and of models that play the assistant, by their variables', async () => {
    const { suite } = await load(`models:
  own: {provider: openai, model: m, api_key_env: MY_KEY}
  local: {provider: openai, model: m, base_url: "http://localhost/v1"}
target: {type: chat, model: openai:agent}
cases:
  - {id: a, judge: own, turns: [Hi], assert: [It greets.]}
  - {id: b, judge: local, turns: [Hi], assert: [It greets.]}
`);
    assert.deepEqual(
      (await missingKeys(suite?.cases ?? [], withKeys({ OTHER_KEY: 'sk' }))).map(
        ({ model, variable, judges }) => [model.id, variable, judges],
      ),
      [
        ['openai:m', 'MY_KEY', true],
        ['openai:agent', 'OPENAI_API_KEY', false],
        ['openai:agent', 'OPENAI_API_KEY', false],
      ],
    );
  });

  it('are none where nobody is asked', async () => {
    const { suite } = await load(
      'cases: [{id: a, transcript: [{user: Hi}], assert: [{type: max-turns, value: 1}]}]\n',
    );
    assert.deepEqual(await missingKeys(suite?.cases ?? [], withKeys({})), []);
  });

  it("are none at an endpoint of one's own, wherever it is named", async () => {
    const { suite } = await load(
      'judge: openai:m\ncases: [{id: a, transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets.]}]\n',
    );
    const own = withKeys({}, { OPENAI_BASE_URL: 'http://localhost/v1' });
    assert.deepEqual(await missingKeys(suite?.cases ?? [], own), []);
  });

  it('are not those that are set', async () => {
    const { suite } = await load(
      'judge: openai:m\ncases: [{id: a, transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets.]}]\n',
    );
    const keys = withKeys({ OPENAI_API_KEY: 'sk-test' });
    assert.deepEqual(await missingKeys(suite?.cases ?? [], keys), []);
  });
});

describe('the keys that cases need', () => {
  it('are each there once, those first that are not set', async () => {
    const { suite } = await load(`models:
  own: {provider: openai, model: m, api_key_env: MY_KEY}
cases:
  - {id: a, judge: own, transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets.]}
  - {id: b, judge: openai:other, transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets., It is short.]}
`);
    const needed = await neededKeys(suite?.cases ?? [], withKeys({ MY_KEY: 'sk' }));
    assert.deepEqual(
      needed.map(({ variable, model, isSet }) => [variable, model.id, isSet]),
      [
        ['OPENAI_API_KEY', 'openai:other', false],
        ['MY_KEY', 'openai:m', true],
      ],
    );
  });
});

describe('a key that is tried', () => {
  for (const [kind, script] of [
    ['answered', ['OK']],
    ['refused', [faults.httpError(401, 'Bad key.')]],
    ['failed', [faults.httpError(404, 'No such model.')]],
  ] as const satisfies readonly (readonly [string, Script])[]) {
    it(`is ${kind} with one request`, async (t) => {
      const server = await startModelServer(script);
      t.after(() => server.close());
      const params = { provider: 'openai', model: 'm', base_url: server.baseUrl };
      const spec = { id: 'openai:m', provider: 'openai', params, folder: '/' };
      const host = {
        secret: async () => 'sk-test-0123456789',
        env: () => undefined,
        scrubber: new Scrubber(),
        log: NO_LOG,
      };
      assert.equal((await tryModel(spec, host)).kind, kind);
      assert.equal(server.requests.length, 1);
    });
  }
});
