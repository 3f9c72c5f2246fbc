import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { start, turnlight } from '../../support/commandLine.ts';
import { entry } from '../../support/judging.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { asked, askedBot, ids, recordsOf, suiteOf } from '../../support/resuming.ts';
import { workspaceWith } from '../../support/runs.ts';

function aCase(id: string, says = 'x', more = 'value: x'): string {
  return `  - {id: ${id}, turns: [${says}], assert: [{type: contains, ${more}}]}\n`;
}

const THREE = ['a', 'b', 'c'].map((id) => aCase(id));

async function theRecord(folder: string): Promise<string> {
  const records = await recordsOf(folder);
  assert.equal(records.length, 1);
  return records[0] ?? '';
}

/** Cuts a finished record after the given number of cases and the start of another. */
async function killedAfter(folder: string, cases: number): Promise<string> {
  const record = await theRecord(folder);
  const lines = (await readFile(record, 'utf8')).split('\n');
  await writeFile(
    record,
    `${lines.slice(0, 1 + cases).join('\n')}\n${lines[1 + cases]?.slice(0, 40)}`,
  );
  await writeFile(join(folder, 'asked.txt'), '');
  return record;
}

describe('turnlight run --resume', () => {
  it('repairs the record of a killed run, and runs only missing cases', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(THREE) });
    await turnlight(folder, ['run', '--concurrency', '1']);
    await killedAfter(folder, 2);
    const { code, out } = await turnlight(folder, ['run', '--resume', '--reporter', 'terminal']);
    assert.equal(code, 0);
    assert.match(out, /Resuming run [0-9a-f]{8}: keeping the results of 2 of 3 cases\./);
    assert.match(out, /Cases: 3 passed/);
    assert.deepEqual(await asked(folder), ['c']);
    const read = await readRecord(await theRecord(folder));
    assert.deepEqual(read.problems, []);
    assert.deepEqual(ids(read.cases), ['a', 'b', 'c']);
    assert.equal(read.end?.counts.pass, 3);
    assert.equal(read.run?.resumed?.length, 1);
  });

  it("doesn't pass without a case that the run selected, or without one of its files", async (t) => {
    const tagged = (id: string) => aCase(id).replace('turns', 'tags: [gate], turns');
    const files = {
      'bot.mjs': askedBot(),
      'a.eval.yaml': suiteOf([tagged('a'), tagged('b'), aCase('c')]),
      'b.eval.yaml': suiteOf([aCase('d')]),
    };
    const folder = await workspaceWith(t, files);
    const resumed = async (now: Readonly<Record<string, string>>) => {
      for (const [name, text] of Object.entries(now)) await writeFile(join(folder, name), text);
      const { code, err } = await turnlight(folder, ['run', '--resume']);
      return [code, err.replaceAll(`${folder}/`, '').replaceAll(/run [0-9a-f]{8}/g, 'run ID')];
    };
    const gone = (id: string) =>
      `a.eval.yaml: the case "${id}" was part of run ID, and no longer exists.\n`;
    const missing = 'Cases may be missing, so this does not count as passed.\n';
    await turnlight(folder, ['run', '--tag', 'gate', '--concurrency', '1']);
    await killedAfter(folder, 1);
    const renamed = suiteOf([tagged('a2'), tagged('b'), aCase('c')]);
    assert.deepEqual(await resumed({ 'a.eval.yaml': renamed }), [2, `${gone('a')}${missing}`]);
    const read = await readRecord(await theRecord(folder));
    assert.equal(read.end?.incomplete, true);
    const none = suiteOf([tagged('a2'), tagged('b2'), aCase('c')]);
    assert.deepEqual(await resumed({ 'a.eval.yaml': none }), [
      2,
      'The cases of that run are no longer in the files.\n',
    ]);

    const two = await workspaceWith(t, files);
    await turnlight(two, ['run', '--concurrency', '1']);
    await killedAfter(two, 2);
    await rm(join(two, 'b.eval.yaml'));
    const { code, err } = await turnlight(two, ['run', '--resume']);
    assert.deepEqual(
      [code, /b\.eval\.yaml was part of run .* no longer exists/.test(err)],
      [2, true],
    );
  });

  it('keeps only results of transcripts on another commit, because agents import files', async (t) => {
    const transcript =
      '  - {id: t, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}\n';
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot(),
      'a.eval.yaml': suiteOf([transcript, ...THREE]),
    });
    const git = (...args: readonly string[]) => execFileSync('git', ['-C', folder, ...args]);
    const commit = () =>
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x', '--allow-empty');
    git('init', '-q');
    commit();
    await turnlight(folder, ['run', '--concurrency', '1']);
    const resumed = async () => {
      await killedAfter(folder, 3);
      await turnlight(folder, ['run', '--resume', '--concurrency', '1']);
      return asked(folder);
    };
    assert.deepEqual(await resumed(), ['c']);
    commit();
    assert.deepEqual(await resumed(), ['a', 'b', 'c']);
  });

  it('runs cases again if a variable names another agent or judge', async (t) => {
    const server = await startModelServer((body) =>
      body.response_format
        ? json({
            criteria: [{ criterion: 1, outcome: 'met', rationale: 'Yes.', turns: [entry(2)] }],
            rationale: 'Yes.',
          })
        : 'Hello.',
    );
    t.after(() => server.close());
    const model = (name: string) =>
      `{provider: openai, model: "\${env:${name}}", base_url: "${server.baseUrl}"}`;
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `judge: ${model('JUDGE')}
target: {type: chat, model: ${model('AGENT')}}
cases:
  - {id: a, turns: [Hi], assert: [{type: contains, value: Hello}]}
  - {id: b, turns: [Hi], assert: [{type: any-of, assert: [It greets.]}]}
  - {id: c, turns: [Hi], assert: [{type: contains, value: Hello}]}
`,
    });
    const args = ['--no-cache', '--concurrency', '1', '--reporter', 'terminal'];
    const resumed = async (env: Readonly<Record<string, string>>) => {
      await killedAfter(folder, 2);
      const { out } = await turnlight(folder, ['run', '--resume', ...args], env);
      return /keeping the results of . of . cases/.exec(out)?.[0];
    };
    await turnlight(folder, ['run', ...args], { AGENT: 'one', JUDGE: 'mild' });
    const kept = 'keeping the results of 2 of 3 cases';
    assert.equal(await resumed({ AGENT: 'one', JUDGE: 'mild' }), kept);
    assert.equal(
      await resumed({ AGENT: 'one', JUDGE: 'harsh' }),
      'keeping the results of 1 of 3 cases',
    );
    assert.equal(
      await resumed({ AGENT: 'two', JUDGE: 'harsh' }),
      'keeping the results of 0 of 3 cases',
    );
  });

  it('refuses to replace a recording by one of a part of the run', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(THREE) });
    await turnlight(folder, ['run', '--record', 'all.jsonl']);
    const before = await readFile(join(folder, 'all.jsonl'), 'utf8');
    const { code, err } = await turnlight(folder, ['run', '--resume', '--record', 'all.jsonl']);
    assert.deepEqual([code, /Remove --record/.test(err)], [3, true]);
    assert.equal(await readFile(join(folder, 'all.jsonl'), 'utf8'), before);
  });

  it('refuses to continue on a queue if the run has options that workers decide', async (t) => {
    const files = { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(THREE) };
    for (const [option, value] of [
      ['--replay', 'made.jsonl'],
      ['--base-url', 'http://127.0.0.1:9/v1'],
    ] as const) {
      const folder = await workspaceWith(t, files);
      await turnlight(folder, ['run', '--no-save', '--record', 'made.jsonl']);
      await turnlight(folder, ['run', option, value]);
      await killedAfter(folder, 2);
      const queue = ['--queue', 'redis://127.0.0.1:9'];
      const { code, err } = await turnlight(folder, ['run', '--resume', ...queue]);
      assert.equal(code, 3, err);
      assert.match(err, new RegExp(`started with ${option}, which the workers .* without --queue`));
      assert.deepEqual(await asked(folder), []);
    }
  });

  it('runs edited cases again, lists them, and drops cases that no longer exist', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(THREE) });
    await turnlight(folder, ['run', '--concurrency', '1']);
    await killedAfter(folder, 2);
    const edited = [aCase('b', 'x', 'value: y'), aCase('c'), aCase('d')];
    await writeFile(join(folder, 'a.eval.yaml'), suiteOf(edited));
    const { code, out } = await turnlight(folder, ['run', '--resume']);
    assert.equal(code, 1);
    assert.match(
      out,
      /keeping the results of 0 of 3 cases\. Edited since then, so they run again: b\. No longer in the files: 1 case\./,
    );
    assert.deepEqual(await asked(folder), ['b', 'c', 'd']);
    const { cases, end } = await readRecord(await theRecord(folder));
    assert.deepEqual(ids(cases), ['b', 'c', 'd']);
    assert.equal(end?.counts.fail, 1);
  });

  it('runs cases again if their threshold, weight, repetitions, pass rate, or target has changed', async (t) => {
    const before = ['threshold', 'weight', 'repeat', 'pass', 'same'].map((id) => aCase(id));
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot(),
      'a.eval.yaml': suiteOf(before),
    });
    await turnlight(folder, ['run']);
    await killedAfter(folder, 5);
    const after = [
      aCase('threshold', 'x', 'value: x, threshold: 0.5'),
      aCase('weight', 'x', 'value: x, weight: 2'),
      aCase('repeat').replace('turns', 'repeat: 2, turns'),
      aCase('pass').replace('turns', 'repeat: {times: 1, pass: 0.5}, turns'),
      aCase('same'),
    ];
    await writeFile(join(folder, 'a.eval.yaml'), suiteOf(after));
    await turnlight(folder, ['run', '--resume']);
    assert.deepEqual(await asked(folder), ['pass', 'repeat', 'repeat', 'threshold', 'weight']);
    await killedAfter(folder, 6);
    await appendFile(join(folder, 'bot.mjs'), '// changed\n');
    await turnlight(folder, ['run', '--resume']);
    assert.equal((await asked(folder)).length, 6);
  });

  it('keeps the files, cases, and judge of the run', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': askedBot(),
      'a.eval.yaml': suiteOf(THREE),
      'b.eval.yaml': suiteOf([aCase('other')]),
    });
    await turnlight(folder, [
      'run',
      'a.eval.yaml',
      '--case',
      'a',
      '--case',
      'c',
      '--judge',
      'ollama:x',
      '--concurrency',
      '1',
    ]);
    await killedAfter(folder, 1);
    const { code } = await turnlight(folder, ['run', '--resume']);
    assert.equal(code, 0);
    assert.deepEqual(await asked(folder), ['c']);
    const { cases, run } = await readRecord(await theRecord(folder));
    assert.deepEqual(ids(cases), ['a', 'c']);
    assert.equal(run?.options.judge, 'ollama:x');
    const choosing = await turnlight(folder, ['run', '--resume', '--case', 'b']);
    assert.equal(choosing.code, 3);
    assert.match(choosing.err, /--resume runs the cases that the run selected/);
  });

  it('includes earlier failures in the exit code and the reports', async (t) => {
    const cases = [aCase('a', 'y'), aCase('b')];
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(cases) });
    await turnlight(folder, ['run', '--concurrency', '1']);
    await killedAfter(folder, 1);
    const { code, out } = await turnlight(folder, ['run', '--resume', '--reporter', 'json']);
    assert.equal(code, 1);
    assert.deepEqual(ids(JSON.parse(out).cases), ['a', 'b']);
  });

  it('accepts the id or record of a run, skips finished runs, and reports if there is none', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(THREE) });
    const first = await turnlight(folder, ['run', '--resume', 'a.eval.yaml', '--concurrency', '1']);
    assert.match(first.out, /These files have no runs\. Starting a new one\./);
    assert.equal(first.code, 0);
    const killed = await killedAfter(folder, 1);
    await turnlight(folder, ['run', '--case', 'c']);
    const { out } = await turnlight(folder, ['run', '--resume']);
    assert.match(out, /keeping the results of 1 of 3 cases/);
    const [id] = /[0-9a-f]{8}(?=\.jsonl)/.exec(killed) ?? [];
    const again = await turnlight(folder, ['run', '--resume', id ?? '']);
    assert.match(again.out, new RegExp(`Run ${id} is complete: nothing is left to run\\.`));
    const named = (await recordsOf(folder)).find((path) => path.includes(id ?? '')) ?? '';
    assert.equal((await turnlight(folder, ['run', '--resume', named])).code, 0);
    const unknown = await turnlight(folder, ['run', '--resume', '00000000']);
    assert.equal(unknown.code, 3);
    assert.match(unknown.err, /These files have no record of run 00000000/);
    const neither = await turnlight(folder, ['run', '--resume', 'nope']);
    assert.equal(neither.code, 3);
    assert.match(neither.err, /"nope" is neither a run nor an eval file\. Pass the id of a run/);
  });

  it('refuses a run that is still running', async (t) => {
    const slow = 'export default () => new Promise((done) => setTimeout(done, 60_000, "x"));\n';
    const folder = await workspaceWith(t, { 'bot.mjs': slow, 'a.eval.yaml': suiteOf(THREE) });
    const running = start(folder, ['run', '--concurrency', '1', '--reporter', 'terminal']);
    const runs = join(folder, '.turnlight/runs');
    const locked = async () =>
      (await readdir(runs).catch(() => [])).some((name) => name.endsWith('.lock'));
    while (!(await locked())) await new Promise((done) => setTimeout(done, 50));
    const { code, err } = await turnlight(folder, ['run', '--resume']);
    running.interrupt();
    await running.ended;
    assert.equal(code, 3);
    assert.match(err, /is still running, in process \d+/);
    assert.equal(await locked(), false);
  });
});

