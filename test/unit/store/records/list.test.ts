import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { NO_USAGE } from '../../../../src/core/verdict.ts';
import { lockRecord, recordsIn } from '../../../../src/store/records/files.ts';
import {
  changeNote,
  deleteRun,
  type ListedRun,
  notePath,
  RunList,
  readNote,
} from '../../../../src/store/records/list.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { recordText, writeRecord } from '../../../support/records.ts';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../../support/runs.ts';

const cost = (amount: number) => ({ usage: { ...NO_USAGE, calls: 1, cost: amount } });

const passed = (id: string) => buildCaseLine({ id, status: 'pass', score: 1, ...cost(0.25) });
const failed = (id: string) => buildCaseLine({ id, status: 'fail', score: 0, ...cost(0.5) });

describe('the list of runs', () => {
  it('shows the result of each run, newest first', async (t) => {
    const root = await workspaceWith(t, {});
    const end = { usage: { ...NO_USAGE, cost: 0.75 } };
    await writeRecord(root, { id: 'aaaa', cases: [passed('a'), failed('b')], end });
    await writeRecord(root, {
      id: 'bbbb',
      started: '2026-01-02T00:00:00.000Z',
      cases: [passed('a')],
      end: { cancelled: true },
    });
    const runs = await new RunList().runs([root]);
    assert.deepEqual(
      runs.map(({ id, state, counts: { pass, fail }, cost, duration }) => [
        ...[id, state, pass, fail, cost, duration],
      ]),
      [
        ['bbbb', 'cancelled', 1, 0, null, 2000],
        ['aaaa', 'finished', 1, 1, 0.75, 2000],
      ],
    );
  });

  it('counts the cases of a running and of a killed run', async (t) => {
    const root = await workspaceWith(t, {});
    const path = await writeRecord(root, { id: 'aaaa', cases: [passed('a')] });
    const list = new RunList();
    const look = async () =>
      (await list.runs([root])).map(({ state, counts }) => [state, counts.pass]);
    assert.deepEqual(await look(), [['unfinished', 1]]);
    const release = await lockRecord(recordsIn(root), 'aaaa');
    await appendFile(path, recordText({ id: 'x', cases: [passed('b')] }).replace(/^.*\n/, ''));
    assert.deepEqual(await look(), [['running', 2]]);
    await release();
    assert.deepEqual(await look(), [['unfinished', 2]]);
  });

  it('leaves out a record whose options are too large to keep in memory', async (t) => {
    const root = await workspaceWith(t, {});
    const path = await writeRecord(root, { id: 'aaaa', cases: [passed('a')] });
    const [first = '', ...others] = (await readFile(path, 'utf8')).split('\n');
    const run = { ...JSON.parse(first), options: { x: Array(10_000).fill({}) } };
    await writeFile(path, [JSON.stringify(run), ...others].join('\n'));
    assert.deepEqual(await new RunList().runs([root]), []);
  });

  it('shows the cost of records of earlier versions, whose last line has none', async (t) => {
    const root = await workspaceWith(t, {});
    const run = { id: 'aaaa', cases: [passed('a'), failed('b')], end: { usage: undefined } };
    await writeRecord(root, run);
    const [found] = await new RunList().runs([root]);
    assert.deepEqual([found?.state, found?.cost], ['finished', 0.75]);
  });

  it('includes the usage of a run in its last line', async (t) => {
    const suite = botSuite('  - {id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}\n');
    const { end } = await runFiles(t, { 'suite.eval.yaml': suite, 'bot.mjs': ECHO });
    assert.equal(end.usage?.calls, 0);
  });

  it('skips other files, and folders without records', async (t) => {
    const root = await workspaceWith(t, { '.turnlight/runs/x.jsonl': '{"kind":"chat"}\n' });
    assert.deepEqual(await new RunList().runs([root, '/nowhere']), []);
  });
});

describe("a person's note on a run", () => {
  async function one(root: string): Promise<ListedRun> {
    const [run] = await new RunList().runs([root]);
    assert.ok(run);
    return run;
  }

  it('is stored next to the unchanged record; a pinned run comes first', async (t) => {
    const root = await workspaceWith(t, {});
    const path = await writeRecord(root, { id: 'aaaa', cases: [passed('a')], end: {} });
    await writeRecord(root, {
      id: 'bbbb',
      started: '2026-01-02T00:00:00.000Z',
      cases: [],
      end: {},
    });
    const before = await readFile(path, 'utf8');
    const aaaa = (await new RunList().runs([root])).find(({ id }) => id === 'aaaa');
    assert.ok(aaaa);
    await changeNote(aaaa, { pinned: true, name: 'Before the new prompt' });
    assert.equal(await readFile(path, 'utf8'), before);
    const runs = await new RunList().runs([root]);
    assert.deepEqual(
      runs.map(({ id, note }) => [id, note.name, note.pinned]),
      [
        ['aaaa', 'Before the new prompt', true],
        ['bbbb', undefined, undefined],
      ],
    );
  });

  it('is deleted if it is empty', async (t) => {
    const root = await workspaceWith(t, {});
    await writeRecord(root, { id: 'aaaa', cases: [], end: {} });
    await changeNote(await one(root), { pinned: true });
    await changeNote(await one(root), { pinned: false });
    assert.equal((await readdir(recordsIn(root))).length, 1);
  });

  it('is ignored if the file is invalid', async (t) => {
    const root = await workspaceWith(t, {});
    await writeRecord(root, { id: 'aaaa', cases: [], end: {} });
    for (const text of [
      '[',
      '[]',
      '{"name":7,"pinned":"yes"}',
      `{"name":"${'x'.repeat(20_000)}"}`,
    ]) {
      await writeFile(notePath(root, 'aaaa'), text);
      assert.deepEqual({ ...(await readNote(root, 'aaaa')) }.name, undefined, text.slice(0, 20));
      assert.ok(!(await readNote(root, 'aaaa')).pinned);
    }
  });

  it('is deleted with the run', async (t) => {
    const root = await workspaceWith(t, {});
    await writeRecord(root, { id: 'aaaa', cases: [], end: {} });
    await changeNote(await one(root), { pinned: true });
    await deleteRun(await one(root));
    assert.deepEqual(await readdir(recordsIn(root)), []);
  });
});
