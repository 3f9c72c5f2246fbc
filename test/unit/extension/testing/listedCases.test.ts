import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSuite } from '../../../../src/evalfile/load.ts';
import {
  isMissing,
  listedCases,
  sortFiles,
  unlistedErrors,
} from '../../../../src/extension/testing/listedCases.ts';
import { load, memoryFiles, SUITE, WORKSPACE } from '../../../support/evalFiles.ts';

const CHECK =
  'transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]';

describe('the cases of the Testing panel', () => {
  it('are those with an id, and only the first of equal ids', async () => {
    const { outline } = await load(
      `cases:\n  - {id: a, ${CHECK}}\n  - {${CHECK}}\n  - {id: a, ${CHECK}}\n  - {id: b, ${CHECK}}\n`,
    );
    assert.deepEqual(
      listedCases(outline).map(({ id, range }) => [id, range.start.line]),
      [
        ['a', 1],
        ['b', 4],
      ],
    );
  });

  it("leave out ids that VS Code doesn't accept", async () => {
    const { outline } = await load(`cases:\n  - {id: "a\\0b", ${CHECK}}\n`);
    assert.equal(outline.length, 1);
    assert.deepEqual(listedCases(outline), []);
  });
});

describe('errors that no item of the panel shows', () => {
  it('are those of cases without an id and of a second case of the same id', async () => {
    const suite = await load(
      `cases:\n  - {id: a, ${CHECK}}\n  - {${CHECK}}\n  - {id: a, ${CHECK}}\n`,
    );
    assert.deepEqual(
      unlistedErrors(suite).map(({ code }) => code),
      ['missing-key', 'duplicate-id'],
    );
  });

  it('are all errors of a file that is not valid YAML', async () => {
    assert.notEqual(unlistedErrors(await load('cases: [')).length, 0);
  });

  it('are empty if the case with the error has its own item', async () => {
    const suite = await load(`cases:\n  - {id: a, thresold: 1, ${CHECK}}\n`);
    assert.notEqual(suite.problems.length, 0);
    assert.deepEqual(unlistedErrors(suite), []);
  });
});

describe('a missing eval file', () => {
  it('differs from one that refers to a missing file', async () => {
    const options = { workspace: WORKSPACE, env: () => undefined };
    assert.equal(isMissing(await loadSuite(SUITE, memoryFiles({}), options)), true);
    const prompt = `cases:\n  - id: a\n    transcript: nowhere.json\n    assert: [Polite.]\n`;
    assert.equal(isMissing(await load(prompt)), false);
    assert.equal(isMissing(await load('include: [nowhere.yaml]\n')), false);
    assert.equal(isMissing(await load('')), false);
  });
});

it('sorts eval files by path, open ones first', () => {
  const files = ['/b', '/d', '/a', '/c'].map((path) => ({ path }));
  const order = sortFiles(files, ({ path }) => path === '/d' || path === '/c');
  assert.deepEqual(
    order.map(({ path }) => path),
    ['/c', '/d', '/a', '/b'],
  );
});
