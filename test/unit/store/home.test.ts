import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { namedPath, recordedPath } from '../../../src/core/record/recordPaths.ts';
import { findHome } from '../../../src/store/home.ts';

/** A folder in which these paths exist; those that end in `/` are folders. */
async function folderWith(t: TestContext, ...paths: readonly string[]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-home-')));
  t.after(() => rm(folder, { recursive: true }));
  for (const path of paths) {
    const whole = join(folder, path);
    await mkdir(path.endsWith('/') ? whole : dirname(whole), { recursive: true });
    if (!path.endsWith('/')) await writeFile(whole, '');
  }
  return folder;
}

async function rootOf(folder: string): Promise<string> {
  const { root } = findHome(join(folder, 'repo/evals/a.eval.yaml'));
  return root.slice(folder.length + 1);
}

const FILE = 'repo/evals/a.eval.yaml';

describe('records of an eval file stand', () => {
  it('in the nearest .turnlight above it', async (t) => {
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/.turnlight/', 'repo/.git/', '.turnlight/')),
      'repo',
    );
    assert.equal(await rootOf(await folderWith(t, FILE, '.turnlight/', 'repo/.git/')), '');
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/evals/.turnlight/', 'repo/.turnlight/')),
      'repo/evals',
    );
  });

  it('else beside the nearest .git, which in a worktree is a file', async (t) => {
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git/', '.git/')), 'repo');
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git', '.git/')), 'repo');
  });

  it('else in its folder', async (t) => {
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/other/.git/')), 'repo/evals');
  });

  it('never in a file that is called .turnlight', async (t) => {
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/evals/.turnlight', 'repo/.git/')),
      'repo',
    );
  });

  it('where its folder really is, through whatever link it is opened', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/.git/', 'elsewhere/');
    await symlink(join(folder, 'repo/evals'), join(folder, 'elsewhere/link'));
    const named = join(folder, 'elsewhere/link/a.eval.yaml');
    const home = findHome(named);
    assert.equal(home.root, join(folder, 'repo'));
    assert.equal(recordedPath(home, named), 'evals/a.eval.yaml');
    assert.equal(recordedPath(home, join(named, '../judges/tone.md')), 'evals/judges/tone.md');
    assert.equal(namedPath(home, join(folder, FILE)), named);
  });

  it('with older ones in each folder above that has a .turnlight', async (t) => {
    const folder = await folderWith(t, FILE, '.turnlight/', 'repo/evals/.turnlight/', 'repo/.git/');
    const { kept } = findHome(join(folder, FILE));
    assert.deepEqual(kept, [join(folder, 'repo/evals'), folder]);
  });
});
