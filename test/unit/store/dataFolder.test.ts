import assert from 'node:assert/strict';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { namedPath, recordedPath } from '../../../src/node/paths.ts';
import {
  dataFoldersBelowOneRoot,
  findDataFolder,
  findDataFolders,
  leftThroughLink,
} from '../../../src/store/dataFolder.ts';
import { openPersistentAnswers } from '../../../src/store/persistentAnswers.ts';
import { recordsIn } from '../../../src/store/records/files.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { renameCase } from '../../../src/store/records/renameCase.ts';
import { RecordWatch } from '../../../src/store/watchRecords.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

/** A folder with the given paths. Paths that end with `/` are folders. */
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
  const { root } = findDataFolder({
    path: join(folder, 'repo/evals/a.eval.yaml'),
    workspace: join(folder, workspace),
  });
  return root.slice(folder.length + 1);
}

const FILE = 'repo/evals/a.eval.yaml';

describe('records of an eval file are stored', () => {
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

  it('otherwise next to the nearest .git, which is a file in a worktree', async (t) => {
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git/', '.git/')), 'repo');
    assert.equal(await rootOf(await folderWith(t, FILE, 'repo/.git', '.git/')), 'repo');
  });

  it('otherwise in the workspace, if that contains it', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/other/.git/');
    assert.equal(await rootOf(folder, ''), '');
    assert.equal(await rootOf(folder, 'repo'), 'repo');
  });

  it('otherwise in its folder', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/other/.git/');
    assert.equal(await rootOf(folder, 'repo/other'), 'repo/evals');
    assert.equal(
      findDataFolder({ path: join(folder, FILE), workspace: '/' }).root,
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
    assert.deepEqual(findDataFolder({ path: join(folder, FILE), workspace: folder }).existing, []);
  });

  it('never in a file named .turnlight', async (t) => {
    assert.equal(
      await rootOf(await folderWith(t, FILE, 'repo/evals/.turnlight', 'repo/.git/')),
      'repo',
    );
  });

  it('in its real folder, even if it is opened through a link', async (t) => {
    const folder = await folderWith(t, FILE, 'repo/.git/', 'elsewhere/');
    await symlink(join(folder, 'repo/evals'), join(folder, 'elsewhere/link'));
    const named = join(folder, 'elsewhere/link/a.eval.yaml');
    const home = findDataFolder({ path: named, workspace: folder });
    assert.equal(home.root, join(folder, 'repo'));
    assert.equal(recordedPath(home, named), 'evals/a.eval.yaml');
    assert.equal(recordedPath(home, join(named, '../judges/tone.md')), 'evals/judges/tone.md');
    assert.equal(namedPath(home, join(folder, FILE)), named);
  });

  it('with older ones in each folder above with a .turnlight', async (t) => {
    const folder = await folderWith(t, FILE, '.turnlight/', 'repo/evals/.turnlight/', 'repo/.git/');
    const { existing: kept } = findDataFolder({ path: join(folder, FILE), workspace: folder });
    assert.deepEqual(kept, [join(folder, 'repo/evals'), folder]);
  });
});

describe('a run of several eval files', () => {
  const A = 'ws/a/s.eval.yaml';
  const B = 'ws/b/s.eval.yaml';
  const rootsOf = (folder: string, workspaces: readonly [string, string]) => {
    const homes = findDataFolders([
      { path: join(folder, A), workspace: join(folder, workspaces[0]) },
      { path: join(folder, B), workspace: join(folder, workspaces[1]) },
    ]);
    const names = [...dataFoldersBelowOneRoot(homes)].map(([path, home]) =>
      recordedPath(home, path),
    );
    return { roots: [...homes.values()].map(({ root }) => root.slice(folder.length + 1)), names };
  };

  it('has one root, above all of them', async (t) => {
    const folder = await folderWith(t, A, B);
    const expected = { roots: ['ws', 'ws'], names: ['a/s.eval.yaml', 'b/s.eval.yaml'] };
    assert.deepEqual(rootsOf(folder, ['ws', 'ws']), expected);
    const own = await folderWith(t, A, B, 'ws/a/.turnlight/', 'ws/.git/');
    assert.deepEqual(rootsOf(own, ['ws', 'ws']), expected);
  });

  it('gives each file a distinct path if the workspaces have nothing in common', async (t) => {
    const folder = await folderWith(t, A, B);
    assert.deepEqual(rootsOf(folder, ['ws/a', 'ws/b']), {
      roots: ['ws/a', 'ws/b'],
      names: ['a/s.eval.yaml', 'b/s.eval.yaml'],
    });
  });
});

const FILES = {
  'bot.mjs': ECHO,
  'suite.eval.yaml': botSuite('  - {id: a, turns: [x], assert: [{type: contains, value: x}]}\n'),
};

const THEIRS = `${JSON.stringify({ key: 'a', answer: 'theirs' })}\n`;

/** A workspace in which `.turnlight` or one of its entries is a link to a file or folder outside. */
async function linked(t: TestContext, name: '' | 'runs') {
  const outside = join(await workspaceWith(t, { 'there/file': THEIRS }), 'there');
  const workspace = await workspaceWith(t, FILES);
  if (name !== '') await mkdir(join(workspace, '.turnlight'));
  await symlink(outside, join(workspace, '.turnlight', name).replace(/\/$/, ''));
  return { outside, workspace, link: join(workspace, '.turnlight', name) };
}

