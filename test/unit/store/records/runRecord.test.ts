import assert from 'node:assert/strict';
import { promises } from 'node:fs';
import { appendFile, mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../../src/core/limits.ts';
import { cpuTime } from '../../../../src/node/cooperative.ts';
import { lockRecord, recordsIn } from '../../../../src/store/records/files.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { RunReader, RunRecord, readRecord } from '../../../../src/store/records/runRecord.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';
import { writeRecord } from '../../../support/records.ts';
import { workspaceWith } from '../../../support/runs.ts';

const lineOf = (id: string, said = 'x') =>
  `${JSON.stringify(buildCaseLine({ id, status: 'pass', suite: 'a.eval.yaml', conversation: talk(`user: ${said}`) }))}\n`;

const repetitionOf = (repetition: number) =>
  JSON.stringify(
    buildCaseLine({ id: 'a', status: 'pass', suite: 'a.eval.yaml', repetition, repetitions: 5 }),
  );

async function idsIn(record: RunRecord) {
  await record.readNew();
  return record.cases.map(({ id }) => id);
}

async function recordWith(t: TestContext, text: string) {
  const folder = await workspaceWith(t, {});
  await mkdir(recordsIn(folder), { recursive: true });
  const path = join(recordsIn(folder), '2026.jsonl');
  await writeFile(path, text);
  return { path, suite: join(folder, 'a.eval.yaml') };
}

describe('the index of a record', () => {
  it('continues after its last line, without reading lines again', async (t) => {
    const { path } = await recordWith(t, lineOf('first') + lineOf('second', 'y'.repeat(2_000)));
    const reader = new RunRecord(path);
    assert.deepEqual(await idsIn(reader), ['first', 'second']);
    // If the reader started over, it wouldn't find the first case anymore.
    const file = await open(path, 'r+');
    await file.write('#####', 0);
    await file.close();
    await appendFile(path, lineOf('third'));
    assert.deepEqual(await idsIn(reader), ['first', 'second', 'third']);
  });

  it('is rebuilt if the record was rewritten', async (t) => {
    const { path } = await recordWith(t, lineOf('first'));
    const reader = new RunRecord(path);
    await reader.readNew();
    await writeFile(`${path}.new`, lineOf('other') + lineOf('more'));
    await rename(`${path}.new`, path);
    assert.deepEqual(await idsIn(reader), ['other', 'more']);
    await writeFile(path, lineOf('changed') + lineOf('in') + lineOf('place'));
    assert.deepEqual(await idsIn(reader), ['changed', 'in', 'place']);
  });

  it('contains a line written in pieces once it is complete', async (t) => {
    const [head, tail] = [lineOf('whole').slice(0, 40), lineOf('whole').slice(40)];
    const { path } = await recordWith(t, lineOf('first') + head);
    const reader = new RunRecord(path);
    assert.deepEqual(await idsIn(reader), ['first']);
    await appendFile(path, tail.trimEnd());
    assert.deepEqual(await idsIn(reader), ['first', 'whole']);
    await appendFile(path, `\n${lineOf('next')}`);
    assert.deepEqual(await idsIn(reader), ['first', 'whole', 'next']);
  });

  it('is empty if there is no record', async () => {
    assert.deepEqual(await idsIn(new RunRecord('/nowhere/x.jsonl')), []);
  });
});

describe('the state of a run', () => {
  const root = async (t: TestContext) => workspaceWith(t, {});
  const stateOf = async (path: string) => {
    const record = new RunRecord(path);
    await record.readNew();
    return record.state;
  };

  it('is running only while a process holds the lock of its record', async (t) => {
    const folder = await root(t);
    const path = await writeRecord(folder, { id: 'aaaa', cases: [] });
    assert.equal(await stateOf(path), 'interrupted');
    const release = await lockRecord(recordsIn(folder), 'aaaa');
    const record = new RunRecord(path);
    await record.readNew();
    assert.equal(record.state, 'running');
    await release();
    // Nothing was written in the meantime.
    await record.readNew();
    assert.equal(record.state, 'interrupted');
    await writeFile(join(recordsIn(folder), 'aaaa.lock'), '2147483646\n');
    assert.equal(await stateOf(path), 'interrupted', 'the process of the lock was killed');
  });

  it('is finished if its last line says so, even in an old record', async (t) => {
    const folder = await root(t);
    const finished = await writeRecord(folder, { id: 'aaaa', cases: [], end: {} });
    const cancelled = await writeRecord(folder, {
      ...{ id: 'bbbb', cases: [] },
      end: { cancelled: true },
    });
    await lockRecord(recordsIn(folder), 'aaaa').then((release) => release());
    assert.equal(await stateOf(finished), 'finished');
    assert.equal(await stateOf(cancelled), 'interrupted');
  });
});

describe('the records of a run', () => {
  it('are read again together if one of them is rewritten', async (t) => {
    const [one, other] = [await workspaceWith(t, {}), await workspaceWith(t, {})];
    const write = (root: string, ...ids: readonly string[]) =>
      writeRecord(root, {
        id: 'aaaa',
        cases: ids.map((id) => buildCaseLine({ id, status: 'fail' })),
      });
    const roots = new Map([
      [await write(one, 'a'), one],
      [await write(other, 'b'), other],
    ]);
    let read: string[] = [];
    const reader = new RunReader(roots, {
      onReset: () => {
        read = [];
      },
      onCase: ({ id }) => read.push(id),
    });
    await reader.readNew();
    assert.deepEqual(read, ['a', 'b']);
    await write(other, 'c', 'd');
    await reader.readNew();
    assert.deepEqual(read.sort(), ['a', 'c', 'd']);
    assert.equal(reader.run?.files.length, 2);
  });

  it('number unreadable lines from the start, even if they are read later', async (t) => {
    const { path } = await recordWith(t, `${lineOf('first')}no JSON\n\n`);
    const record = new RunRecord(path);
    await record.readNew();
    await appendFile(path, `${lineOf('second')}{"kind":"case","id":7}\n{"torn`);
    await record.readNew();
    const why = 'this is not a line of a run record';
    assert.deepEqual(record.problems, [`line 2: ${why}`, `line 5: ${why}`]);
    assert.deepEqual(record.allProblems.slice(2), [`line 6: ${why}`]);
  });
});

describe('a hostile record', () => {
  it('is abandoned after hundreds of broken lines', async (t) => {
    const { path } = await recordWith(t, '{x}\n'.repeat(100_000) + lineOf('last'));
    assert.deepEqual(await idsIn(new RunRecord(path)), []);
    const { problems } = await readRecord(path);
    assert.equal(problems.length, LIMITS.problems);
  });

  // A passed case needs verdicts.
  const failed = (line: string) => line.replace('"pass"', '"fail"');

  it('loses only a line that is too long', async (t) => {
    const long = `{"kind":"case","id":"${'x'.repeat(LIMITS.recordLine)}"}\n`;
    const { path } = await recordWith(t, failed(lineOf('first')) + long + failed(lineOf('last')));
    assert.deepEqual(await idsIn(new RunRecord(path)), ['first', 'last']);
    const { cases, problems } = await readRecord(path);
    assert.deepEqual([cases.length, problems.length], [2, 1]);
    assert.match(
      problems.join(),
      /line 2: the line has more than 32,000,000 bytes or 500,000 values/,
    );
  });

  it('loses only a line with too many values', async (t) => {
    const values = '1,'.repeat(LIMITS.values);
    const { path } = await recordWith(t, `${lineOf('first')}[${values}1]\n${lineOf('last')}`);
    assert.deepEqual(await idsIn(new RunRecord(path)), ['first', 'last']);
    assert.match((await readRecord(path)).problems.join(), /line 2: the line has more than/);
  });

  it('loses a case whose id is longer than an eval file allows', async (t) => {
    const ids = ['a', 'b'.repeat(LIMITS.caseId), 'c'.repeat(LIMITS.caseId + 1)];
    const { path } = await recordWith(t, ids.map((id) => lineOf(id)).join(''));
    const record = new RunRecord(path);
    assert.deepEqual(await idsIn(record), ids.slice(0, 2));
    assert.match(record.allProblems.join(), /^line 3: /);
  });

  const dense = (id: string) =>
    lineOf(id).replace('{', `{"other":[${'{},'.repeat(LIMITS.values * 0.9)}{}],`);

  it('is read up to its limit of values, which is reported', async (t) => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const { path } = await recordWith(t, ids.map(dense).join(''));
    const record = new RunRecord(path);
    assert.deepEqual(await idsIn(record), ids.slice(0, 5));
    assert.match(record.allProblems.join(), /^it has more than 2,000,000 values/);
    await appendFile(path, lineOf('last'));
    assert.deepEqual(await idsIn(record), ids.slice(0, 5));
  });

  it('has at most a megabyte of lines in memory at once', async (t) => {
    const { path } = await recordWith(t, ['a', 'b', 'c'].map(dense).join('') + lineOf('d'));
    const record = new RunRecord(path);
    await record.readNew();
    const lines = t.mock.method(record, 'lines');
    const found: string[] = [];
    for await (const { line } of record.each(record.cases)) found.push(line.id);
    assert.deepEqual(found, ['a', 'b', 'c', 'd']);
    assert.equal(lines.mock.callCount(), 4);
  });

  it('is checked only up to its first invalid verdict', async (t) => {
    const many = `[${'{},'.repeat(20_000)}{}]`;
    const work = async (key: 'verdicts' | 'other') => {
      const { path } = await recordWith(
        t,
        key === 'other'
          ? lineOf('a').replace('{', `{"other":${many},`)
          : lineOf('a').replace('"verdicts":[]', `"verdicts":${many}`),
      );
      const record = new RunRecord(path);
      await record.readNew();
      const [entry] = record.cases;
      const before = cpuTime();
      const lines = await new RunRecord(path).lines(entry ? [entry] : []);
      assert.equal(lines.size, key === 'verdicts' ? 0 : 1);
      return cpuTime() - before;
    };
    // The minimum, since garbage collection can affect any measurement.
    const least = async (key: 'verdicts' | 'other') =>
      Math.min(await work(key), await work(key), await work(key));
    await work('other');
    // About as much work as for ignored values, and not a hundred times as much.
    assert.ok((await least('verdicts')) < 10 * (await least('other')));
  });

  it("doesn't read times that can't be compared as text", async (t) => {
    const { path, suite } = await recordWith(t, lineOf('a'));
    const text = await readFile(path, 'utf8');
    await writeFile(
      path,
      text.replaceAll(/"finished":"[^"]*"/g, '"finished":"Fri, 01 Jan 2021 00:00:00 GMT"'),
    );
    assert.equal((await new LatestRuns().find(suite, 'a')).length, 0);
  });

  it("doesn't hide older records with lines that only resemble cases", async (t) => {
    const { path, suite } = await recordWith(t, lineOf('a'));
    const glance = { kind: 'case', suite: 'a.eval.yaml', id: 'a', repetition: 1, status: 'pass' };
    const newer = path.replace('2026', '2027');
    await writeFile(newer, `${JSON.stringify({ ...glance, finished: '' })}\n`);
    const [found] = await new LatestRuns().find(suite, 'a');
    assert.equal(found?.record, path);
  });
});

describe('the runs of a case', () => {
  it('are read only as far as needed', async (t) => {
    const { suite } = await recordWith(t, [3, 1, 2].map(repetitionOf).join('\n'));
    const runs = new LatestRuns();
    const wants = ({ repetition }: { readonly repetition: number }) => repetition > 1;
    const found = await runs.find(suite, 'a', { wants });
    assert.deepEqual(
      found.map(({ line: { repetition } }) => repetition),
      [2, 3],
    );
  });

  it('are read with one opening of their record, and only once', async (t) => {
    const lines = Array.from({ length: 5 }, (_, index) => repetitionOf(index + 1));
    const { path, suite } = await recordWith(t, lines.join('\n'));
    const runs = new LatestRuns();
    await runs.record(path);
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
