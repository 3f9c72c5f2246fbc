import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { exitCodeOf, UsageError } from '../../../src/cli/exitCode.ts';
import { createReporters } from '../../../src/cli/reporters.ts';
import type { Shell, Stream } from '../../../src/cli/shell.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';

async function createShell(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
  isTty = false,
) {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-reporters-'));
  t.after(() => rm(folder, { recursive: true }));
  const text = { out: '', err: '' };
  const stream = (name: 'out' | 'err'): Stream => ({
    write: (more) => {
      text[name] += more;
    },
    isTty,
    size: () => ({ columns: 80, rows: 24 }),
  });
  const shell: Shell = {
    folder,
    env: (name) => env[name],
    scrubber: new Scrubber(),
    out: stream('out'),
    err: stream('err'),
    catchInterrupt: () => new AbortController().signal,
  };
  return { shell, text, folder };
}

const LINUX = { skip: process.platform !== 'linux' };
const EVENTS = runEvents([buildCaseLine({ id: 'c', status: 'pass' })]);

async function report(
  t: TestContext,
  names: Parameters<typeof createReporters>[0],
  output?: string,
) {
  const made = await createShell(t);
  const reporters = await createReporters(names, output, made.shell);
  test(
    'a report that does not fit on the disk keeps no other from being written',
    LINUX,
    async (t) => {
      const { shell, text } = await createShell(t);
      const reporters = await createReporters(['terminal', 'json', 'junit'], '/dev/full', shell);
      for (const event of EVENTS) reporters.event(event);
      assert.deepEqual(
        (await reporters.finish()).map(({ message }) => message),
        ['The report cannot be written to /dev/full: the disk is full. Free some space.'],
      );
      assert.match(text.err, /✓ c/);
      assert.equal(JSON.parse(text.out).cases[0].id, 'c');
    },
  );

  for (const event of EVENTS) reporters.event(event);
  await reporters.finish();
  return made;
}

test('the terminal reports to standard output', async (t) => {
  const { text } = await report(t, ['terminal']);
  assert.match(text.out, /✓ c/);
  assert.equal(text.err, '');
});

test('a file reporter without --output has standard output, the terminal moves to standard error', async (t) => {
  const { text } = await report(t, ['terminal', 'json']);
  assert.equal(JSON.parse(text.out).cases[0].id, 'c');
  assert.match(text.err, /✓ c/);
});

test('--output belongs to the last file reporter', async (t) => {
  const { text, folder } = await report(t, ['json', 'junit'], 'deep/report.xml');
  assert.equal(JSON.parse(text.out).cases.length, 1);
  assert.match(await readFile(join(folder, 'deep/report.xml'), 'utf8'), /^<\?xml/);
});

test('an output that cannot be used is a mistake found before the run', async (t) => {
  const { shell, folder } = await createShell(t);
  await writeFile(join(folder, 'file'), '');
  await assert.rejects(createReporters(['terminal'], 'x.json', shell), UsageError);
  await assert.rejects(createReporters(['json', 'junit'], undefined, shell), /standard output/);
  await assert.rejects(createReporters(['json'], 'file/x.json', shell), /cannot be written/);
});

for (const [env, isTty, colours] of [
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, false],
] as const) {
  test(`colours with ${JSON.stringify(env)} ${isTty ? 'on' : 'off'} a terminal: ${colours}`, async (t) => {
    const { shell, text } = await createShell(t, env, isTty);
    const reporters = await createReporters(['terminal'], undefined, shell);
    for (const event of EVENTS) reporters.event(event);
    await reporters.finish();
    assert.equal(text.out.includes('\u001b[32m'), colours);
  });
}

test('exit codes: cancelled, not written, a failure, an error; the first that holds', () => {
  const end = (counts: object, { cancelled = false, unwritten = false } = {}) =>
    exitCodeOf(
      {
        kind: 'end',
        finished: '',
        cancelled,
        counts: { pass: 0, fail: 0, error: 0, skipped: 0, ...counts },
      },
      unwritten,
    );
  assert.equal(end({ pass: 2, skipped: 1 }), 0);
  assert.equal(end({ pass: 1, fail: 1, error: 1 }), 1);
  assert.equal(end({ pass: 1, error: 1 }), 2);
  assert.equal(end({ pass: 1 }, { unwritten: true }), 4);
  assert.equal(end({ fail: 1 }, { unwritten: true }), 4);
  assert.equal(end({ fail: 1 }, { cancelled: true, unwritten: true }), 130);
});
