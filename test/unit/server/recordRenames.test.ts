import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { CaseRenames } from '../../../src/evalfile/caseRenames.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { moveResults } from '../../../src/server/recordRenames.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { createRecord } from '../../../src/store/records/write.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';
import { workspaceWith } from '../../support/runs.ts';

describe("results that can't move to a case's new id", () => {
  it('keep the old id, and the reason is reported', async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': suiteWith(TRANSCRIPT) });
    const path = join(folder, 'a.eval.yaml');
    const record = await createRecord(folder, 'r', '2026-01-01T00:00:00.000Z', new Scrubber());
    await record.append(buildCaseLine({ id: 'old', status: 'pass', suite: 'a.eval.yaml' }));
    const counts = { pass: 1, fail: 0, error: 0, skipped: 0 };
    await record.append({ kind: 'end', finished: '', cancelled: false, counts });
    await record.close();
    const beside = `${record.path}.${process.pid}.new`;
    await symlink('nowhere', beside);
    const suite = await loadSuite(path, nodeFiles(), { workspace: folder, env: () => undefined });
    const [{ hash = '' } = {}] = suite.outline;
    const renames = new CaseRenames();
    renames.expect([{ suite: path, from: 'old', to: 'one', hash: { from: '', to: hash } }]);
    const told: string[] = [];
    assert.deepEqual(await moveResults(suite, renames, (message) => told.push(message)), []);
    assert.deepEqual(told, [
      `The results of "old" keep the old id. The record cannot be written to ${beside}: a file is in the way. Rename or remove it.`,
    ]);
    assert.equal((await new LatestRuns().find(path, 'old')).length, 1);
  });

  it('keep the old id in a run that is still being written, which is reported', async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': suiteWith(TRANSCRIPT) });
    const path = join(folder, 'a.eval.yaml');
    const record = await createRecord(folder, 'r', '2026-01-01T00:00:00.000Z', new Scrubber());
    t.after(() => record.close());
    await record.append(buildCaseLine({ id: 'old', status: 'pass', suite: 'a.eval.yaml' }));
    const suite = await loadSuite(path, nodeFiles(), { workspace: folder, env: () => undefined });
    const [{ hash = '' } = {}] = suite.outline;
    const renames = new CaseRenames();
    renames.expect([{ suite: path, from: 'old', to: 'one', hash: { from: '', to: hash } }]);
    const told: string[] = [];
    await moveResults(suite, renames, (message) => told.push(message));
    assert.deepEqual(told, [
      'The results of "old" keep the old id in 1 unfinished run. When all runs have finished, run "one".',
    ]);
  });
});

describe("results that moved to a case's new id", () => {
  it('move back if the rename is undone', async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': suiteWith(TRANSCRIPT) });
    const path = join(folder, 'a.eval.yaml');
    const record = await createRecord(folder, 'r', '2026-01-01T00:00:00.000Z', new Scrubber());
    await record.append(buildCaseLine({ id: 'one', status: 'pass', suite: 'a.eval.yaml' }));
    await record.close();
    const options = { workspace: folder, env: () => undefined };
    const before = await loadSuite(path, nodeFiles(), options);
    const text = suiteWith(TRANSCRIPT);
    await writeFile(path, text.replace('one', 'two'));
    const after = await loadSuite(path, nodeFiles(), options);
    const hashOf = ({ outline: [first] }: typeof before) => first?.hash ?? '';
    const renames = new CaseRenames();
    const hash = { from: hashOf(before), to: hashOf(after) };
    renames.expect([{ suite: path, from: 'one', to: 'two', hash }]);
    const found = async (id: string) => (await new LatestRuns().find(path, id)).length;
    await moveResults(after, renames, assert.fail);
    assert.deepEqual([await found('one'), await found('two')], [0, 1]);
    const back = await moveResults(before, renames, assert.fail);
    assert.deepEqual(back, [
      { suite: path, from: 'two', to: 'one', hash: { from: hash.to, to: hash.from } },
    ]);
    assert.deepEqual([await found('one'), await found('two')], [1, 0]);
  });
});
