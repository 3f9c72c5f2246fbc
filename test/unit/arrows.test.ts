import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { arrows } from '../../scripts/arrows/arrows.ts';
import { arrowRules } from '../../scripts/arrows/lintRules.ts';
import { withTable } from '../../scripts/arrows/table.ts';

const CHECKOUT = new URL('../../', import.meta.url);

describe('import arrows', () => {
  it('lint rules and table follow from the arrows: run `npm run arrows` where this fails', async () => {
    assert.equal(await readFile(new URL('biome.arrows.json', CHECKOUT), 'utf8'), arrowRules());
    const architecture = await readFile(new URL('ARCHITECTURE.md', CHECKOUT), 'utf8');
    assert.equal(architecture, withTable(architecture));
  });

  it('every folder of the source has its arrows', async () => {
    const entries = await readdir(new URL('src/', CHECKOUT), { withFileTypes: true });
    const folders = entries.filter((one) => one.isDirectory()).map(({ name }) => `src/${name}`);
    const named = arrows.map(({ folder }) => folder).filter((one) => one.startsWith('src/'));
    assert.deepEqual([...named].sort(), folders.sort());
  });

  it('no folder within another is called like one of the source, which the rules would take for it', async () => {
    const top = await readdir(new URL('src/', CHECKOUT));
    const inner = await readdir(new URL('src/', CHECKOUT), { recursive: true });
    const confusing = inner.filter((path) => {
      const steps = path.split('/');
      return steps.length > 1 && top.includes(steps.at(-1) ?? '');
    });
    assert.deepEqual(confusing, []);
  });
});
