import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { Scrubber } from '../../../../src/core/scrubber.ts';
import { RunRecord } from '../../../../src/store/records/runRecord.ts';
import { continueRecord, createRecord } from '../../../../src/store/records/write.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { writeRecord } from '../../../support/records.ts';
import { workspaceWith } from '../../../support/runs.ts';

it('lines of cases that end one right after the other are written and synced together', async (t) => {
  const folder = await workspaceWith(t, { 'some.txt': '' });
  const record = await createRecord(folder, 'r', '2026-01-01T00:00:00.000Z', new Scrubber());
  const file = await open(join(folder, 'some.txt'));
  const sync = t.mock.method(Object.getPrototypeOf(file), 'sync');
  await file.close();
  const appended: Promise<void>[] = [];
  for (const id of ['a', 'b', 'c', 'd']) {
    appended.push(record.append(buildCaseLine({ id, status: 'pass', suite: 'a.eval.yaml' })));
    for (let steps = 0; steps < 50; steps += 1) await undefined;
  }
  await Promise.all(appended);
  assert.equal(sync.mock.callCount(), 1);
  assert.equal((await readFile(record.path, 'utf8')).trim().split('\n').length, 4);
  await record.close();
});

it('a record that another run has continued since it was read stays as it is', async (t) => {
  const folder = await workspaceWith(t, {});
  const cases = ['a', 'b'].map((id) => buildCaseLine({ id, status: 'pass' }));
  const path = await writeRecord(folder, { id: 'aaaaaaaa', cases });
  const read = new RunRecord(path);
  await read.readNew();
  const { stamp, cases: retained, run } = read;
  assert.ok(run);
  const scrubber = new Scrubber();
  const other = await continueRecord({ record: path, stamp, retained }, folder, run, scrubber);
  await other.close();
  const text = await readFile(other.path, 'utf8');
  await assert.rejects(continueRecord({ record: path, stamp, retained }, folder, run, scrubber), {
    name: 'RecordBusyError',
    message: /^Another process has just continued the run aaaaaaaa\./,
  });
  assert.equal(await readFile(other.path, 'utf8'), text);
});
