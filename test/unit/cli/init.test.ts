import assert from 'node:assert/strict';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { INIT_TARGETS } from '../../../src/cli/options.ts';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

const FILE = 'evals/support.eval.yaml';

describe('turnlight init', () => {
  it('creates a suite and an agent, and prints the command that passes', async (t) => {
    const folder = await workspaceWith(t, {});
    const { code, out, err } = await turnlight(folder, ['init'], { npm_command: 'exec' });
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^Created evals\/support\.eval\.yaml and evals\/agent\.mjs\.\nIt has no judge/,
    );
    const [, args = ''] = /Run it: {2}npx turnlight (.+)\n$/.exec(out) ?? [];
    const run = await turnlight(folder, args.split(' '));
    assert.equal(run.code, 0, run.out);
  });

  for (const target of INIT_TARGETS) {
    it(`writes a file that passes \`check\`: ${target}`, async (t) => {
      const folder = await workspaceWith(t, {});
      const args = ['init', './first', '--target', target, '--judge', 'ollama:qwen3:8b'];
      const { code, out } = await turnlight(folder, args);
      assert.equal(code, 0, out);
      assert.doesNotMatch(out, /no judge|API key/);
      const checked = await turnlight(folder, ['check', 'first.eval.yaml']);
      assert.equal(checked.out, 'Checked 1 file: 0 errors, 0 warnings.\n', checked.err);
    });
  }

  it('tests a model, the judge by default, and names a missing key', async (t) => {
    const folder = await workspaceWith(t, {});
    const judge = { TURNLIGHT_JUDGE: 'openai:judge' };
    const { out } = await turnlight(folder, ['init', '--target', 'model'], judge);
    assert.match(out, /openai:judge needs an API key: set OPENAI_API_KEY .* pass --dotenv \.env\./);
    assert.match(await readFile(join(folder, FILE), 'utf8'), /\n {4}model: openai:judge\n/);
    const failed = await turnlight(folder, ['run']);
    assert.match(failed.out, /set it in the environment, or in a file .* `--dotenv`/);
  });

  it('keeps an existing agent, and never overwrites an eval file', async (t) => {
    const folder = await workspaceWith(t, {
      'evals/agent.mjs': 'mine',
      'evals/b.eval.yaml': 'mine',
    });
    const { out } = await turnlight(folder, ['init', 'a']);
    assert.match(out, /^Created evals\/a\.eval\.yaml\.\n/);
    const again = await turnlight(folder, ['init', 'b']);
    assert.deepEqual(
      [again.code, again.err],
      [3, 'evals/b.eval.yaml already exists. Pass another name.\n'],
    );
    for (const name of ['agent.mjs', 'b.eval.yaml']) {
      assert.equal(await readFile(join(folder, 'evals', name), 'utf8'), 'mine');
    }
  });

  it('writes nothing if the name or a model is wrong', async (t) => {
    const folder = await workspaceWith(t, {});
    for (const args of [
      ['../a'],
      ['a', '--judge', 'gpt'],
      ['a', '--target', 'model', '--model', 'x'],
    ]) {
      assert.equal((await turnlight(folder, ['init', ...args])).code, 3);
    }
    assert.deepEqual(await readdir(folder), []);
  });

  it('does not follow a link out of the checkout', async (t) => {
    const folder = await workspaceWith(t, { 'w/.git/HEAD': '', 'outside/there': '' });
    await symlink(join(folder, 'outside'), join(folder, 'w/evals'));
    const { code, err } = await turnlight(join(folder, 'w'), ['init']);
    assert.equal(code, 3);
    assert.match(err, /points outside/);
    assert.deepEqual(await readdir(join(folder, 'outside')), ['there']);
  });
});
