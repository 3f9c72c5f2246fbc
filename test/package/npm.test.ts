import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Bundled, bundledPackages } from '../../scripts/build/bundledPackages.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { pack } from '../support/pack.ts';
import { botSuite, ECHO, workspaceWith } from '../support/runs.ts';

const run = promisify(execFile);

describe('the npm package', () => {
  it('installs without other packages or a network, and runs', async (t) => {
    const tarball = await pack(t);
    const cwd = await workspaceWith(t, {
      'package.json': '{"name": "theirs", "private": true}',
      'bot.mjs': ECHO,
      'demo.eval.yaml': botSuite(
        '  - {id: a, turns: [Hello], assert: [{type: contains, value: Hello}]}\n',
      ),
    });
    const { stderr } = await run('npm', ['install', '--offline', '--no-audit', tarball], { cwd });
    assert.equal(stderr, '');
    const installed = await readdir(join(cwd, 'node_modules'));
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['turnlight'],
    );
    const own = await readdir(join(cwd, 'node_modules/turnlight'));
    assert.ok(!own.includes('node_modules'), own.join());
    const { stdout } = await run('npx', ['--offline', 'turnlight', 'run'], { cwd });
    assert.match(stdout, /✓ a .*\n[\s\S]*Cases: 1 passed, 0 failed/);
    // Packages that only queues need aren't installed, and the command says so.
    const args = ['--offline', 'turnlight', 'run', '--queue', 'redis://127.0.0.1'];
    const queued = run('npx', args, { cwd });
    await assert.rejects(queued, { code: 2, stderr: /npm install bullmq ioredis/ });
  });

  it('lists each package whose code it contains, with its version and license', async () => {
    const read = async (name: string) =>
      JSON.parse(await readFile(join(CHECKOUT, 'dist', name), 'utf8'));
    const meta: Readonly<Record<string, Bundled>> = await read('meta.json');
    const bundled = await bundledPackages(CHECKOUT, Object.values(meta));
    const { components } = await read('sbom.cdx.json');
    const notices = await readFile(join(CHECKOUT, 'dist/ThirdPartyNotices.txt'), 'utf8');
    const listed: string[] = components.map(({ name, version, licenses: [one] }: Component) => {
      const licence = one.expression ?? one.license?.id;
      assert.ok(notices.includes(`\n${name} ${version} (${licence})\n`), name);
      return `${name} ${version}`;
    });
    const held = new Set(bundled.map(({ name, version }) => `${name} ${version}`));
    assert.deepEqual(new Set(listed), held);
    assert.ok(held.size > 30, `${held.size} packages`);
  });
});

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly [{ readonly expression?: string; readonly license?: { id: string } }];
}
