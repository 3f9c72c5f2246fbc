import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { compareRuns } from '../../../../src/analysis/compareRuns.ts';
import { ComparedRuns } from '../../../../src/extension/comparison/comparedRuns.ts';
import { runSync } from '../../../../src/node/cooperative.ts';
import { findingsOf } from '../../../../src/report/comparedTable.ts';
import { resultsMarkdown } from '../../../../src/report/resultsTable.ts';
import {
  buildVerdict,
  comparedOf,
  type Given,
  judgedLine,
  writeRun,
} from '../../../support/comparing.ts';

const line = (id: string, ...given: readonly Given[]) =>
  given.map((one, index) =>
    judgedLine(id, [buildVerdict(one, { key: 'Tone', turns: [[2, one]] })], {
      suite: '/work/suite.eval.yaml',
      ...{ repetition: index + 1, repetitions: given.length, tags: [`tag ${id}`] },
    }),
  );

const BEFORE = [...line('a', 1), ...line('b', 0.2), ...line('c', 1, 1, 1), ...line('old', 1)];
const AFTER = [...line('b', 0.9), ...line('a', 'error'), ...line('c', 1, 0, 1), ...line('new', 1)];

describe('two runs compared in the editor', () => {
  let folder: string;
  let runs: ComparedRuns;
  let head: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-compared-'));
    const base = await writeRun(folder, { lines: BEFORE });
    ({ path: head } = await writeRun(folder, { lines: AFTER, ended: false }));
    runs = new ComparedRuns(new Map([[base.path, folder]]), new Map([[head, folder]]));
    await runs.readNew();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('form a table with one row per case regardless of repetitions, regressions first', () => {
    const rows = runs.table.cases.map(({ title, compared }) => `${title}: ${compared?.spoken}`);
    assert.deepEqual(rows, [
      'c: worse, from 3 of 3 passed to 2 of 3 passed',
      'b: better, from failed to passed',
      'a: could not be judged in one of the runs, or did not apply, from passed to errored',
      'new: only in the second run, passed',
      'old: only in the first run, passed',
    ]);
    const [cell] = runs.table.columns[0]?.outcomes ?? [];
    assert.equal(cell?.compared?.shown, '✓ 3/3 1.00 → ✗ 2/3 0.67 (0.00–1.00)');
    assert.deepEqual(runs.changed, [0, 1, 2, 3, 4]);
  });

  it('match the output of the command line', async () => {
    const [base, now] = [comparedOf(BEFORE), comparedOf(AFTER)];
    const { sentence, evidence } = findingsOf(runSync(compareRuns(base, now)));
    const comparison = await runs.comparison();
    const own = comparison && findingsOf(comparison);
    assert.equal(own?.sentence, sentence);
    assert.deepEqual(
      own?.evidence.map(({ says }) => says),
      evidence.map(({ says }) => says),
    );
  });

  it('find the lines of both by the path of the eval file', async () => {
    const suite = join(folder, 'suite.eval.yaml');
    const row = runs.rowOf({ suite, id: 'c' });
    assert.equal(row, 0);
    const found = runs.at(row);
    assert.deepEqual(
      found?.head.map(({ repetition, record }) => [repetition, record === head]),
      [
        [1, true],
        [2, true],
        [3, true],
      ],
    );
    assert.equal(runs.rowOf({ suite, id: 'none' }), -1);
  });

  it('are copied as Markdown with the values of both runs', () => {
    const text = resultsMarkdown(runs.table, [0]);
    assert.match(text, /\| Case \| Change \| Tone \|/);
    assert.match(text, /↓ ✓ .* → ✗ /);
  });

  it('are compared again when a record grows, but not if nothing is new', async () => {
    const { generation } = runs;
    await runs.readNew();
    assert.equal(runs.generation, generation);
    const [added = ''] = (await readFile(head, 'utf8')).split('\n').slice(1);
    await appendFile(head, `${added.replaceAll('"id":"b"', '"id":"old"')}\n`);
    await runs.readNew();
    assert.ok(runs.generation > generation);
    assert.equal(runs.table.cases.filter(({ compared }) => compared?.change === 'gone').length, 0);
  });

  it('show only cases found in both while they are being read', () => {
    runs.compareEarly();
    const changes = runs.table.cases.map(({ compared }) => compared?.change);
    assert.ok(!changes.includes('new') && !changes.includes('gone'));
  });

  it('have statistics of the final rows, even if others were computed before', async () => {
    await appendFile(head, '\n');
    await runs.readNew();
    const ofAll = runs.comparison();
    runs.compareEarly();
    assert.equal((await ofAll)?.counts.new, 0);
    assert.equal(await ofAll, await runs.comparison());
  });

  it('follow a resumed run to its renamed record', async () => {
    const moved = head.replace('2026-01-01', '2026-02-01');
    await rename(head, moved);
    const [added = ''] = (await readFile(moved, 'utf8')).split('\n').slice(1);
    await appendFile(moved, `${added.replaceAll('"id":"b"', '"id":"later"')}\n`);
    await runs.readNew();
    const suite = join(folder, 'suite.eval.yaml');
    for (const id of ['b', 'c', 'later']) {
      const found = runs.at(runs.rowOf({ suite, id }))?.head ?? [];
      assert.deepEqual([...new Set(found.map(({ record }) => record))], [moved]);
    }
    assert.equal(runs.at(runs.rowOf({ suite, id: 'c' }))?.head.length, 3);
    assert.deepEqual(runs.head.paths, [moved]);
    assert.equal(runs.head.rootOf(moved), folder);
  });

  it("name files that are not run records, and count lines that can't be read", async () => {
    const { path } = await writeRun(folder, { lines: BEFORE });
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.replace('"kind":"case"', '"kind":"cast"'));
    const stranger = join(folder, 'notes.jsonl');
    await writeFile(stranger, '{"kind":"note"}\n');
    const broken = new ComparedRuns(new Map([[path, folder]]), new Map([[stranger, folder]]));
    await broken.readNew();
    assert.deepEqual(broken.problems, [
      'notes.jsonl is not a run record.',
      "2 of the runs' lines couldn't be read.",
    ]);
    await writeFile(`${path}.new`, whole);
    await rename(`${path}.new`, path);
    await broken.readNew();
    assert.deepEqual(broken.problems, [
      'notes.jsonl is not a run record.',
      "1 of the runs' lines couldn't be read.",
    ]);
  });

  it('lead from two assertions with the same name to their own turns', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-compared-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    const twice = (score: number) => {
      const named = (key: string, turn: number) => {
        const verdict = buildVerdict(score, { key, turns: [[turn, score]] });
        return { ...verdict, assertion: { ...verdict.assertion, name: 'Tone' } };
      };
      return [
        judgedLine('a', [named('one', 2), named('two', 4)], { suite: '/work/suite.eval.yaml' }),
      ];
    };
    const base = await writeRun(own, { lines: twice(1) });
    const now = await writeRun(own, { lines: twice(0) });
    const both = new ComparedRuns(new Map([[base.path, own]]), new Map([[now.path, own]]));
    await both.readNew();
    const shown = both.at(0) ?? assert.fail();
    assert.deepEqual([both.turnOf(shown, 0), both.turnOf(shown, 1)], [2, 4]);
  });

  it('pair cases that two suites include from the same file, and show their variants', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-compared-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    const included = (suite: string, score: number) => {
      const [one] = line('a', score);
      assert.ok(one);
      return {
        ...{ ...one, suite, variant: 'warm', target_variant: { name: 'warm', of: ['warm'] } },
        source: { ...one.source, path: 'cases.yaml' },
      };
    };
    const files = (path: string) => [{ path, hash: '0'.repeat(64) }];
    const write = (path: string, score: number) =>
      writeRun(own, { lines: [included(path, score)], files: files(path) });
    const [base, now] = [await write('old.eval.yaml', 1), await write('new.eval.yaml', 0)];
    const both = new ComparedRuns(new Map([[base.path, own]]), new Map([[now.path, own]]));
    await both.readNew();
    const { table } = both;
    assert.deepEqual(
      table.cases.map(({ title, compared }) => [title, compared?.change]),
      [['a/warm', 'worse']],
    );
    assert.deepEqual(table.variants, ['warm']);
    const pair = both.at(0);
    assert.deepEqual([pair?.base.length, pair?.head.length], [1, 1]);
    for (const name of ['old', 'new']) {
      const suite = join(own, `${name}.eval.yaml`);
      assert.equal(both.rowOf({ suite, id: 'a', variant: 'warm' }), 0, name);
    }
  });
});
