import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { turnlightProcess } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** Prints the URL of every loaded module to standard error. */
const TELLING = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });`;
const NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(TELLING)}"`;

describe('the version', () => {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };

  for (const flag of ['--version', '-V']) {
    it(`is printed for ${flag} without loading the command line`, async (t) => {
      const folder = await workspaceWith(t, {});
      const { code, out, err } = await turnlightProcess(folder, [flag], { NODE_OPTIONS });
      assert.deepEqual([code, out], [0, `${version}\n`]);
      const files = err.split('\n').filter((url) => url.startsWith('file:'));
      assert.deepEqual(
        files.map((url) => basename(url)),
        ['main.ts', 'version.ts'],
      );
    });
  }

  it('is printed by the command line with other arguments', async (t) => {
    const { code, out } = await turnlightProcess(await workspaceWith(t, {}), ['--version', 'list']);
    assert.deepEqual([code, out], [0, `${version}\n`]);
  });
});
