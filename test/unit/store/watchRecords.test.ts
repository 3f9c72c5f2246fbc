import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RecordWatch } from '../../../src/store/watchRecords.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const SUITE =
  'cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: contains, value: Hello}]\n';

/** What a watch tells, as it tells it. */
function watching(t: TestContext) {
  const told: string[] = [];
  const watch = new RecordWatch((path) => told.push(path));
  t.after(() => watch.dispose());
  return { watch, told };
}

const ran = async (t: TestContext, workspace: string) =>
  (await runFiles(t, { 'suite.eval.yaml': SUITE }, { workspace })).record ?? '';

describe('a watch of records', { timeout: 60_000 }, () => {
  it('tells of the first record in a new folder, every time', async (t) => {
    const { watch, told } = watching(t);
    for (let round = 0; round < 10; round += 1) {
      const folder = await workspaceWith(t, {});
      await watch.add(join(folder, 'suite.eval.yaml'));
      const record = await ran(t, folder);
      await until(
        'the record',
        async () => told,
        (seen) => seen.includes(record),
      );
    }
  });

  it('tells of what is new, not of what was there before', async (t) => {
    const folder = await workspaceWith(t, { '.git/HEAD': '' });
    const before = await ran(t, folder);
    const { watch, told } = watching(t);
    await watch.add(join(folder, 'evals/suite.eval.yaml'));
    const record = await ran(t, folder);
    await until(
      'the record',
      async () => told,
      (seen) => seen.includes(record),
    );
    assert.equal(told.includes(before), false);
  });

  it('tells of what was written before the eval file was added', async (t) => {
    const { watch, told } = watching(t);
    const folder = await workspaceWith(t, {});
    const record = await ran(t, folder);
    await watch.add(join(folder, 'suite.eval.yaml'));
    assert.deepEqual(told, [record]);
  });
});