describe('a link in a workspace', () => {
  for (const name of ['', 'runs'] as const) {
    it(`as .turnlight/${name} stops the run before any request or write`, async (t) => {
      const { outside, workspace } = await linked(t, name);
      const events: string[] = [];
      const run = runFiles(t, {}, { workspace, onEvent: ({ kind }) => events.push(kind) });
      await assert.rejects(run, { name: 'UnwritableError', reason: 'in-the-way' });
      assert.deepEqual(events, []);
      assert.deepEqual(await readdir(outside), ['file']);
    });
  }

  it('as the file of stored answers is neither read nor appended to', async (t) => {
    const folder = join(emptyCache(), 'answers');
    const home = { folder, root: '/work', workspaces: ['/work'], scrubber: new Scrubber() };
    await openPersistentAnswers(home).save('b', 'ours');
    const [name = ''] = await readdir(folder);
    const outside = join(await workspaceWith(t, { theirs: THEIRS }), 'theirs');
    await rm(join(folder, name));
    await symlink(outside, join(folder, name));
    const answers = openPersistentAnswers(home);
    assert.equal(await answers.load('a'), undefined);
    await assert.rejects(answers.save('a', 'words'), {
      message: `The file with evaluation steps cannot be written. ${join(folder, name)} is a symbolic link. Remove it.`,
    });
    assert.equal(await readFile(outside, 'utf8'), THEIRS);
  });

  it('that leads out is found wherever it is on the way to a file, even if it is broken', async (t) => {
    const outside = await folderWith(t, 'a');
    const folder = await folderWith(t, 'repo/.git/', 'repo/evals/a', 'repo/deep/');
    const repo = join(folder, 'repo');
    await symlink(outside, join(repo, 'deep/out'));
    await symlink(join(outside, 'missing'), join(repo, 'broken'));
    await symlink(join(repo, 'evals'), join(repo, 'inside'));
    for (const path of ['deep/out', 'deep/out/new/file', 'broken']) {
      assert.equal(leftThroughLink(join(repo, path), join(repo, 'deep')), repo, path);
    }
    for (const path of ['evals/a', 'inside/new', 'new/file']) {
      assert.equal(leftThroughLink(join(repo, path), repo), undefined, path);
    }
    assert.equal(leftThroughLink(join(outside, 'a'), repo), undefined);
  });

  it('that leads out is found in a checkout that is the home folder', async (t) => {
    const outside = await folderWith(t);
    const home = await folderWith(t, '.git/', 'evals/.turnlight/', 'project/.git/');
    await symlink(outside, join(home, 'out'));
    const before = process.env.HOME;
    process.env.HOME = home;
    t.after(() => {
      process.env.HOME = before;
    });
    assert.equal(leftThroughLink(join(home, 'out/file'), join(home, 'evals')), home);
    assert.equal(leftThroughLink(join(home, 'out/file'), join(home, 'project')), undefined);
  });

  it('contains no records', async (t) => {
    const elsewhere = await workspaceWith(t, {});
    const workspace = await workspaceWith(t, FILES);
    const suite = join(workspace, 'suite.eval.yaml');
    const record = join(elsewhere, 'x.jsonl');
    const text = `${JSON.stringify(buildCaseLine({ id: 'a', status: 'pass', suite }))}\n`;
    await writeFile(record, text);
    await mkdir(join(workspace, '.turnlight'));
    await symlink(elsewhere, recordsIn(workspace));
    assert.deepEqual(await new LatestRuns().find(suite, 'a'), []);
    assert.deepEqual((await renameCase({ suite, from: 'a', to: 'b' })).changed, []);
    assert.equal(await readFile(record, 'utf8'), text);
  });

  it('is not a record', async (t) => {
    const workspace = await workspaceWith(t, FILES);
    const suite = join(workspace, 'suite.eval.yaml');
    const text = `${JSON.stringify(buildCaseLine({ id: 'a', status: 'pass', suite }))}\n`;
    await mkdir(recordsIn(workspace), { recursive: true });
    await writeFile(join(workspace, 'x'), text);
    await symlink(join(workspace, 'x'), join(recordsIn(workspace), 'x.jsonl'));
    assert.deepEqual(await new LatestRuns().find(suite, 'a'), []);
  });

  it('as .turnlight is not watched', async (t) => {
    const { outside, workspace } = await linked(t, '');
    const told: string[] = [];
    const watch = new RecordWatch((path) => told.push(path));
    t.after(() => watch.dispose());
    const file = { path: join(workspace, 'suite.eval.yaml'), workspace };
    const { root } = findDataFolder(file);
    await watch.add(file);
    await mkdir(join(outside, 'runs'));
    await writeFile(join(outside, 'runs/x.jsonl'), '');
    const other = await workspaceWith(t, { ...FILES, '.turnlight/runs/y.jsonl': '' });
    await watch.add({ path: join(other, 'suite.eval.yaml'), workspace: other });
    await writeFile(join(other, '.turnlight/runs/y.jsonl'), '\n');
    const seen = async () => told.some((path) => path.endsWith('y.jsonl'));
    await until('A change elsewhere', seen, Boolean);
    assert.deepEqual(
      told.filter((path) => path.startsWith(root)),
      [],
    );
  });
});
