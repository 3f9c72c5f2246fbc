import assert from 'node:assert/strict';
import { link, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

const FILES = {
  'w/.git/HEAD': '',
  'w/s.eval.yaml': `cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`,
  'w/chat.json': '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]',
  'outside/there': 'mine',
};

describe('a link out of the workspace', () => {
  const WRITES = [
    ['run', 's.eval.yaml', '--reporter', 'junit=link'],
    ['run', 's.eval.yaml', '--record', 'link'],
    ['import', 'chat.json', '--force', '--output', 'link.eval.yaml'],
  ];
  for (const args of WRITES) {
    for (const to of ['there', 'new']) {
      it(`is not followed when writing: turnlight ${args.join(' ')}, to ${to}`, async (t) => {
        const folder = await workspaceWith(t, FILES);
        const outside = join(folder, 'outside');
        const link = args.at(-1)?.split('=').at(-1) ?? '';
        await symlink(join(outside, to), join(folder, 'w', link));
        const { code, err } = await turnlight(join(folder, 'w'), args);
        assert.equal(code, 3, err);
        assert.match(err, /points outside/);
        assert.equal(await readFile(join(outside, 'there'), 'utf8'), 'mine');
        await assert.rejects(readFile(join(outside, 'new')));
      });
    }
  }

  const BELOW = [
    ['run', 's.eval.yaml', '--reporter', 'junit=link/new/report.xml'],
    ['run', 's.eval.yaml', '--record', 'link/new/recording.jsonl'],
    ['import', 'chat.json', '--output', 'link/chat.eval.yaml'],
    ['import', 'chat.json', '--output', 'link/new/chat.eval.yaml'],
  ];
  for (const args of BELOW) {
    it(`is not followed when creating files: turnlight ${args.join(' ')}`, async (t) => {
      const folder = await workspaceWith(t, FILES);
      await symlink(join(folder, 'outside'), join(folder, 'w', 'link'));
      const { code, err } = await turnlight(join(folder, 'w'), args);
      assert.equal(code, 3, err);
      assert.match(err, /points outside/);
      assert.deepEqual(await readdir(join(folder, 'outside')), ['there']);
    });
  }

  it('is not followed from a subfolder with a `.turnlight` of its own', async (t) => {
    const folder = await workspaceWith(t, { ...FILES, 'w/evals/.turnlight/.gitignore': '*' });
    await rename(join(folder, 'w/s.eval.yaml'), join(folder, 'w/evals/s.eval.yaml'));
    await symlink(join(folder, 'outside/there'), join(folder, 'w/report.xml'));
    const args = ['run', '--reporter', 'junit=../report.xml'];
    const { code, err } = await turnlight(join(folder, 'w/evals'), args);
    assert.equal(code, 3, err);
    assert.match(err, /points outside/);
    assert.equal(await readFile(join(folder, 'outside/there'), 'utf8'), 'mine');
  });

  it('is not written to if it is a hard link', async (t) => {
    const folder = await workspaceWith(t, FILES);
    await link(join(folder, 'outside/there'), join(folder, 'w/report.xml'));
    const args = ['run', '--reporter', 'junit=report.xml'];
    const { code, err } = await turnlight(join(folder, 'w'), args);
    assert.equal(code, 3, err);
    assert.match(err, /is a hard link/);
    assert.equal(await readFile(join(folder, 'outside/there'), 'utf8'), 'mine');
  });

  for (const args of [
    ['import', 'in.json'],
    ['generate', '--system', 'in.json', '--model', 'openai:x', '--base-url', 'http://127.0.0.1:9'],
  ]) {
    it(`is not followed when reading: turnlight ${args.join(' ')}`, async (t) => {
      const folder = await workspaceWith(t, FILES);
      await symlink(join(folder, 'outside/there'), join(folder, 'w/in.json'));
      const { code, err } = await turnlight(join(folder, 'w'), args, { OPENAI_API_KEY: 'k' });
      assert.equal(code, 3, err);
      assert.match(err, /link that points outside/);
    });
  }

  it('is followed if it stays in the workspace', async (t) => {
    const folder = join(await workspaceWith(t, FILES), 'w');
    await writeFile(join(folder, 'report.xml'), '');
    await symlink(join(folder, 'report.xml'), join(folder, 'link'));
    const { code, err } = await turnlight(folder, [
      'run',
      's.eval.yaml',
      '--reporter',
      'junit=link',
    ]);
    assert.equal(code, 0, err);
    assert.match(await readFile(join(folder, 'report.xml'), 'utf8'), /<testsuite/);
  });
});
