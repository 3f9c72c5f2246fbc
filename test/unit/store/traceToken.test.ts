import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { traceSecretFile, traceToken } from '../../../src/store/traceToken.ts';
import { workspaceWith } from '../../support/runs.ts';

describe('The token for spans', () => {
  it('is always the same for a workspace, and another for each', async (t) => {
    const file = join(await workspaceWith(t, {}), 'config', 'trace-secret');
    const tokens = await Promise.all(Array.from({ length: 20 }, () => traceToken(file, '/a')));
    assert.equal(new Set(tokens).size, 1);
    assert.match(tokens[0] ?? '', /^[0-9a-f]{32}$/);
    assert.notEqual(await traceToken(file, '/b'), tokens[0]);
    assert.equal(await traceToken(file, '/a'), tokens[0]);
  });

  it('does not reveal the secret, which only the user can read', async (t) => {
    const file = join(await workspaceWith(t, {}), 'trace-secret');
    const token = await traceToken(file, '/a');
    assert.ok(!(await readFile(file, 'utf8')).includes(token));
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o077, 0);
  });

  it('is an error if the secret would be in the checkout of the workspace', async (t) => {
    const folder = await workspaceWith(t, { '.git/HEAD': '', 'evals/a.eval.yaml': '' });
    const file = join(folder, '.config/turnlight/trace-secret');
    await assert.rejects(traceToken(file, join(folder, 'evals')), /would be in the workspace/);
  });

  it('is an error if the secret is damaged', async (t) => {
    const file = join(await workspaceWith(t, { 'trace-secret': 'abc' }), 'trace-secret');
    await assert.rejects(traceToken(file, '/a'), /is damaged\. Delete it/);
    await writeFile(file, '');
    await assert.rejects(traceToken(file, '/a'), /is damaged/);
  });

  it('is outside of any workspace', () => {
    const file = traceSecretFile((name) => (name === 'XDG_CONFIG_HOME' ? '/config' : undefined));
    if (process.platform !== 'win32') assert.equal(file, '/config/turnlight/trace-secret');
  });

  it('is an error if its folder is not writable', async (t) => {
    if (process.getuid?.() === 0) return;
    const folder = join(await workspaceWith(t, {}), 'config');
    await mkdir(folder);
    await chmod(folder, 0o500);
    await assert.rejects(traceToken(join(folder, 'trace-secret'), '/a'));
  });
});
