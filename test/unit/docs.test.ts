import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { assertionPages, FOLDER } from '../../scripts/docs/pages.ts';
import { cell, table } from '../../scripts/docs/table.ts';
import { assertionTypes } from '../../src/assertions/registry.ts';
import { loadExample } from '../support/docsExample.ts';

const DOCS = resolve(import.meta.dirname, '../..', FOLDER);
const RENEW = `${FOLDER} is not what the declarations say: run \`npm run docs\` and commit what changes.`;
const pages = assertionPages();

describe('the pages of the assertions', () => {
  it('are those of the declarations, and no others', async () => {
    assert.deepEqual((await readdir(DOCS)).sort(), [...pages.keys()].sort(), RENEW);
    for (const [name, text] of pages) {
      const written = await readFile(join(DOCS, name), 'utf8');
      assert.ok(written.replaceAll('\r\n', '\n') === text, `${name}: ${RENEW}`);
    }
  });

  it('are all listed in the index', () => {
    const index = pages.get('README.md') ?? '';
    for (const { type } of assertionTypes) assert.ok(index.includes(`(${type}.md)`), type);
  });

  for (const type of assertionTypes) {
    const page = pages.get(`${type.type}.md`) ?? '';

    it(`give ${type.type} a formula, an example in numbers and each of its keys`, () => {
      assert.match(page, /^Score: \S/m);
      assert.match(page, /^Example: .*\d/m);
      for (const key of Object.keys(type.params.shape)) {
        assert.match(page, new RegExp(`^\\| \`${key}\` \\| .+ \\| .* \\| .+ \\|$`, 'm'));
      }
    });

    it(`give ${type.type} an example that loads without a problem`, async (t) => {
      const { problems } = await loadExample(t, page);
      // The case that the example is put into has neither tools nor retrieved context.
      const told = problems.filter(({ code }) => code !== 'nothing-to-judge');
      assert.deepEqual(told, []);
    });

    it(`keep the tables of ${type.type} whole`, () => {
      const rows = page.split('\n').filter((line) => line.startsWith('|'));
      const widths = rows.map((row) => row.split(/(?<!\\)\|/).length - 2);
      assert.deepEqual([...new Set(widths)].sort(), [2, 4]);
    });
  }

  it('tell what is needed, the threshold in its own scale and whose metric it is like', () => {
    assert.match(pages.get('tool-use.md') ?? '', /\| needs \| the tools that/);
    assert.match(pages.get('coherence.md') ?? '', /\| 0\.5, which is 3 of 1 to 5 \|/);
    assert.match(pages.get('coherence.md') ?? '', /\| as in \| Azure \|/);
    assert.match(pages.get('g-eval.md') ?? '', /`rubric\[\]\.means`/);
  });
});

describe('a table in Markdown', () => {
  it('keeps pipes, line breaks and tags in their cell', () => {
    assert.equal(cell('`a|b` or\n <name> | `<x>`'), '`a\\|b` or &lt;name> \\| `<x>`');
    assert.equal(table(['a', 'b'], [['1', '']]), '| a | b |\n| --- | --- |\n| 1 |  |');
  });
});
