import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadedSuite } from '../../../src/evalfile/loadedSuite.ts';
import { createSuiteIndex } from '../../../src/server/workspace.ts';
import { memoryFiles, WORKSPACE } from '../../support/evalFiles.ts';
import { serviceOver } from '../../support/language/languageService.ts';

const at = (name: string) => `${WORKSPACE}/${name}.eval.yaml`;

/** Which of two closed files stays cached after the other one was read. */
async function kept(length: number): Promise<readonly boolean[]> {
  const text = `# ${'x'.repeat(length)}\ncases: []\n`;
  const { workspace } = serviceOver(memoryFiles({ [at('a')]: text, [at('b')]: text }));
  const read = () => Promise.all([workspace.documentAt(at('a')), workspace.documentAt(at('b'))]);
  const [a, b] = await read();
  const againB = await workspace.documentAt(at('b'));
  const againA = await workspace.documentAt(at('a'));
  return [againA === a, againB === b];
}

it('caches closed files, long ones only until the next one is read', async () => {
  assert.deepEqual(await kept(100), [true, true]);
  assert.deepEqual(await kept(900_000), [false, true]);
});

const suite = (path: string, ...dependencies: string[]): LoadedSuite => ({
  path,
  dependencies,
  problems: [],
  outline: [],
});

describe('the index of suites', () => {
  it('knows which files use a file', () => {
    const index = createSuiteIndex(() => {});
    index.put(suite('/a.eval.yaml', '/p.md', '/more.yaml'));
    index.put(suite('/b.eval.yaml', '/p.md'));
    assert.deepEqual(index.usersOf('/p.md'), ['/a.eval.yaml', '/b.eval.yaml']);
    index.put(suite('/a.eval.yaml', '/more.yaml'));
    assert.deepEqual(index.usersOf('/p.md'), ['/b.eval.yaml']);
    index.delete('/b.eval.yaml');
    assert.ok(!index.isUsed('/p.md'));
    assert.ok(index.isUsed('/more.yaml'));
  });

  it('reports the files that become used or unused, and nothing else', () => {
    const told: string[] = [];
    const index = createSuiteIndex((path) => told.push(path));
    index.put(suite('/a.eval.yaml', '/p.md', '/q.md'));
    assert.deepEqual(told.splice(0), ['/p.md', '/q.md']);
    index.put(suite('/a.eval.yaml', '/q.md', '/r.md'));
    assert.deepEqual(told.splice(0), ['/p.md', '/r.md']);
    index.delete('/a.eval.yaml');
    assert.deepEqual(told.splice(0), ['/q.md', '/r.md']);
  });

  it('lists the eval files, not the files that they include', () => {
    const index = createSuiteIndex(() => {});
    index.put(suite('/a.eval.yaml', '/more.yaml'));
    index.put(suite('/more.yaml'));
    assert.deepEqual(
      index.suites().map(({ path }) => path),
      ['/a.eval.yaml'],
    );
  });
});
