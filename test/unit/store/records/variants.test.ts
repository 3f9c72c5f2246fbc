import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { passedText, worstFirst } from '../../../../src/core/record/caseHistory.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { buildVerdict, judgedLine, writeRun } from '../../../support/comparing.ts';
import { runFiles } from '../../../support/runs.ts';

const talk = (id: string, reply: string) =>
  JSON.stringify({ id, messages: [{ user: 'Hi' }, { assistant: reply }] });

const SUITE = `cases:
  - id: greets
    transcripts: data.jsonl
    assert: [{type: contains, value: Hello}]
`;

describe('the last runs of a case that stands for several conversations', () => {
  it('keep each conversation as it ended last, where only one of them ran again', async (t) => {
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

  it('come out as the share of their repetitions that must pass says', async (t) => {
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
    const statuses = await runs.statuses(suite, [{ id: 'greets', variant: 'a' }]);
    assert.deepEqual([...statuses.values()], ['pass']);
  });
});
