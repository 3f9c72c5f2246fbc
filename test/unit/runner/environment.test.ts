import assert from 'node:assert/strict';
import { symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { missingKeys, neededKeys } from '../../../src/runner/models.ts';
import { tryModel } from '../../../src/runner/oneModel.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const VARIABLES = {
  OPENAI_API_KEY: 'usual',
  TURNLIGHT_TEST_JUDGE_KEY: 'named',
  TURNLIGHT_TEST_SPARE_KEY: 'of a model that no case uses',
  TURNLIGHT_QUEUE: 'redis://:mine@127.0.0.1:1',
  MLFLOW_TRACKING_TOKEN: 'mine',
  MLFLOW_TRACKING_PASSWORD: 'mine',
  TURNLIGHT_TEST_PLAIN: 'plain',
};

const TELLS = `const NAMES = ${JSON.stringify(Object.keys(VARIABLES))};
const told = () => NAMES.filter((name) => name in process.env).map((name) => name + '=' + process.env[name]).join('\\n');
`;
const MODULE = `${TELLS}export default told;\n`;
const PROGRAM = `${TELLS}process.stdin.once('data', () => console.log(JSON.stringify({ content: told() })));\n`;

const MODELS = `models:
  judge: {provider: openai, model: j, api_key_env: TURNLIGHT_TEST_JUDGE_KEY}
  spare: {provider: openai, model: s, api_key_env: TURNLIGHT_TEST_SPARE_KEY}
`;

/** The test's variables that are visible to a target's program. */
async function seen(t: TestContext, target: string): Promise<readonly string[]> {
  for (const [name, value] of Object.entries(VARIABLES)) process.env[name] = value;
  t.after(() => {
    for (const name of Object.keys(VARIABLES)) delete process.env[name];
  });
  const { lines } = await runFiles(
    t,
    {
      'module.mjs': MODULE,
      'program.mjs': PROGRAM,
      'suite.eval.yaml': `${MODELS}target: ${target}\ncases:\n  - {id: a, turns: [Hi], assert: [{type: contains, value: plain}]}\n`,
    },
    { env: (name) => process.env[name] },
  );
  const reply = lines[0]?.conversation.entries.at(-1);
  if (reply?.kind !== 'turn' || reply.side !== 'assistant') return [String(lines[0]?.reason)];
  return reply.items.flatMap((item) => (item.kind === 'text' ? item.text.split('\n') : []));
}

describe('a program of a target', () => {
  for (const [what, keys] of [
    ['module', 'type: module, path: ./module.mjs'],
    ['command', `type: command, command: ["${process.execPath}", program.mjs]`],
  ] as const) {
    it(`(${what}) inherits all variables except those of models' keys, used or not, and Turnlight's own`, async (t) => {
      assert.deepEqual(await seen(t, `{${keys}}`), ['TURNLIGHT_TEST_PLAIN=plain']);
    });

    it(`(${what}) gets the keys that it names`, async (t) => {
      assert.deepEqual(
        await seen(t, `{${keys}, pass_env: [OPENAI_API_KEY, MLFLOW_TRACKING_TOKEN]}`),
        ['OPENAI_API_KEY=usual', 'MLFLOW_TRACKING_TOKEN=mine', 'TURNLIGHT_TEST_PLAIN=plain'],
      );
    });

    it(`(${what}) gets the variables in its \`env\``, async (t) => {
      const env = 'env: {TURNLIGHT_TEST_JUDGE_KEY: mine, TURNLIGHT_TEST_PLAIN: "not plain"}';
      assert.deepEqual(await seen(t, `{${keys}, ${env}}`), [
        'TURNLIGHT_TEST_JUDGE_KEY=mine',
        'TURNLIGHT_TEST_PLAIN=not plain',
      ]);
    });
  }

  it('is not started if a variable that it names is not set', async (t) => {
    const told = await seen(
      t,
      '{type: module, path: ./module.mjs, pass_env: [TURNLIGHT_TEST_NONE]}',
    );
    assert.match(told.join(), /^target-not-found: .* TURNLIGHT_TEST_NONE\. Set it first/);
  });

  it('with a variable that is not set is reported while typing', async () => {
    const target = '{type: module, path: ./a.mjs, pass_env: [PATH, NONE]}';
    const loaded = await load(
      suiteWith(`turns: [Hi]\ntarget: ${target}\nassert: [x]`),
      { 'a.mjs': '' },
      {
        env: (name) => (name === 'PATH' ? '/bin' : undefined),
      },
    );
    assert.deepEqual(placed(loaded), ['4:60 unset-variable']);
  });
});

describe('a file of a target', () => {
  const SUITE = `target: {type: module, path: ./bot.mjs}\ncases:\n  - {id: a, turns: [Hi], assert: [{type: contains, value: out}]}\n`;

  /** The reason why a run failed after `change` was applied to the checked files. */
  async function reasonAfter(t: TestContext, change: (workspace: string) => Promise<void>) {
    const workspace = await workspaceWith(t, {
      'bot.mjs': 'export default () => "in";\n',
      'suite.eval.yaml': SUITE,
    });
    const path = join(workspace, 'suite.eval.yaml');
    const loaded = await loadSuite(path, nodeFiles(), { workspace, env: () => undefined });
    await unlink(join(workspace, 'bot.mjs'));
    await change(workspace);
    if (!loaded.suite) throw new Error('The suite does not load.');
    const { lines } = await runFiles(t, { 'suite.eval.yaml': SUITE }, { suites: [loaded.suite] });
    return lines[0]?.reason ?? '';
  }

  it('is not run if it has become a link out of the workspace', async (t) => {
    const outside = await workspaceWith(t, { 'evil.mjs': 'export default () => "out";\n' });
    const reason = await reasonAfter(t, (workspace) =>
      symlink(join(outside, 'evil.mjs'), join(workspace, 'bot.mjs')),
    );
    assert.match(
      reason,
      /^target-not-found: The `path` of "module" is outside the workspace folder/,
    );
  });

  it('is an error if it was deleted', async (t) => {
    assert.match(await reasonAfter(t, async () => {}), /^target-not-found: .* does not exist/);
  });

  it('may be a link within the workspace', async (t) => {
    const reason = await reasonAfter(t, async (workspace) => {
      await writeFile(join(workspace, 'other.mjs'), 'export default () => "in";\n');
      await symlink(join(workspace, 'other.mjs'), join(workspace, 'bot.mjs'));
    });
    assert.equal(reason, '');
  });
});

/** API keys by name, and environment variables. Other variables aren't set. */
const withKeys = (
  keys: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) => ({
  secret: async (name: string) => keys[name],
  env: (name: string) => env[name],
});

const NO_LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe('the missing keys of cases', () => {
  it('are those of judges and chat targets, by their variables', async () => {
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

  it('are empty if no model is called', async () => {
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

  it("don't include keys that are set", async () => {
    const { suite } = await load(
      'judge: openai:m\ncases: [{id: a, transcript: [{user: Hi}, {assistant: Hi}], assert: [It greets.]}]\n',
    );
    const keys = withKeys({ OPENAI_API_KEY: 'sk-test' });
    assert.deepEqual(await missingKeys(suite?.cases ?? [], keys), []);
  });
});

describe('the keys that cases need', () => {
  it('are listed once, missing ones first', async () => {
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

describe('a tested key', () => {
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
