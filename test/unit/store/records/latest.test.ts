import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { historyText, passedText, worstFirst } from '../../../../src/core/record/caseHistory.ts';
import { hover } from '../../../../src/language/hover/hover.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { RunRecord } from '../../../../src/store/records/runRecord.ts';
import { buildVerdict, judgedLine, writeRun } from '../../../support/comparing.ts';
import { markedFiles } from '../../../support/namedFiles.ts';
import { runFiles } from '../../../support/runs.ts';

const talk = (id: string, reply: string) =>
  JSON.stringify({ id, messages: [{ user: 'Hi' }, { assistant: reply }] });

const SUITE = `cases:
  - id: greets
    transcripts: data.jsonl
    assert: [{type: contains, value: Hello}]
`;

const statusesOf = (results: Awaited<ReturnType<LatestRuns['results']>>) =>
  [...results.values()].map(({ status }) => status);

describe('the last runs of a case with variants', () => {
  it('keep the last result of each variant if only one of them ran again', async (t) => {
    const files = {
      'data.jsonl': [talk('a-9', 'No'), talk('a-10', 'No'), talk('b', 'Hello')].join('\n'),
      'suite.eval.yaml': SUITE,
    };
    const { workspace } = await runFiles(t, files);
    const suite = join(workspace, 'suite.eval.yaml');
    const runs = new LatestRuns();
    const told = async () =>
      worstFirst(await runs.variants(suite, 'greets')).map(({ variant, status }) => [
        variant,
        status,
      ]);
    assert.deepEqual(await told(), [
      ['a-9', 'fail'],
      ['a-10', 'fail'],
      ['b', 'pass'],
    ]);
    await writeFile(join(workspace, 'data.jsonl'), talk('a-9', 'Hello'));
    await runFiles(t, { 'data.jsonl': talk('a-9', 'Hello') }, { workspace });
    assert.deepEqual(await told(), [
      ['a-10', 'fail'],
      ['a-9', 'pass'],
      ['b', 'pass'],
    ]);
    assert.equal(passedText(await runs.variants(suite, 'greets')), '2 of 3 passed');
    const [again] = await runs.find(suite, 'greets', { variant: 'a-9' });
    assert.equal(again?.line.status, 'pass');
    assert.deepEqual(await runs.find(suite, 'greets'), []);
  });

  it('pass or fail by the required pass rate of their repetitions', async (t) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-variants-')));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const lines = [1, 0, 1].map((score, at) =>
      judgedLine('greets', [buildVerdict(score)], {
        suite: '/work/suite.eval.yaml',
        ...{ variant: 'a', repetition: at + 1, repetitions: 3, must_pass: 0.6, score },
      }),
    );
    await writeRun(folder, { lines });
    const suite = join(folder, 'suite.eval.yaml');
    const runs = new LatestRuns();
    const [found] = await runs.variants(suite, 'greets');
    assert.equal(found?.status, 'pass');
    const results = await runs.results(suite, [{ id: 'greets', variant: 'a' }]);
    assert.deepEqual(statusesOf(results), ['pass']);
  });
});

describe('the last runs of a case', () => {
  let folder: string;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-history-')));
    for (const given of [1, 0, 1, 0]) {
      const line = (id: string) =>
        judgedLine(id, [buildVerdict(given)], { suite: '/work/suite.eval.yaml' });
      await writeRun(folder, { lines: given === 1 ? [line('a'), line('b')] : [line('a')] });
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are counted from the records, newest first', async () => {
    const runs = new LatestRuns();
    const suite = join(folder, 'suite.eval.yaml');
    const told = async (id: string) => {
      const found = await runs.history(suite, { id });
      return found && historyText(found);
    };
    assert.equal(await told('a'), 'Failed 2 of the last 4 runs, on and off: flaky.');
    assert.equal(await told('b'), 'Passed all of the last 2 runs.');
    assert.equal(await told('none'), undefined);
  });

  it('are those of the newest record, whatever its folder', async (t) => {
    const top = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-nested-')));
    t.after(() => rm(top, { recursive: true, force: true }));
    const suite = join(top, 'a/suite.eval.yaml');
    const line = (score: number) => judgedLine('a', [buildVerdict(score)], { suite });
    await writeRun(join(top, 'a'), { lines: [line(1)] });
    await writeRun(top, { lines: [line(0)] });
    const results = await new LatestRuns().results(suite, [{ id: 'a' }]);
    assert.deepEqual(statusesOf(results), ['fail']);
  });

  it("don't include one that was canceled before the case ended", async (t) => {
    const own = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-canceled-')));
    t.after(() => rm(own, { recursive: true, force: true }));
    const failed = judgedLine('a', [buildVerdict(0)], { suite: '/work/suite.eval.yaml' });
    const canceled = { ...failed, status: 'skipped', stop_reason: 'cancelled' } as const;
    await writeRun(own, { lines: [failed] });
    const { path } = await writeRun(own, { lines: [canceled], planned: 1 });
    const suite = join(own, 'suite.eval.yaml');
    const runs = new LatestRuns();
    assert.deepEqual(statusesOf(await runs.results(suite, [{ id: 'a' }])), ['fail']);
    assert.equal(await runs.history(suite, { id: 'a' }), undefined);
    const read = new RunRecord(path);
    await read.readNew();
    assert.equal(read.missing, 1);
  });

  it("aren't flaky if the agent was edited in between", async (t) => {
    const own = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-history-')));
    t.after(() => rm(own, { recursive: true, force: true }));
    for (const [score, agent] of [
      [1, 'a'],
      [0, 'b'],
      [1, 'a'],
    ] as const) {
      const line = judgedLine('a', [buildVerdict(score)], { suite: '/work/suite.eval.yaml' });
      await writeRun(own, { lines: [{ ...line, input_hash: agent.repeat(64) }] });
    }
    const found = await new LatestRuns().history(join(own, 'suite.eval.yaml'), { id: 'a' });
    assert.equal(
      found && historyText(found),
      'Failed 1 of the last 3 runs, and has passed since then: fixed.',
    );
  });

  it('appear in the hover of its id', async () => {
    const text =
      'cases:\n  - id: |a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [Kind]\n';
    const { document, position, ports } = await markedFiles({ 'suite.eval.yaml': text });
    const line = judgedLine('a', [buildVerdict(0)]);
    const past = async () => ({ runs: 4, failed: 2, failing: 1, kind: 'flaky' as const });
    const results = { lastRuns: async () => [line], pastRuns: past };
    const found = await hover(document, position, results, ports);
    assert.match(
      JSON.stringify(found?.contents),
      /Failed 2 of the last 4 runs, on and off: flaky\./,
    );
  });
});
