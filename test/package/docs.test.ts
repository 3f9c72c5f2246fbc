import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { deflateRawSync } from 'node:zlib';
import { docsFiles } from '../../scripts/docs/pages.ts';
import { siteFiles } from '../../scripts/docs/site.ts';
import { CHECKOUT } from '../support/host/install.ts';

const run = promisify(execFile);

/** The README and all pages of the documentation, and everything in the repository that they link to. */
const NEEDED = [...docsFiles().keys(), ...siteFiles().keys()].filter(
  (path) => !/\.html$|^style\.css$/.test(path),
);

/** The editor's preview shows no pictures of pages in other folders. */
const NOT_IN: Readonly<Record<string, readonly string[]>> = { vsix: ['media/results.webp'] };

const PACKAGES: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  async vsix() {
    const vsce = join(CHECKOUT, 'node_modules/.bin/vsce');
    const { stdout } = await run(vsce, ['ls', '--no-dependencies'], { cwd: CHECKOUT });
    return stdout.trim().split('\n');
  },
  async npm() {
    const args = ['pack', '--dry-run', '--ignore-scripts', '--json'];
    const { stdout } = await run('npm', args, { cwd: CHECKOUT });
    const [packed]: readonly { readonly files: readonly { readonly path: string }[] }[] =
      Object.values(JSON.parse(stdout));
    return packed?.files.map(({ path }) => path) ?? [];
  },
};

describe('the documentation in the packages', () => {
  for (const [name, list] of Object.entries(PACKAGES)) {
    it(`is complete, and its links lead to files in the package: ${name}`, async () => {
      const files = await list();
      assert.ok(NEEDED.length > 100 && NEEDED.includes('README.md'));
      assert.deepEqual(
        NEEDED.filter((path) => !files.includes(path)),
        NOT_IN[name] ?? [],
      );
    });
  }

  it('takes less than 200 kB, compressed', () => {
    const pages = [...docsFiles().keys()].filter((path) => path.startsWith('docs/'));
    const sizes = pages.map((path) => deflateRawSync(readFileSync(join(CHECKOUT, path))).length);
    const size = sizes.reduce((sum, one) => sum + one, 0);
    assert.ok(size < 200_000, `${size} bytes`);
  });
});
