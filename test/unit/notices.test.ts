import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Bundled } from '../../scripts/build/bundledPackages.ts';
import { thirdPartyNotices } from '../../scripts/notices.ts';
import { workspaceWith } from '../support/runs.ts';

function bundleOf(inputs: Readonly<Record<string, number>>): Bundled {
  const counted = Object.entries(inputs).map(([path, bytes]) => [path, { bytesInOutput: bytes }]);
  return { outputs: { 'dist/a.js': { inputs: Object.fromEntries(counted) } } };
}

async function installed(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const root = await workspaceWith(t, {});
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

function manifest(name: string, rest: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, version: '1.2.3', license: 'MIT', ...rest });
}

describe('the notices of third parties', () => {
  it('hold the licences of what is bundled, each once, and of nothing else', async (t) => {
    const root = await installed(t, {
      'node_modules/b/package.json': manifest('b'),
      'node_modules/b/LICENSE': 'Licence of b\r\n',
      'node_modules/@x/a/package.json': manifest('@x/a', { license: 'Apache-2.0' }),
      'node_modules/@x/a/license.md': 'Licence of a',
      'node_modules/@x/a/NOTICE': 'Notice of a',
      'node_modules/@x/a/node_modules/b/package.json': manifest('b'),
      'node_modules/@x/a/node_modules/b/LICENSE': 'Licence of b',
    });
    const text = await thirdPartyNotices(root, [
      bundleOf({ 'node_modules/b/x.js': 9, 'src/own.ts': 9, 'node_modules/unused/x.js': 0 }),
      bundleOf({ 'node_modules/@x/a/lib/y.js': 9, 'node_modules/@x/a/node_modules/b/x.js': 9 }),
    ]);
    const [, ...sections] = text.split(/\n\n-{80}\n\n/);
    assert.deepEqual(sections, [
      '@x/a 1.2.3 (Apache-2.0)\n\nNotice of a\n\nLicence of a',
      'b 1.2.3 (MIT)\n\nLicence of b\n',
    ]);
  });

  it('give the text of the MIT licence where a package only names it', async (t) => {
    const author = { name: 'Somebody' };
    const root = await installed(t, { 'node_modules/b/package.json': manifest('b', { author }) });
    const text = await thirdPartyNotices(root, [bundleOf({ 'node_modules/b/x.js': 1 })]);
    assert.match(text, /Copyright \(c\) Somebody\n[\s\S]+WITHOUT WARRANTY/);
  });

  it('refuse a package that carries no licence', async (t) => {
    const files = { 'node_modules/b/package.json': manifest('b', { license: 'Apache-2.0' }) };
    const root = await installed(t, files);
    const made = thirdPartyNotices(root, [bundleOf({ 'node_modules/b/x.js': 1 })]);
    await assert.rejects(made, /b includes no licence text/);
  });
});
