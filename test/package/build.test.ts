import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { CHECKOUT } from '../support/host/install.ts';

const node = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: CHECKOUT });

describe('a build', { timeout: 120_000 }, () => {
  it('never leaves a command line that runs meanwhile without its files, nor another build', async () => {
    let building = true;
    const built = Promise.all([1, 2].map(() => node('esbuild.mjs', '--production'))).finally(() => {
      building = false;
    });
    let runs = 0;
    while (building) {
      // Loads chunks at its start and later.
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
