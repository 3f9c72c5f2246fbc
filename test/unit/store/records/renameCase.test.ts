import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scrubber } from '../../../../src/core/scrubber.ts';
import { recordsIn } from '../../../../src/store/records/files.ts';
import { LatestRuns } from '../../../../src/store/records/latest.ts';
import { renameCase } from '../../../../src/store/records/renameCase.ts';
import { readRecord } from '../../../../src/store/records/runRecord.ts';
import { createRecord } from '../../../../src/store/records/write.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';

const SUITE = 'suite.eval.yaml';

function renaming(folder: string) {
  return { suite: join(folder, SUITE), from: 'old', to: 'new' };
}

const end = {
  kind: 'end' as const,
  finished: '2026-01-01T00:00:02.000Z',
  cancelled: false,
  counts: { pass: 1, fail: 0, error: 0, skipped: 0 },
};

describe('renaming a case with records', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  async function workspace(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'turnlight-rename-'));
    folders.push(folder);
    return folder;
  }

  async function record(folder: string, name: string, ...lines: readonly unknown[]) {
    await mkdir(recordsIn(folder), { recursive: true });
    const path = join(recordsIn(folder), `${name}.jsonl`);
    await writeFile(
      path,
      lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
    );
    return path;
  }

  it('keeps its results under the new id, and current if only the id changed', async () => {
    const folder = await workspace();
    const run = await createRecord(folder, 'r1', '2026-01-01T00:00:00.000Z', new Scrubber());
    const line = buildCaseLine({ id: 'old', status: 'pass', suite: SUITE });
    await run.append({ ...line, source: { ...line.source, hash: 'before' } });
    await run.append(end);
    await run.close();
    const runs = new LatestRuns();
    const suite = join(folder, SUITE);
    assert.equal((await runs.find(suite, 'old')).length, 1);
    const hash = { from: 'before', to: 'after' };
    const done = await renameCase({ ...renaming(folder), hash });
    assert.deepEqual(done, { changed: [run.path], running: [] });
    const [found] = await runs.find(suite, 'new');
    assert.equal(found?.line.source.hash, 'after');
    assert.deepEqual(await runs.find(suite, 'old'), []);
  });

  it('changes no other line, and keeps unreadable ones', async () => {
    const folder = await workspace();
    const others = [
      buildCaseLine({ id: 'old', status: 'pass', suite: 'other.eval.yaml' }),
      buildCaseLine({ id: 'other', status: 'pass', suite: SUITE, description: '"old"' }),
      '{"kind": "case", "id": "old", torn',
      '',
      end,
    ];
    const mine = buildCaseLine({ id: 'old', status: 'fail', suite: SUITE });
    const path = await record(folder, 'a', mine, ...others);
    const untouched = await record(folder, 'b', ...others);
    const before = await readFile(untouched, 'utf8');
    assert.deepEqual((await renameCase(renaming(folder))).changed, [path]);
    const [first, ...rest] = (await readFile(path, 'utf8')).split('\n');
    assert.deepEqual(JSON.parse(first ?? ''), { ...mine, id: 'new' });
    assert.equal(rest.join('\n'), before);
    assert.equal(await readFile(untouched, 'utf8'), before);
    assert.deepEqual((await readdir(recordsIn(folder))).sort(), ['a.jsonl', 'b.jsonl']);
  });

  it("doesn't change the record of a running run, even if its last line is old", async () => {
    const folder = await workspace();
    const run = await createRecord(folder, 'r1', '2026-01-01T00:00:00.000Z', new Scrubber());
    await run.append(buildCaseLine({ id: 'old', status: 'fail', suite: SUITE }));
    const yesterday = Date.now() / 1000 - 24 * 60 * 60;
    await utimes(run.path, yesterday, yesterday);
    const busy = { changed: [], running: [run.path] };
    assert.deepEqual(await renameCase(renaming(folder)), busy);
    await run.append(buildCaseLine({ id: 'next', status: 'fail', suite: SUITE }));
    await run.append(end);
    assert.deepEqual(await renameCase(renaming(folder)), busy);
    await run.close();
    const { cases } = await readRecord(run.path);
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['old', 'next'],
    );
    assert.deepEqual((await renameCase(renaming(folder))).changed, [run.path]);
    assert.deepEqual(await readdir(recordsIn(folder)), [basename(run.path)]);
  });

  it('renames immediately in the record of a killed run', async () => {
    const folder = await workspace();
    const mine = buildCaseLine({ id: 'old', status: 'fail', suite: SUITE });
    const path = await record(folder, '2026-01-01T00-00-00-000Z-r1', mine, '');
    await writeFile(
      join(recordsIn(folder), 'r1.lock'),
      `${spawnSync(process.execPath, ['-e', '']).pid}\n`,
    );
    const done = { changed: [path], running: [] };
    assert.deepEqual(await renameCase(renaming(folder)), done);
  });

  it('follows no symbolic link and needs no records', async () => {
    const folder = await workspace();
    assert.deepEqual(await renameCase(renaming(folder)), { changed: [], running: [] });
    const outside = await record(
      await workspace(),
      'a',
      buildCaseLine({ id: 'old', status: 'fail', suite: SUITE }),
      end,
    );
    await mkdir(recordsIn(folder), { recursive: true });
    await symlink(outside, join(recordsIn(folder), 'a.jsonl'));
    const before = await readFile(outside, 'utf8');
    await renameCase(renaming(folder));
    assert.equal(await readFile(outside, 'utf8'), before);
  });
});
