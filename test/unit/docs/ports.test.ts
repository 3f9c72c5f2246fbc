import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../../scripts/docs/pages.ts';

const page = readFileSync(join(ROOT, 'docs/ports.md'), 'utf8');
const ROW = /^\| \[(.+)\]\(#.+\) \| (\d+) \| (\d+) \|$/gm;
const rows = [...page.matchAll(ROW)].map(([, name = '', there, here]) => ({
  name,
  there: Number(there),
  here: Number(here),
}));
const sections = page.split(/^## /m).slice(1);

/** Number of lines in a section's examples, without blank lines and comments. */
function linesOf(section: string): number {
  return [...section.matchAll(/^```\w+\n([\s\S]+?)\n```$/gm)]
    .flatMap(([, text = '']) => text.split('\n'))
    .filter((line) => !/^\s*(#|$)/.test(line)).length;
}

describe('the examples of other tools, written here', () => {
  it('are all in the table, in their order', () => {
    assert.deepEqual(
      sections.map((section) => section.split('\n')[0]),
      rows.map(({ name }) => name),
    );
  });

  for (const [index, { name, there, here }] of rows.entries()) {
    it(`${name}: has as many lines as the table says, and no more than there`, () => {
      assert.equal(linesOf(sections[index] ?? ''), here);
      assert.ok(here <= there);
    });
  }
});
