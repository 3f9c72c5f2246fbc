import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { namedPath, recordedPath } from '../../../src/node/paths.ts';
import { findHome, findHomes, homesBelowOneRoot } from '../../../src/store/home.ts';

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

async function rootOf(folder: string, workspace = 'repo/evals'): Promise<string> {
  const { root } = findHome({
    path: join(folder, 'repo/evals/a.eval.yaml'),
    workspace: join(folder, workspace),
  });
  return root.slice(folder.length + 1);
}

const FILE = 'repo/evals/a.eval.yaml';

describe('records of an eval file stand', () => {
  it('in the nearest .turnlight above it, but not above its repository', async (t) => {
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/.turnlight/', 'repo/.git/', '.turnlight/')),
      'repo',
    );
    assert.equal(await rootOf(await folderWith(t, FILE, '.turnlight/', 'repo/.git/')), 'repo');
    assert.equal(await rootOf(await folderWith(t, FILE, '.turnlight/')), '');
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/evals/.turnlight/', 'repo/.turnlight/')),
      'repo/evals',
    );
  });

  it('else beside the nearest .git, which in a worktree is a file', async (t) => {
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git/', '.git/')), 'repo');
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git', '.git/')), 'repo');
  });

  it('else in the workspace, if that contains it', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/other/.git/');
    assert.equal(await rootOf(folder, ''), '');
    assert.equal(await rootOf(folder, 'repo'), 'repo');
  });

  it('else in its folder', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/other/.git/');
    assert.equal(await rootOf(folder, 'repo/other'), 'repo/evals');
    assert.equal(
      findHome({ path: join(folder, FILE), workspace: '/' }).root,
      join(folder, 'repo/evals'),
    );
  });

  it('never in the home folder, whatever it contains', async (t) => {
    const folder = await folderWith(t, FILE, '.turnlight/', '.git/');
    const home = process.env.HOME;
    process.env.HOME = folder;
    t.after(() => {
      process.env.HOME = home;
    });
    assert.equal(await rootOf(folder, ''), 'repo/evals');
    assert.deepEqual(findHome({ path: join(folder, FILE), workspace: folder }).kept, []);
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
    const home = findHome({ path: named, workspace: folder });
    assert.equal(home.root, join(folder, 'repo'));
    assert.equal(recordedPath(home, named), 'evals/a.eval.yaml');
    assert.equal(recordedPath(home, join(named, '../judges/tone.md')), 'evals/judges/tone.md');
    assert.equal(namedPath(home, join(folder, FILE)), named);
  });

  it('with older ones in each folder above that has a .turnlight', async (t) => {
    const folder = await folderWith(t, FILE, '.turnlight/', 'repo/evals/.turnlight/', 'repo/.git/');
    const { kept } = findHome({ path: join(folder, FILE), workspace: folder });
    assert.deepEqual(kept, [join(folder, 'repo/evals'), folder]);
  });
});

describe('a run of several eval files', () => {
  const A = 'ws/a/s.eval.yaml';
  const B = 'ws/b/s.eval.yaml';
  const rootsOf = (folder: string, workspaces: readonly [string, string]) => {
    const homes = findHomes([
      { path: join(folder, A), workspace: join(folder, workspaces[0]) },
      { path: join(folder, B), workspace: join(folder, workspaces[1]) },
    ]);
    const names = [...homesBelowOneRoot(homes)].map(([path, home]) => recordedPath(home, path));
    return { roots: [...homes.values()].map(({ root }) => root.slice(folder.length + 1)), names };
  };

  it('has one root, above all of them', async (t) => {
    const folder = await folderWith(t, A, B);
    const expected = { roots: ['ws', 'ws'], names: ['a/s.eval.yaml', 'b/s.eval.yaml'] };
    assert.deepEqual(rootsOf(folder, ['ws', 'ws']), expected);
    const own = await folderWith(t, A, B, 'ws/a/.turnlight/', 'ws/.git/');
    assert.deepEqual(rootsOf(own, ['ws', 'ws']), expected);
  });

  it('names each apart where the workspaces have nothing in common', async (t) => {
    const folder = await folderWith(t, A, B);
    assert.deepEqual(rootsOf(folder, ['ws/a', 'ws/b']), {
      roots: ['ws/a', 'ws/b'],
      names: ['a/s.eval.yaml', 'b/s.eval.yaml'],
    });
  });
});
