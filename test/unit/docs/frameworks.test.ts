import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../../scripts/docs/pages.ts';
import { loadExamples } from '../../support/docsExample.ts';

const FOLDER = join(ROOT, 'docs/frameworks');
const TESTED = join(ROOT, 'test/frameworks');

const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const all = pages.map(read).join('\n');

describe('the pages of agent frameworks', () => {
  for (const framework of readdirSync(TESTED)) {
    for (const file of ['target.mjs', 'target.py']) {
      const path = join(TESTED, framework, file);
      if (!existsSync(path)) continue;
      it(`show the target of ${framework} as it is tested, in at most five lines`, () => {
        const text = readFileSync(path, 'utf8').trim();
        assert.ok(all.includes(`\n${text}\n\`\`\``), text);
        assert.ok(text.split('\n').filter((line) => line !== '').length <= 5);
      });
    }
  }

  for (const page of pages) {
    it(`have valid eval files: ${page}`, async (t) => {
      for (const { problems } of await loadExamples(t, read(page))) assert.deepEqual(problems, []);
    });

    it(`are found from the overview: ${page}`, () => {
      assert.ok(read('README.md').includes(`](${page})`));
    });
  }
});
