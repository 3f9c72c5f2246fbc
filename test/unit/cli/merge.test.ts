import assert from 'node:assert/strict';
import { appendFile, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it } from 'node:test';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlight } from '../../support/commandLine.ts';
import { asked, askedBot, ids, recordsOf, suiteOf } from '../../support/resuming.ts';
import { workspaceWith } from '../../support/runs.ts';

function aCase(id: string, more = ''): string {
  return `  - {id: ${id}, ${more}turns: [x], assert: [{type: contains, value: ${id === 'bad' ? 'y' : 'x'}}]}\n`;
}

const FILES = {
  'bot.mjs': askedBot(),
  'a.eval.yaml': suiteOf([aCase('a', 'repeat: 2, '), aCase('b'), aCase('c')]),
  'b.eval.yaml': suiteOf([aCase('d'), aCase('bad')]),
};

describe('turnlight run --shard and turnlight merge', () => {
  it('distributes the cases of all files over the shards, and merges them into one run', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const ran: string[][] = [];
    for (const part of ['1/2', '2/2']) {
      await writeFile(join(folder, 'asked.txt'), '');
      await turnlight(folder, ['run', '--shard', part]);
      ran.push(await asked(folder));
    }
    assert.deepEqual(ran, [
      ['a', 'a', 'bad', 'c'],
      ['b', 'd'],
    ]);
    const parts = await recordsOf(folder);
    const { code, out, err } = await turnlight(folder, [
      'merge',
      '.turnlight/runs',
      '--reporter',
      'json',
    ]);
    assert.equal(code, 1);
    assert.doesNotMatch(err, /Missing|several/);
    assert.deepEqual(ids(JSON.parse(out).cases), ['a', 'a', 'b', 'bad', 'c', 'd']);
    const record = (await recordsOf(folder)).find((path) => !parts.includes(path)) ?? '';
    const { run, cases, end, problems } = await readRecord(record);
    assert.deepEqual(problems, []);
    assert.equal(run?.merged_from?.length, 2);
    assert.deepEqual(ids(cases), ['a', 'a', 'b', 'bad', 'c', 'd']);
    assert.deepEqual(end?.counts, { pass: 4, fail: 1, error: 0, skipped: 0 });
  });

  it('refuses a record that is a link, however it is named', async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const part of ['1/2', '2/2']) await turnlight(folder, ['run', '--shard', part]);
    const [first = '', second = ''] = await recordsOf(folder);
    await rename(second, join(folder, 'moved.txt'));
    await symlink(join(folder, 'moved.txt'), second);
    for (const args of [['.turnlight/runs'], ['.turnlight/runs/*.jsonl'], [first, second]]) {
      const { code, err } = await turnlight(folder, ['merge', ...args, '--no-save']);
      assert.equal(code, 3, err);
      assert.match(err, /is not a run record, but a link/);
    }
  });

  it('merges records from another folder, and reports missing and overlapping cases', async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const part of ['1/3', '2/3']) {
      await turnlight(folder, ['run', '--shard', part, '--concurrency', '1']);
    }
    const [first = '', second = ''] = await recordsOf(folder);
    await mkdir(join(folder, 'parts'));
    const taken = join(folder, 'parts', basename(first));
    await rename(first, taken);
    const lines = (await readFile(second, 'utf8')).split('\n');
    await writeFile(join(folder, 'parts', basename(second)), `${lines.slice(0, 2).join('\n')}\n`);
    const double = (await readFile(taken, 'utf8'))
      .split('\n')
      .find((line) => line.includes('"id":"d"'));
    await appendFile(join(folder, 'parts', basename(second)), `${double}\n`);
    await rm(join(folder, '.turnlight'), { recursive: true });
    await mkdir(join(folder, '.turnlight'));
    const { code, out } = await turnlight(folder, ['merge', 'parts']);
    assert.equal(code, 2);
    assert.match(out, /Merging 2 records into run [0-9a-f]{8}\./);
    assert.match(out, /These cases are in several records, and the last result counts: d\./);
    assert.match(out, /Missing: the record of --shard 3\/3\./);
    const [merged = ''] = await recordsOf(folder);
    const { cases } = await readRecord(merged);
    assert.equal(
      cases.every(({ suite }) => suite.startsWith(folder)),
      true,
    );
    assert.equal(new Set(ids(cases)).has('d'), true);
  });

  it("doesn't pass if an agent differs between records with the same case", async (t) => {
    const suite = suiteOf(['  - {id: a, turns: [x], assert: [{type: contains, value: x}]}\n']);
    const folder = await workspaceWith(t, {});
    await mkdir(join(folder, 'parts'));
    for (const reply of ['y', 'x']) {
      const other = await workspaceWith(t, {
        'bot.mjs': `export default () => '${reply}';`,
        'a.eval.yaml': suite,
      });
      await turnlight(other, ['run']);
      const [record = ''] = await recordsOf(other);
      await rename(record, join(folder, 'parts', basename(record)));
    }
    const { code, out } = await turnlight(folder, ['merge', 'parts']);
    assert.equal(code, 2);
    assert.match(out, /results of different agents or inputs for these cases, .* incomplete: a\./);
  });

  it("doesn't pass if shards ran with different targets", async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot(),
      'a.eval.yaml': suiteOf([aCase('a'), aCase('b')]).replace(
        'targets:',
        'targets:\n  other: {type: module, path: ./bot.mjs}',
      ),
    });
    for (const [part, target] of [
      ['1/2', 'bot'],
      ['2/2', 'other'],
    ] as const) {
      await turnlight(folder, ['run', '--shard', part, '--target', target]);
    }
    const { code, out } = await turnlight(folder, ['merge', '.turnlight/runs']);
    assert.equal(code, 2);
    assert.match(out, /The runs have different --target options\./);
  });

  it('considers required pass rates, and missing cases of a killed shard', async (t) => {
    const cases = [aCase('a', 'repeat: {times: 2, pass: any}, '), aCase('b')];
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(cases) });
    await turnlight(folder, ['run', '--concurrency', '1']);
    const [record = ''] = await recordsOf(folder);
    const lines = (await readFile(record, 'utf8')).split('\n');
    const failing = lines
      .slice(0, 3)
      .map((line) =>
        line.includes('"repetition":1')
          ? line.replaceAll('"status":"pass","score":1', '"status":"fail","score":0')
          : line,
      );
    await writeFile(record, `${failing.join('\n')}\n`);
    const { code, out } = await turnlight(folder, ['merge', record]);
    assert.equal(code, 2);
    assert.match(out, /Missing: 1 case that run [0-9a-f]{8} did not finish\./);
    assert.match(out, /Cases: 1 passed, 0 failed/);
  });

  it('reports missing shards, whatever another record claims', async (t) => {
    const folder = await workspaceWith(t, FILES);
    await turnlight(folder, ['run', '--shard', '1/3']);
    const [record = ''] = await recordsOf(folder);
    const text = await readFile(record, 'utf8');
    const [, id = ''] = /"id":"(\w{8})"/.exec(text) ?? [];
    const lying = text.replace(/"sharded_cases":\d+/, '"sharded_cases":-2');
    await writeFile(record.replace(id, 'deadbeef'), lying.replaceAll(id, 'deadbeef'));
    const { code, out } = await turnlight(folder, ['merge', '--no-save', '.turnlight/runs']);
    assert.equal(code, 2);
    assert.match(out, /Missing: .*2\/3/);
  });

  it('reports invalid shards and records', async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const [args, message] of [
      [['run', '--shard', '3/2'], /Expected a part and the number of parts, such as 2\/3/],
      [['merge', 'nowhere'], /"nowhere" is not a run record, and contains none/],
      [['merge', 'bot.mjs'], /bot\.mjs is not a run record/],
    ] as const) {
      const { code, err } = await turnlight(folder, args);
      assert.equal(code, 3);
      assert.match(err, message);
    }
    const { code, err } = await turnlight(folder, ['run', '--shard', '9/9']);
    assert.equal(code, 0);
    assert.match(err, /This shard has no cases/);
  });

  it('distinguishes suites of the same name outside of a repository, in records and reports', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot(),
      'a/s.eval.yaml': suiteOf([aCase('same')]).replace('./bot.mjs', '../bot.mjs'),
      'b/s.eval.yaml': suiteOf([aCase('same').replace('value: x', 'value: y')]).replace(
        './bot.mjs',
        '../bot.mjs',
      ),
    });
    for (const part of ['1/2', '2/2']) {
      await turnlight(folder, ['run', '--shard', part, '--reporter', 'json']);
    }
    const { code, out, err } = await turnlight(folder, [
      'merge',
      '.turnlight/runs',
      '--reporter',
      'json',
    ]);
    assert.equal(code, 1, err);
    const { cases, run } = JSON.parse(out);
    assert.deepEqual(
      cases.map(({ suite, status }: { suite: string; status: string }) => [suite, status]).sort(),
      [
        ['a/s.eval.yaml', 'pass'],
        ['b/s.eval.yaml', 'fail'],
      ],
    );
    assert.deepEqual(run.files.map(({ path }: { path: string }) => path).sort(), [
      'a/s.eval.yaml',
      'b/s.eval.yaml',
    ]);
  });

  it('refuses records of different versions of a file', async (t) => {
    const folder = await workspaceWith(t, FILES);
    await turnlight(folder, ['run', 'a.eval.yaml']);
    await appendFile(join(folder, 'a.eval.yaml'), '# changed\n');
    await turnlight(folder, ['run', 'a.eval.yaml']);
    const { code, err } = await turnlight(folder, ['merge', '.turnlight/runs']);
    assert.equal(code, 3);
    assert.match(err, /a\.eval\.yaml differs between \S+\.jsonl and \S+\.jsonl\./);
  });
});
