import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RecordWatch } from '../../../src/store/watchRecords.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const SUITE =
  'cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: contains, value: Hello}]\n';

/** A watch, the paths that it reports, and a function that waits for a path. */
function watching(t: TestContext) {
  const told: string[] = [];
  const watch = new RecordWatch((path) => told.push(path));
  t.after(() => watch.dispose());
  const tells = (record: string) =>
    until(
      'the record',
      async () => told,
      (seen) => seen.includes(record),
    );
  return { watch, told, tells };
}

const ran = async (t: TestContext, workspace: string) =>
  (await runFiles(t, { 'suite.eval.yaml': SUITE }, { workspace })).record ?? '';

describe('a watcher of records', { timeout: 60_000 }, () => {
  it('reports the first record in a new folder, every time', async (t) => {
    const { watch, tells } = watching(t);
    for (let round = 0; round < 10; round += 1) {
      const folder = await workspaceWith(t, {});
      await watch.add({ path: join(folder, 'suite.eval.yaml'), workspace: folder });
      const record = await ran(t, folder);
      await tells(record);
    }
  });

  it('reports new records, not existing ones', async (t) => {
    const folder = await workspaceWith(t, { '.git/HEAD': '' });
    const before = await ran(t, folder);
    const { watch, told, tells } = watching(t);
    await watch.add({ path: join(folder, 'evals/suite.eval.yaml'), workspace: folder });
    const record = await ran(t, folder);
    await tells(record);
    assert.equal(told.includes(before), false);
  });

  it('reports records written before the eval file was added', async (t) => {
    const { watch, told } = watching(t);
    const folder = await workspaceWith(t, {});
    const record = await ran(t, folder);
    await watch.add({ path: join(folder, 'suite.eval.yaml'), workspace: folder });
    assert.deepEqual(told, [record]);
  });
});
