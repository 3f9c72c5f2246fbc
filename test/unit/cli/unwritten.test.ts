import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { MAIN, turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

const LINUX = { skip: process.platform !== 'linux' };

const FILES = {
  'a.eval.yaml':
    'cases:\n  - {id: a, transcript: [{user: x}, {assistant: y}], assert: [{type: contains, value: z}]}\n',
};

describe('a failed write exits with 4 and says what to do', () => {
  it('.turnlight, which is a file', async (t) => {
    const folder = await workspaceWith(t, { ...FILES, '.turnlight': '' });
    const { code, out, err } = await turnlight(folder, ['run']);
    assert.equal(out, '');
    assert.equal(
      err,
      `The record cannot be written. ${join(folder, '.turnlight')} is not a folder. Rename or remove it.\nOr run without a record: --no-save.\n`,
    );
    assert.equal(code, 4);
    assert.equal((await turnlight(folder, ['run', '--no-save'])).code, 1);
  });

  it('a report, before anything runs', async (t) => {
    const folder = await workspaceWith(t, { ...FILES, there: '' });
    await mkdir(join(folder, 'folder'));
    for (const [output, words] of [
      ['there/report.json', /a file is in the way/],
      ['folder', /it is a folder\. Specify a file\./],
    ] as const) {
      const args = ['run', '--reporter', 'json', '--output', output];
      const { code, out, err } = await turnlight(folder, args);
      assert.match(err, words);
      assert.match(err, /^The report cannot be written to /);
      assert.deepEqual([code, out], [4, '']);
    }
  });

  it('a report if the disk is full, after everything else is reported', LINUX, async (t) => {
    const folder = await workspaceWith(t, FILES);
    const args = ['run', '--reporter', 'terminal', '--reporter', 'junit', '--output', '/dev/full'];
    const { code, out, err } = await turnlight(folder, args);
    assert.match(out, /1 failed/);
    assert.match(err, /The report cannot be written to \/dev\/full: the disk is full\./);
    assert.equal(code, 4);
  });

  it('a recording', async (t) => {
    const folder = await workspaceWith(t, { ...FILES, there: '' });
    const { code, err } = await turnlight(folder, ['run', '--record', 'there/r.jsonl']);
    assert.match(err, /^The recording cannot be written to .*: a file is in the way\./);
    assert.equal(code, 4);
  });

  it('the list of allowed hosts', LINUX, async (t) => {
    const folder = await workspaceWith(t, { '.config/other': '' });
    await symlink(join(folder, 'nowhere/x'), join(folder, '.config/turnlight'));
    const { code, err } = await turnlight(folder, ['trust', 'llm.example.com']);
    assert.match(err, /^The list of allowed hosts cannot be written to /);
    assert.equal(code, 4);
  });

  it('standard output', LINUX, async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const command of ['list', 'check', 'run --no-save', '--version']) {
      const line = `"${process.execPath}" "${MAIN}" ${command} > /dev/full`;
      const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' });
      const message = 'The output cannot be written: the disk is full. Free some space.\n';
      assert.deepEqual([status, stderr], [4, message], command);
    }
  });
});
