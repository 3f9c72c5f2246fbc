import assert from 'node:assert/strict';
import { promises } from 'node:fs';
import { appendFile, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { recordsIn } from '../../../src/store/append.ts';
import { LatestRuns } from '../../../src/store/latest.ts';
import { readRecord } from '../../../src/store/read.ts';
import { type RecordIndex, RecordReader } from '../../../src/store/recordIndex.ts';
import { buildCaseLine, talk } from '../../support/buildRun.ts';
import { workspaceWith } from '../../support/runs.ts';
import { worked } from '../../support/work.ts';

const lineOf = (id: string, said = 'x') =>
  `${JSON.stringify(buildCaseLine({ id, status: 'pass', suite: 'a.eval.yaml', conversation: talk(`user: ${said}`) }))}\n`;

const repetitionOf = (repetition: number) =>
  JSON.stringify(
    buildCaseLine({ id: 'a', status: 'pass', suite: 'a.eval.yaml', repetition, repetitions: 5 }),
  );

const ids = ({ entries }: RecordIndex) => entries.map(({ id }) => id);

async function recordWith(t: TestContext, text: string) {
  const folder = await workspaceWith(t, {});
  await mkdir(recordsIn(folder), { recursive: true });
  const path = join(recordsIn(folder), '2026.jsonl');
  await writeFile(path, text);
  return { path, suite: join(folder, 'a.eval.yaml') };
}

describe('the index of a record', () => {
  it('is gone on with from where it ended: what was read before is not read again', async (t) => {
    const { path } = await recordWith(t, lineOf('first') + lineOf('second', 'y'.repeat(2_000)));
    const reader = new RecordReader(path);
    assert.deepEqual(ids(await reader.index()), ['first', 'second']);
    // Who read it again would not find the first case any more.
    const file = await open(path, 'r+');
    await file.write('#####', 0);
    await file.close();
    await appendFile(path, lineOf('third'));
    assert.deepEqual(ids(await reader.index()), ['first', 'second', 'third']);
  });

  it('is made anew where the record was written anew', async (t) => {
    const { path } = await recordWith(t, lineOf('first'));
    const reader = new RecordReader(path);
    await reader.index();
    await writeFile(`${path}.new`, lineOf('other') + lineOf('more'));
    await rename(`${path}.new`, path);
    assert.deepEqual(ids(await reader.index()), ['other', 'more']);
    await writeFile(path, lineOf('changed') + lineOf('in') + lineOf('place'));
    assert.deepEqual(ids(await reader.index()), ['changed', 'in', 'place']);
  });

  it('has a line that is written in pieces once it is whole', async (t) => {
    const [head, tail] = [lineOf('whole').slice(0, 40), lineOf('whole').slice(40)];
    const { path } = await recordWith(t, lineOf('first') + head);
    const reader = new RecordReader(path);
    assert.deepEqual(ids(await reader.index()), ['first']);
    await appendFile(path, tail.trimEnd());
    assert.deepEqual(ids(await reader.index()), ['first', 'whole']);
    await appendFile(path, `\n${lineOf('next')}`);
    assert.deepEqual(ids(await reader.index()), ['first', 'whole', 'next']);
  });

  it('is empty where there is no record', async () => {
    assert.deepEqual(ids(await new RecordReader('/nowhere/x.jsonl').index()), []);
  });
});

describe('a hostile record', () => {
  it('is given up after some hundred broken lines', async (t) => {
    const { path } = await recordWith(t, '{x}\n'.repeat(100_000) + lineOf('last'));
    assert.deepEqual(ids(await new RecordReader(path).index()), []);
    const { problems } = await readRecord(path);
    assert.equal(problems.length, LIMITS.problems);
  });

  // A case that passed has verdicts.
  const failed = (line: string) => line.replace('"pass"', '"fail"');

  it('loses a line that is too long, and no other', async (t) => {
    const long = `{"kind":"case","id":"${'x'.repeat(LIMITS.recordLine)}"}\n`;
    const { path } = await recordWith(t, failed(lineOf('first')) + long + failed(lineOf('last')));
    assert.deepEqual(ids(await new RecordReader(path).index()), ['first', 'last']);
    const { cases, problems } = await readRecord(path);
    assert.deepEqual([cases.length, problems.length], [2, 1]);
    assert.match(
      problems.join(),
      /line 2: the line has more than 32,000,000 bytes or 500,000 values/,
    );
  });

  it('loses a line of too many values, and no other', async (t) => {
    const values = '1,'.repeat(LIMITS.values);
    const { path } = await recordWith(t, `${lineOf('first')}[${values}1]\n${lineOf('last')}`);
    assert.deepEqual(ids(await new RecordReader(path).index()), ['first', 'last']);
    assert.match((await readRecord(path)).problems.join(), /line 2: the line has more than/);
  });

  it('is looked at no further than to the first of its verdicts that is none', async (t) => {
    const many = `[${'{},'.repeat(20_000)}{}]`;
    const work = async (key: 'verdicts' | 'other') => {
      const { path } = await recordWith(
        t,
        key === 'other'
          ? lineOf('a').replace('{', `{"other":${many},`)
          : lineOf('a').replace('"verdicts":[]', `"verdicts":${many}`),
      );
      const [entry] = (await new RecordReader(path).index()).entries;
      const before = worked();
      const lines = await new RecordReader(path).lines(entry ? [entry] : []);
      assert.equal(lines.size, key === 'verdicts' ? 0 : 1);
      return worked() - before;
    };
    // The least of some: a collection of garbage may fall into any.
    const least = async (key: 'verdicts' | 'other') =>
      Math.min(await work(key), await work(key), await work(key));
    await work('other');
    // As much as for values that nobody looks at, not a hundred times as much.
    assert.ok((await least('verdicts')) < 10 * (await least('other')));
  });

  it('hides no older one by lines that only look like those of a case', async (t) => {
    const { path, suite } = await recordWith(t, lineOf('a'));
    const glance = { kind: 'case', suite: 'a.eval.yaml', id: 'a', repetition: 1, status: 'pass' };
    const newer = path.replace('2026', '2027');
    await writeFile(newer, `${JSON.stringify({ ...glance, finished: '' })}\n`);
    const [found] = await new LatestRuns().find(suite, 'a');
    assert.equal(found?.record, path);
  });
});

describe('the runs of a case', () => {
  it('are read only as far as they are wanted', async (t) => {
    const { suite } = await recordWith(t, [3, 1, 2].map(repetitionOf).join('\n'));
    const runs = new LatestRuns();
    const wants = ({ repetition }: { readonly repetition: number }) => repetition > 1;
    const found = await runs.find(suite, 'a', { wants });
    assert.deepEqual(
      found.map(({ line: { repetition } }) => repetition),
      [2, 3],
    );
  });

  it('are read with their record opened once, and not again where they are known', async (t) => {
    const lines = Array.from({ length: 5 }, (_, index) => repetitionOf(index + 1));
    const { path, suite } = await recordWith(t, lines.join('\n'));
    const runs = new LatestRuns();
    await runs.index(path);
    const opened = t.mock.method(promises, 'open');
    syncBuiltinESMExports();
    t.after(() => {
      opened.mock.restore();
      syncBuiltinESMExports();
    });
    assert.equal((await runs.find(suite, 'a')).length, 5);
    assert.equal(opened.mock.callCount(), 1);
    assert.equal((await runs.find(suite, 'a')).length, 5);
    assert.equal(opened.mock.callCount(), 1);
  });
});
