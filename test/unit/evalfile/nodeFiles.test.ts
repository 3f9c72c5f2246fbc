import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { workspaceWith } from '../../support/runs.ts';

const POSIX = { skip: process.platform === 'win32' };

const codes = async (path: string, workspace = dirname(path)) => {
  const { problems } = await loadSuite(path, nodeFiles(), { workspace, env: () => undefined });
  return problems.filter(({ severity }) => severity === 'error').map(({ code }) => code);
};

describe('files on the disk', () => {
  it('of 5 MB are refused, not read', async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': `# ${'x'.repeat(5_000_000)}\n` });
    assert.deepEqual(await codes(join(folder, 'a.eval.yaml')), ['file-too-large']);
  });

  it('that are not UTF-8 are refused', async (t) => {
    const folder = await workspaceWith(t, {});
    await writeFile(join(folder, 'a.eval.yaml'), Buffer.from([0x6e, 0xff, 0xfe, 0x3a]));
    assert.deepEqual(await codes(join(folder, 'a.eval.yaml')), ['file-not-utf8']);
  });

  it('that are missing are reported', async (t) => {
    const folder = await workspaceWith(t, {});
    assert.deepEqual(await codes(join(folder, 'a.eval.yaml')), ['file-missing']);
  });

  it("can't be reached through a link out of the workspace", async (t) => {
    const outside = await workspaceWith(t, { 'p.md': 'Judge {{conversation}}.' });
    const folder = await workspaceWith(t, {
      'a.eval.yaml':
        'cases:\n  - id: a\n    transcript: [{user: a}, {assistant: b}]\n    assert: [{type: llm-judge, prompt: link/p.md}]\n',
    });
    await symlink(outside, join(folder, 'link'));
    assert.deepEqual(await codes(join(folder, 'a.eval.yaml')), ['path-outside']);
  });

  it('that are pipes or devices are read only if the user names them', POSIX, async (t) => {
    const folder = await workspaceWith(t, {});
    const pipe = join(folder, 'a.eval.yaml');
    execFileSync('mkfifo', [pipe]);
    await symlink('/dev/zero', join(folder, 'b.eval.yaml'));
    assert.deepEqual(await codes(pipe), ['file-unreadable']);
    assert.deepEqual(await codes(join(folder, 'b.eval.yaml')), ['file-unreadable']);
    const [text] = await Promise.all([
      nodeFiles(new Set([pipe])).read(pipe, 10),
      writeFile(pipe, 'cases: []'),
    ]);
    assert.equal(text, 'cases: []');
    const own = nodeFiles(new Set(['/dev/zero']));
    await assert.rejects(own.read('/dev/zero', 1_000_000), { reason: 'too-large' });
  });
});
