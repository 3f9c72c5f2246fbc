import assert from 'node:assert/strict';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
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
        assert.match(err, /leads out of/);
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
      assert.match(err, /leads out of/);
      assert.deepEqual(await readdir(join(folder, 'outside')), ['there']);
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