describe('turnlight run --only-failed and --only-errors', () => {
  const BAD = askedBot({ failing: 'c' });

  it('runs the cases that failed or errored in their last run', async (t) => {
    const cases = [aCase('a', 'y'), aCase('b'), aCase('c'), aCase('d', 'y')];
    const folder = await workspaceWith(t, { 'bot.mjs': BAD, 'a.eval.yaml': suiteOf(cases) });
    await turnlight(folder, ['run']);
    const ran = async (...args: string[]) => {
      await writeFile(join(folder, 'asked.txt'), '');
      const { code } = await turnlight(folder, ['run', ...args]);
      return [code, ...(await asked(folder))];
    };
    assert.deepEqual(await ran('--only-failed'), [1, 'a', 'd']);
    assert.deepEqual(await ran('--case', 'b'), [0, 'b']);
    assert.deepEqual(await ran('--only-errors'), [2, 'c']);
    assert.deepEqual(await ran('--only-failed', '--only-errors', '--limit', '2'), [1, 'a', 'c']);
    assert.deepEqual(await ran('--only-failed', '--case', 'd'), [1, 'd']);
  });

  it("don't pass if the last run was killed before cases that have no newer result", async (t) => {
    const cases = [aCase('a', 'y'), aCase('b'), aCase('c', 'y')];
    const folder = await workspaceWith(t, { 'bot.mjs': askedBot(), 'a.eval.yaml': suiteOf(cases) });
    await turnlight(folder, ['run', '--concurrency', '1']);
    await killedAfter(folder, 1);
    const only = ['run', '--only-failed', '--only-errors'];
    await writeFile(join(folder, 'a.eval.yaml'), suiteOf([aCase('a'), ...cases.slice(1)]));
    const { code, err } = await turnlight(folder, only);
    assert.equal(code, 2);
    assert.match(err, /Run [0-9a-f]{8} did not finish 2 cases\./);
    assert.deepEqual(await asked(folder), ['a']);
    await turnlight(folder, ['run', '--case', 'b', '--case', 'c']);
    const later = await turnlight(folder, only);
    assert.deepEqual([later.code, later.err], [1, '']);
  });

  it('find a conversation that failed at another position of its data set', async (t) => {
    const line = (reply: string) =>
      `${JSON.stringify({ messages: [{ user: 'Hi' }, { assistant: reply }] })}\n`;
    const folder = await workspaceWith(t, {
      'd.jsonl': line('good') + line('bad'),
      'a.eval.yaml':
        'cases: [{id: a, transcripts: d.jsonl, assert: [{type: contains, value: good}]}]\n',
    });
    await turnlight(folder, ['run']);
    await writeFile(join(folder, 'd.jsonl'), line('fine, good') + line('good') + line('bad'));
    const { code, out } = await turnlight(folder, ['run', '--only-failed']);
    assert.equal(code, 1);
    assert.match(out, /Cases: 2 passed, 1 failed/);
    const again = await turnlight(folder, ['run', '--only-failed']);
    assert.match(again.out, /Cases: 0 passed, 1 failed/);
  });

  it('combines the repetitions of a case, and reports if nothing failed', async (t) => {
    const flaky = `export default async (messages) => process.env.FAIL ? 'y' : messages.at(-1).content;\n`;
    const repeated = aCase('a').replace('turns', 'repeat: {times: 2, pass: any}, turns');
    const folder = await workspaceWith(t, { 'bot.mjs': flaky, 'a.eval.yaml': suiteOf([repeated]) });
    const never = await turnlight(folder, ['run', '--only-failed']);
    assert.equal(never.code, 0);
    assert.match(never.err, /No case failed in its last run\. Nothing was run\./);
    await turnlight(folder, ['run']);
    const record = await theRecord(folder);
    const lines = (await readFile(record, 'utf8')).split('\n');
    const failed = lines.map((line) =>
      line.includes('"repetition":1')
        ? line.replaceAll('"status":"pass","score":1', '"status":"fail","score":0')
        : line,
    );
    assert.notDeepEqual(failed, lines);
    await writeFile(record, failed.join('\n'));
    const { code, err } = await turnlight(folder, ['run', '--only-failed', '--only-errors']);
    assert.equal(code, 0);
    assert.match(err, /No case failed or errored in its last run/);
  });
});
