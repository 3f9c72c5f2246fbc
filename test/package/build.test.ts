import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { describeLong } from '../support/long.ts';

const node = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: CHECKOUT, env: ownFolders(process.env) });

describe('the package for npm', { timeout: 120_000 }, () => {
  it('brings a command line that runs', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'turnlight-npm-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const run = promisify(execFile);
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: CHECKOUT });
    const [packed = ''] = await readdir(folder);
    await run('tar', ['xzf', join(folder, packed), '-C', folder]);
    const { stdout } = await node(join(folder, 'package/dist/cli.js'), 'list', 'examples/shopfast');
    assert.match(stdout, /frustrated-customer/);
  });
});

describeLong('a build', () => {
  it('never leaves a command line that runs meanwhile without its files, nor another build', async () => {
    let building = true;
    const built = Promise.all([1, 2].map(() => node('esbuild.mjs', '--production'))).finally(() => {
      building = false;
    });
    let runs = 0;
    while (building) {
      // This command loads chunks both at startup and later.
      const { stdout } = await node('dist/cli.js', 'list', 'examples/shopfast');
      assert.match(stdout, /frustrated-customer/);
      runs += 1;
    }
    await built;
    assert.ok(runs > 1, `${runs} runs`);
    const names = await readdir(join(CHECKOUT, 'dist'));
    assert.deepEqual(
      names.filter((name) => name.startsWith('.')),
      [],
    );
  });
});
