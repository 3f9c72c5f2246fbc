import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readDotenv } from '../../../src/cli/dotenv.ts';
import { exitCodeOf, UsageError } from '../../../src/cli/exitCode.ts';
import type { ChosenReporter } from '../../../src/cli/options.ts';
import { createReporters } from '../../../src/cli/reporters.ts';
import { SpillBuffer } from '../../../src/disk/spillBuffer.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';
import { fakeShell } from '../../support/fakeShell.ts';

async function createShell(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
  isTty = false,
) {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-reporters-'));
  t.after(() => rm(folder, { recursive: true }));
  return { ...fakeShell(folder, env, isTty), folder };
}

/** Parses reporters as given on the command line: `junit=evals.xml`. */
function chosen(...given: readonly string[]): ChosenReporter[] {
  return given.map((one) => {
    const [name, file] = one.split('=') as [ChosenReporter['name'], string?];
    return { name, ...(file !== undefined && { file }) };
  });
}

const LINUX = { skip: process.platform !== 'linux' };
const EVENTS = runEvents([buildCaseLine({ id: 'c', status: 'pass' })]);

async function report(
  t: TestContext,
  given: readonly string[],
  output?: string,
  env: Readonly<Record<string, string>> = {},
) {
  const made = await createShell(t, env);
  const reporters = await createReporters(chosen(...given), output, made.shell);
  for (const event of EVENTS) reporters.event(event);
  await reporters.finish();
  return made;
}

test('the terminal reports to standard output', async (t) => {
  const { text } = await report(t, ['terminal']);
  assert.match(text.out, /✓ c/);
  assert.equal(text.err, '');
});

test('a file reporter without --output writes to standard output, and the terminal to standard error', async (t) => {
  const { text } = await report(t, ['terminal', 'json']);
  assert.equal(JSON.parse(text.out).cases[0].id, 'c');
  assert.match(text.err, /✓ c/);
});

test('--output sets the file of the last file reporter', async (t) => {
  const { text, folder } = await report(t, ['json', 'junit'], 'deep/report.xml');
  assert.equal(JSON.parse(text.out).cases.length, 1);
  assert.match(await readFile(join(folder, 'deep/report.xml'), 'utf8'), /^<\?xml/);
});

test('each reporter writes to its file, and the terminal to standard output', async (t) => {
  const { text, folder } = await report(t, [
    'json=a.json',
    'terminal',
    'junit=deep/b.xml',
    'csv=c.csv',
  ]);
  assert.match(text.out, /✓ c/);
  assert.equal(JSON.parse(await readFile(join(folder, 'a.json'), 'utf8')).cases.length, 1);
  assert.match(await readFile(join(folder, 'deep/b.xml'), 'utf8'), /^<\?xml/);
  assert.match(await readFile(join(folder, 'c.csv'), 'utf8'), /^suite,case,/);
});

test('stores no conversation of a passed case if no reporter needs it', async (t) => {
  const put = t.mock.method(SpillBuffer.prototype, 'put');
  await report(t, ['terminal', 'junit=a.xml', 'markdown=a.md']);
  assert.equal(put.mock.callCount(), 0);
  await report(t, ['junit=a.xml', 'json=a.json']);
  assert.equal(put.mock.callCount(), EVENTS.filter(({ kind }) => kind === 'case-finished').length);
});

test('annotations are commands on standard output, and the Markdown is the step summary', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-summary-'));
  t.after(() => rm(folder, { recursive: true }));
  const summary = join(folder, 'summary.md');
  await writeFile(summary, 'Before.\n');
  const { shell, text } = await createShell(t, {
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: '/work',
  });
  const reporters = await createReporters(chosen('terminal', 'github'), undefined, shell);
  const failed = buildCaseLine({ id: 'late', status: 'error', reason: 'It timed out.' });
  for (const event of runEvents([failed])) reporters.event(event);
  await reporters.finish();
  assert.match(text.out, /late/);
  assert.equal(text.commands, '::error file=suite.eval.yaml,line=10,title=late::It timed out.\n');
  assert.match(await readFile(summary, 'utf8'), /^Before\.\n# ✗ 1 of 1 eval did not pass/);
});

