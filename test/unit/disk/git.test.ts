import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gitOutput } from '../../../src/disk/git.ts';

const POSIX = { skip: process.platform === 'win32' };

const MISSING = '1234567890123456789012345678901234567890';

/** The arguments of every git command that Turnlight runs. */
const CALLS = [
  ['rev-parse', 'HEAD'],
  ['rev-parse', '--verify', '--quiet', '--end-of-options', 'main^{commit}'],
  ['config', '--get', 'user.email'],
];

async function temporary(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'turnlight-git-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

/**
 * A git configuration that names a program in every setting that allows one, and fetches missing objects from `url`.
 */
function settings(program: string, url: string, isBare: boolean): string {
  return `[core]
  repositoryformatversion = 1
  bare = ${isBare}
  sshCommand = ${program}
  gitProxy = ${program}
  askPass = ${program}
  pager = ${program}
  editor = ${program}
  fsmonitor = ${program}
  hooksPath = hooks
  alternateRefsCommand = ${program}
[alias]
  rev-parse = !${program}
  config = !${program}
[pager]
  rev-parse = ${program}
  config = ${program}
[credential]
  helper = ${program}
[diff]
  external = ${program}
[filter "x"]
  process = ${program}
  smudge = ${program}
[protocol]
  allow = always
[extensions]
  partialClone = origin
[remote "origin"]
  url = ${url}
  promisor = true
  uploadpack = ${program}
`;
}

const HOOKS = ['reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'post-checkout'];

describe('git', POSIX, () => {
  it('is found in an absolute folder of the PATH, never in the working folder or its packages', async (t) => {
    const root = await temporary(t);
    const marker = join(root, 'ran');
    const packages = join(root, 'node_modules/.bin');
    await mkdir(packages, { recursive: true });
    for (const folder of [root, packages]) {
      await writeFile(join(folder, 'git'), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    }
    const { PATH = '' } = process.env;
    t.after(() => Object.assign(process.env, { PATH }));
    for (const before of ['.', '', packages]) {
      Object.assign(process.env, { PATH: `${before}${delimiter}${PATH}` });
      assert.equal(await gitOutput(['config', '--get', 'core.fsmonitor'], root), 'false');
    }
    assert.equal(existsSync(marker), false);
  });
});

describe('a repository', POSIX, () => {
  for (const [name, url] of [
    ['ssh', 'ssh://x/y'],
    ['git', 'git://127.0.0.1:1/y'],
    ['ext', 'ext::PROGRAM'],
    ['file', 'file://HERE'],
  ] as const) {
    for (const isBare of [true, false]) {
      const where = isBare ? 'a folder that a clone brings' : '.git';
      it(`starts no program named in its settings, in  ${where}, with a remote of ${name}`, async (t) => {
        const root = await temporary(t);
        const marker = join(root, 'ran');
        const program = join(root, 'program');
        await writeFile(program, `#!/bin/sh\ntouch '${marker}'\nexit 1\n`);
        await chmod(program, 0o755);
        const folder = join(root, 'evals');
        const git = isBare ? folder : join(folder, '.git');
        await mkdir(join(git, 'refs', 'heads'), { recursive: true });
        await mkdir(join(git, 'objects'));
        await mkdir(join(git, 'hooks'));
        for (const hook of HOOKS) {
          await writeFile(join(git, 'hooks', hook), `#!/bin/sh\ntouch '${marker}'\n`, {
            mode: 0o755,
          });
        }
        await writeFile(join(git, 'HEAD'), 'ref: refs/heads/main\n');
        await writeFile(join(git, 'refs', 'heads', 'main'), `${MISSING}\n`);
        await writeFile(join(folder, '.gitattributes'), '* filter=x diff=x\n');
        const remote = url.replace('PROGRAM', program).replace('HERE', folder);
        await writeFile(join(git, 'config'), settings(program, remote, isBare));
        for (const call of CALLS) await gitOutput(call, folder);
        assert.equal(existsSync(marker), false);
      });
    }
  }

  it('still reports its commit', async (t) => {
    const root = await temporary(t);
    const git = (...args: string[]) => String(execFileSync('git', args, { cwd: root })).trim();
    git('init', '-q');
    git('-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-q', '--allow-empty', '-m', 'a');
    assert.equal(await gitOutput(['rev-parse', 'HEAD'], root), git('rev-parse', 'HEAD'));
  });
});
