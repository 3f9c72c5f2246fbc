import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runText } from '../../../../src/extension/runs/runText.ts';
import { trendsSnapshot } from '../../../../src/extension/trends/trendsSnapshot.ts';
import { RunList } from '../../../../src/store/records/list.ts';
import { RunTrends } from '../../../../src/store/records/trends.ts';
import { buildVerdict, judgedLine, writeRun } from '../../../support/comparing.ts';

const line = (id: string, score: number, suite = '/work/suite.eval.yaml') =>
  judgedLine(id, [buildVerdict(score)], { suite, score, duration: 1000 * score });

describe('the trends of runs', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-trends-'));
    await writeRun(folder, { lines: [line('a', 1), line('b', 0.5)], commit: 'a'.repeat(40) });
    await writeRun(folder, { lines: [line('a', 0), line('c', 1, 'other.eval.yaml')] });
    await writeRun(folder, { lines: [] });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('cover each eval file and all together, oldest run first, without runs of no case', async () => {
    const runs = await new RunList().runs([folder]);
    const trends = await new RunTrends().of(runs);
    assert.deepEqual(
      trends.map(({ all, points }) => [all.passRate, all.score, all.latency, points.length]),
      [
        [1, 0.75, 750, 1],
        [0.5, 0.5, 500, 2],
      ],
    );
    const { runs: shown, suites } = trendsSnapshot(trends);
    assert.deepEqual(
      shown.map(({ commit }) => commit),
      ['aaaaaaaa', undefined],
    );
    assert.deepEqual(
      suites.map(({ name, points }) => [name, points.map(({ run }) => run)]),
      [
        ['other.eval.yaml', [1]],
        ['suite.eval.yaml', [0, 1]],
        ['All eval files', [0, 1]],
      ],
    );
  });

  it('count a repeated case once, by its required pass rate', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-trends-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    const repeated = (id: string, must_pass: number, ...scores: readonly number[]) =>
      scores.map((score, at) => ({
        ...line(id, score),
        ...{ repetition: at + 1, repetitions: scores.length, must_pass },
      }));
    const lines = [
      ...repeated('flaky', 1, 1, 0, 1),
      ...repeated('mostly', 0.6, 1, 0, 1),
      line('a', 1),
    ];
    await writeRun(own, { lines, ended: false });
    const runs = await new RunList().runs([own]);
    const [{ all } = assert.fail()] = await new RunTrends().of(runs);
    assert.deepEqual([all.cases, all.conversations], [3, 7]);
    assert.equal(all.passRate, 2 / 3);
    assert.equal(runs[0]?.counts.pass, 2, 'as the list of runs has it');
    assert.equal(runs[0]?.counts.fail, 1);
  });

  it('average the time of the cases that ran, each by the mean of its repetitions', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-trends-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    const repeated = [1, 2, 3].map((repetition) => ({
      ...line('often', 1),
      ...{ repetition, repetitions: 3, duration: 100 * repetition },
    }));
    const skipped = { ...line('left-out', 0), status: 'skipped' as const, duration: 1 };
    await writeRun(own, { lines: [...repeated, line('a', 1), skipped] });
    const [{ all } = assert.fail()] = await new RunTrends().of(await new RunList().runs([own]));
    assert.equal(all.latency, 600);
    assert.deepEqual([all.cases, all.conversations], [3, 4], 'none of a skipped case');
  });

  it('exclude errored cases from pass rate and score, like the list of runs', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-trends-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    // Records of earlier versions contain a score for an errored case.
    const errored = { ...line('b', 1), status: 'error' as const };
    await writeRun(own, { lines: [line('a', 1), line('c', 0), errored], ended: false });
    const runs = await new RunList().runs([own]);
    const [{ run, all } = assert.fail()] = await new RunTrends().of(runs);
    assert.deepEqual([all.passRate, all.score, all.cases, all.errored], [0.5, 0.5, 3, 1]);
    assert.match(runText(run).detail, /1 of 2 passed, 1 failed, 1 errored/);
  });

  it('use the names of records if the clock was set back', async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'turnlight-trends-'));
    t.after(() => rm(own, { recursive: true, force: true }));
    const first = await writeRun(own, { lines: [line('a', 1)] });
    const second = await writeRun(own, { lines: [line('a', 0)] });
    const text = await readFile(second.path, 'utf8');
    const setBack = text.replace(/"started":"[^"]*"/, '"started":"2020-01-01T00:00:00.000Z"');
    await writeFile(second.path, setBack);
    const trends = await new RunTrends().of(await new RunList().runs([own]));
    assert.deepEqual(
      trends.map(({ run }) => run.id),
      [first.id, second.id],
    );
  });
});
