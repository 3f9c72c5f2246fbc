import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { nameHomes } from '../../../../scripts/arrows/arrows.ts';

const SOURCE = new URL('../../../../src/', import.meta.url).pathname;

describe('lines of run records', () => {
  const texts = new Map<string, string>();

  before(async () => {
    for (const path of await readdir(SOURCE, { recursive: true })) {
      if (path.endsWith('.ts')) texts.set(path, await readFile(join(SOURCE, path), 'utf8'));
    }
  });

  /** Files outside of the reader that match the pattern. */
  function others(pattern: RegExp): string[] {
    return [...texts]
      .filter(([path, text]) => !path.startsWith('store/records/') && pattern.test(text))
      .map(([path]) => path)
      .sort();
  }

  it('are parsed only by their reader, and by the queue', () => {
    assert.deepEqual(others(/\b(run|case|end|record)LineSchema\b/), [
      'core/record/runRecord.ts',
      'queue/messages.ts',
    ]);
  });

  it('are the only JSON Lines that the store reads besides labels and stored answers', () => {
    assert.deepEqual(others(/\/jsonLines\.ts'/), ['store/labels.ts', 'store/persistentAnswers.ts']);
  });

  it('are distinguished by raw keys nowhere else', () => {
    assert.deepEqual(others(/mappingOf\([^)]*\)\.kind\b|\{ kind \} = mappingOf/), []);
  });

  it("can't be imported by other folders, by lint rules", async () => {
    const rules = await readFile(new URL('../biome.arrows.json', `file://${SOURCE}`), 'utf8');
    for (const { names, why } of nameHomes) {
      assert.ok(rules.includes(JSON.stringify(names)) && rules.includes(why));
    }
  });
});
