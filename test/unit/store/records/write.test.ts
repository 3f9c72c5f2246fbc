import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { Scrubber } from '../../../../src/core/scrubber.ts';
import { createRecord } from '../../../../src/store/records/write.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
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