test('other reports are written if the disk is too full for one', LINUX, async (t) => {
  const { shell, text } = await createShell(t);
  const reporters = await createReporters(chosen('terminal', 'json', 'junit'), '/dev/full', shell);
  for (const event of EVENTS) reporters.event(event);
  assert.deepEqual(
    (await reporters.finish()).map(({ message }) => message),
    ['The report cannot be written to /dev/full: the disk is full. Free some space.'],
  );
  assert.match(text.err, /✓ c/);
  assert.equal(JSON.parse(text.out).cases[0].id, 'c');
});

test('an invalid output is reported before the run', async (t) => {
  const { shell, folder } = await createShell(t);
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(createReporters(chosen('terminal'), 'x.json', shell), UsageError);
  await assert.rejects(
    createReporters(chosen('json', 'junit'), undefined, shell),
    /standard output/,
  );
  await assert.rejects(createReporters(chosen('json'), 'file/x.json', shell), /cannot be written/);
  await assert.rejects(
    createReporters(chosen('json=a', 'junit=./a'), undefined, shell),
    /can't share the file/,
  );
  for (const one of ['terminal=a', 'github=a']) {
    await assert.rejects(createReporters(chosen(one), undefined, shell), /doesn't write to a file/);
  }
});

for (const [env, isTty, colors] of [
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
] as const) {
  test(`colors with ${JSON.stringify(env)} ${isTty ? 'on' : 'off'} a terminal: ${colors}`, async (t) => {
    const { shell, text } = await createShell(t, env, isTty);
    const reporters = await createReporters(chosen('terminal'), undefined, shell);
    for (const event of EVENTS) reporters.event(event);
    await reporters.finish();
    assert.equal(text.out.includes('\u001b[32m'), colors);
  });
}

test('reports never overwrite files of the run, even through a link', async (t) => {
  const { shell, folder } = await createShell(t);
  const suite = join(folder, 'a.eval.yaml');
  await writeFile(suite, 'cases: []');
  await symlink(suite, join(folder, 'link.json'));
  for (const name of ['a.eval.yaml', 'link.json']) {
    await assert.rejects(
      createReporters(chosen(`json=${name}`), undefined, shell, [suite]),
      /The run uses .* Write the report to another file/,
    );
  }
  await writeFile(join(folder, 'report'), '');
  await symlink(join(folder, 'report'), join(folder, 'linked'));
  await assert.rejects(
    createReporters(chosen('json=report', 'junit=linked'), undefined, shell),
    /can't share the file/,
  );
});

test('leaves no empty file if the report was not written', async (t) => {
  const { shell, folder } = await createShell(t);
  await createReporters(chosen('junit=evals.xml'), undefined, shell);
  assert.deepEqual(await readdir(folder), []);
});

test('an unreadable --dotenv file is a usage error', async (t) => {
  const { shell } = await createShell(t);
  await assert.rejects(
    readDotenv('none.env', shell),
    (error) => error instanceof UsageError && /can't read none\.env/.test(error.message),
  );
});

test('the exit code is for the first of: cancelled, not written, a failure, an error or missing case', () => {
  const end = (
    counts: object,
    { cancelled = false, unwritten = false, isComplete = true, minPassRate = 1 } = {},
  ) =>
    exitCodeOf(
      {
        kind: 'end',
        finished: '',
        cancelled,
        counts: { pass: 0, fail: 0, error: 0, skipped: 0, ...counts },
      },
      unwritten,
      isComplete,
      minPassRate,
    );
  assert.equal(end({ pass: 2, skipped: 1 }), 0);
  assert.equal(end({ pass: 1, fail: 1, error: 1 }), 1);
  assert.equal(end({ pass: 1, error: 1 }), 2);
  assert.equal(end({ pass: 1 }, { isComplete: false }), 2);
  assert.equal(end({ pass: 9, fail: 1 }, { isComplete: false, minPassRate: 0.9 }), 2);
  assert.equal(end({ pass: 1 }, { unwritten: true }), 4);
  assert.equal(end({ fail: 1 }, { unwritten: true }), 4);
  assert.equal(end({ fail: 1 }, { cancelled: true, unwritten: true }), 130);
  assert.equal(end({ pass: 9, fail: 1 }, { minPassRate: 0.9 }), 0);
  assert.equal(end({ pass: 8, fail: 1 }, { minPassRate: 0.9 }), 1);
  assert.equal(end({ pass: 9, fail: 1, error: 1 }, { minPassRate: 0.9 }), 2);
  assert.equal(end({ fail: 1 }, { minPassRate: 0 }), 0);
});
