import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { historyText } from '../../../../src/core/record/caseHistory.ts';
import { hover } from '../../../../src/language/hover/hover.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { buildVerdict, judgedLine, writeRun } from '../../../support/comparing.ts';
import { markedFiles } from '../../../support/namedFiles.ts';

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

  it('are counted from the records, the newest first', async () => {
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

  it('stand in the hover of its id', async () => {
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
