import assert from 'node:assert/strict';
import { symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const VARIABLES = {
  OPENAI_API_KEY: 'usual',
  TURNLIGHT_TEST_JUDGE_KEY: 'named',
  TURNLIGHT_TEST_SPARE_KEY: 'of a model that no case uses',
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

/** The variables of ours that a target's program sees. */
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
    it(`(${what}) inherits all variables but those of models' keys, used or not`, async (t) => {
      assert.deepEqual(await seen(t, `{${keys}}`), ['TURNLIGHT_TEST_PLAIN=plain']);
    });

    it(`(${what}) is passed the keys that it names`, async (t) => {
      assert.deepEqual(await seen(t, `{${keys}, pass_env: [OPENAI_API_KEY]}`), [
        'OPENAI_API_KEY=usual',
        'TURNLIGHT_TEST_PLAIN=plain',
      ]);
    });

    it(`(${what}) is given what its \`env\` sets`, async (t) => {
      const env = 'env: {TURNLIGHT_TEST_JUDGE_KEY: mine, TURNLIGHT_TEST_PLAIN: "not plain"}';
      assert.deepEqual(await seen(t, `{${keys}, ${env}}`), [
        'TURNLIGHT_TEST_JUDGE_KEY=mine',
        'TURNLIGHT_TEST_PLAIN=not plain',
      ]);
    });
  }

  it('is not started where a variable that it names is not set', async (t) => {
    const told = await seen(
      t,
      '{type: module, path: ./module.mjs, pass_env: [TURNLIGHT_TEST_NONE]}',
    );
    assert.match(told.join(), /^target-not-found: .* TURNLIGHT_TEST_NONE\. Set it first/);
  });

  it('that names a variable which is not set is told so while typing', async () => {
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

describe('a file that a target names', () => {
  const SUITE = `target: {type: module, path: ./bot.mjs}\ncases:\n  - {id: a, turns: [Hi], assert: [{type: contains, value: out}]}\n`;

  /** The reason of a run after which `change` has happened to the files that were checked. */
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

  it('and that has become a link out of the workspace since is not run', async (t) => {
    const outside = await workspaceWith(t, { 'evil.mjs': 'export default () => "out";\n' });
    const reason = await reasonAfter(t, (workspace) =>
      symlink(join(outside, 'evil.mjs'), join(workspace, 'bot.mjs')),
    );
    assert.match(
      reason,
      /^target-not-found: The `path` of "module" is outside the workspace folder/,
    );
  });

  it('and that is gone since is an error that says so', async (t) => {
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
