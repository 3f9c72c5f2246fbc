import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { UsageError } from '../../../src/cli/exitCode.ts';
import { fileWorkspace, findEvalFiles, workspaceOf } from '../../../src/cli/paths.ts';

async function folderWith(t: TestContext, ...files: readonly string[]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-files-')));
  t.after(() => rm(folder, { recursive: true }));
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), '');
  }
  return folder;
}

async function found(folder: string, ...args: readonly string[]): Promise<string[]> {
  const files = await findEvalFiles(args, folder);
  return files.map((file) => relative(folder, file).replaceAll('\\', '/'));
}

test('finds every eval file under the folder without arguments, except in node_modules', async (t) => {
  const folder = await folderWith(
    t,
    'b.eval.yml',
    'a/x.eval.yaml',
    'a/y.yaml',
    'node_modules/p/z.eval.yaml',
  );
  assert.deepEqual(await found(folder), ['a/x.eval.yaml', 'b.eval.yml']);
});

test('an argument is a file, folder, or glob; each file is found once', async (t) => {
  const folder = await folderWith(
    t,
    'a/x.eval.yaml',
    'a/y.eval.yaml',
    'b/[1] odd (name).eval.yaml',
  );
  assert.deepEqual(await found(folder, 'a', 'a/x.eval.yaml', 'a/*.yaml'), [
    'a/x.eval.yaml',
    'a/y.eval.yaml',
  ]);
  assert.deepEqual(await found(folder, 'b/[1] odd (name).eval.yaml'), [
    'b/[1] odd (name).eval.yaml',
  ]);
  assert.deepEqual(await found(folder, join(folder, 'b')), ['b/[1] odd (name).eval.yaml']);
});

test('a linked eval file counts if it is in the folder, and is an error otherwise', async (t) => {
  const folder = await folderWith(t, 'repo/.git/HEAD', 'repo/a.txt', 'out.txt');
  const repo = join(folder, 'repo');
  await symlink('a.txt', join(repo, 'a.eval.yaml'));
  assert.deepEqual(await found(repo), ['a.eval.yaml']);
  await symlink('../out.txt', join(repo, 'b.eval.yaml'));
  for (const args of [[], ['*.eval.yaml']]) {
    await assert.rejects(findEvalFiles(args, repo), /link that points outside/);
  }
});

test('an argument that matches nothing is an error that says what to pass', async (t) => {
  const folder = await folderWith(t, 'a/readme.md', 'x.eval.yaml');
  for (const args of [['nope.eval.yaml'], ['a'], ['x.eval.yaml', '*.eval.yml']]) {
    await assert.rejects(findEvalFiles(args, folder), UsageError);
  }
  await assert.rejects(findEvalFiles([], join(folder, 'a')), /No eval file/);
});

test('the workspace is the nearest existing one above', async (t) => {
  const folder = await folderWith(t, '.git/HEAD', 'evals/x.eval.yaml');
  assert.equal(workspaceOf(join(folder, 'evals')), folder);
  await mkdir(join(folder, 'evals/.turnlight'));
  assert.equal(workspaceOf(join(folder, 'evals')), join(folder, 'evals'));
});

test('a file outside the workspace has its own folder as workspace', () => {
  assert.equal(fileWorkspace('/work/a/x.eval.yaml', '/work'), '/work');
  assert.equal(fileWorkspace('/other/x.eval.yaml', '/work'), '/other');
});
