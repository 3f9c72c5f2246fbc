import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgram } from '../../../src/cli/commands.ts';
import type { Shell } from '../../../src/cli/shell.ts';
import { turnlight } from '../../support/commandLine.ts';

const docs = (...args: readonly string[]) => turnlight('/', ['docs', ...args]);

describe('turnlight docs', () => {
  it('prints the table of contents, and every page in it', async () => {
    const { code, out } = await docs();
    assert.equal(code, 0);
    const pages = [...out.matchAll(/\]\(((?!\.\.)[^)]+)\)/g)].map(([, page = '']) => page);
    assert.ok(pages.length > 30, out);
    for (const page of pages) {
      const printed = await docs(page);
      assert.match(printed.out, /^# /, `${page}: ${printed.err}`);
      assert.doesNotMatch(printed.out, /<!--/);
    }
  });

  it('finds a page by the last part of its path, or by a link', async () => {
    for (const name of ['ci', 'guides/ci', 'docs/guides/ci.md', '../guides/ci.md#a-cost-limit']) {
      assert.match((await docs(name)).out, /^# In CI\n/, name);
    }
  });

  it('says what to do if a name means no page, or several', async () => {
    const several = await docs('targets');
    assert.deepEqual(
      [several.code, several.err],
      [3, '"targets" is the name of several pages. Pass guides/targets or reference/targets.\n'],
    );
    assert.match((await docs('contain')).err, /Did you mean contains\? Run turnlight docs for/);
    assert.equal((await docs('../../etc/passwd')).code, 3);
  });

  it('has the page that each help names', async () => {
    const { commands } = createProgram({} as Shell, () => {});
    for (const name of commands.map((one) => one.name())) {
      const { out } = await turnlight('/', [name, '--help']);
      const [, page = ''] = /\nDocumentation: turnlight docs (\S+)\n$/.exec(out) ?? [];
      assert.equal((await docs(page)).code, 0, `${name}: ${page}`);
    }
    assert.match(
      (await turnlight('/', ['--help'])).out,
      /\nDocumentation: turnlight docs \[page\]\n$/,
    );
  });
});
