import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { recordsOf } from '../support/resuming.ts';

const FILES = 5;
const CASES = 200;

/** Every tenth case fails. */
function suiteText(file: number): string {
  const cases = Array.from({ length: CASES }, (_, index) => {
    const reply = index % 10 === 0 ? 'Go away' : 'Hello';
    return `  - {id: case-${file}-${index}, transcript: [{user: Hi}, {assistant: ${reply}}], assert: [{type: contains, value: Hello}]}\n`;
  });
  return `cases:\n${cases.join('')}`;
}

const WAITING = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: first, turns: [Hi], assert: [{type: contains, value: x}]}
`;

/** Answers once both files have sent a request. If the files ran one after the other, it would wait forever. */
const MEETING = `import { appendFileSync, readFileSync } from 'node:fs';
export default async () => {
  appendFileSync('asked', 'x');
  while (readFileSync('asked', 'utf8').length < 2) await new Promise((done) => setTimeout(done, 20));
  return 'x';
};
`;

const ENDLESS = 'export default () => new Promise((done) => setTimeout(done, 3_600_000));\n';

describeLong('a run of many files in the Testing panel', () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-many-')));
    // All files share one record.
    await mkdir(join(folder, '.turnlight'));
    // No record can be written in this folder.
    await mkdir(join(folder, 'other/.turnlight'), { recursive: true });
    await writeFile(join(folder, 'other/.turnlight/runs'), '');
    for (let file = 0; file < FILES; file += 1) {
      await writeFile(join(folder, `suite${file}.eval.yaml`), suiteText(file));
    }
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.showTests();
    await workbench.until(
      'the files',
      () => workbench.testRows(),
      (rows) => rows.length === FILES,
    );
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('shows every outcome of a thousand cases, and writes one record', async () => {
    await workbench.window.command('testing.runAll');
    await workbench.until(
      'the counts in the status bar',
      () => workbench.page.locator('.statusbar').innerText(),
      (text) => text.includes('100 failed, 900 passed'),
    );
    const summary = workbench.page.locator('.test-explorer .result-summary');
    await workbench.until(
      'the counts in the panel',
      () => summary.innerText(),
      (text) => text.includes('900/1000'),
    );
    await workbench.testsShow(
      'the outcome of each file',
      ...[0, 1, 2, 3, 4].map((n) => `suite${n}.eval.yaml (Failed)`),
    );
    await workbench.unfoldTest('suite4.eval.yaml');
    await workbench.testsShow('the outcomes of cases', 'case-4-0 (Failed)', 'case-4-1 (Passed)');
    await workbench.screenshot('many-cases');
    const [record, ...others] = await recordsOf(folder);
    assert.deepEqual(others, []);
    const lines = (await readFile(record ?? '', 'utf8')).split('\n');
    assert.equal(lines.filter((line) => line.startsWith('{"kind":"case"')).length, FILES * CASES);
  });

  it('runs files in parallel, reports errors in their own file, and stops all files on Cancel', async () => {
    for (const name of await readdir(folder))
      if (name.endsWith('.yaml')) await rm(join(folder, name));
    await writeFile(join(folder, 'agent.mjs'), MEETING);
    await writeFile(join(folder, 'one.eval.yaml'), WAITING);
    await writeFile(join(folder, 'two.eval.yaml'), WAITING.replace('first', 'second'));
    await writeFile(join(folder, 'wrong.eval.yaml'), 'cases:\n  - {id: third, turns: [Hi]}\n');
    await writeFile(
      join(folder, 'other/four.eval.yaml'),
      'cases: [{id: fourth, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]}]\n',
    );
    await workbench.testsShow(
      'the new files',
      'one.eval.yaml',
      'two.eval.yaml',
      'wrong.eval.yaml',
      'four.eval.yaml',
    );
    const before = await recordsOf(folder);
    await workbench.window.command('testing.runAll');
    await workbench.unfoldTests();
    await workbench.testsShow(
      'the outcomes',
      'first (Passed)',
      'second (Passed)',
      'third (Errored)',
      // The run has a single record in the common folder, even though one file's folder has its own `.turnlight`.
      'fourth (Passed)',
    );
    assert.equal((await recordsOf(folder)).length, before.length + 1);
    await workbench.screenshot('many-files');

    await writeFile(join(folder, 'agent.mjs'), ENDLESS);
    const run = workbench.window.command('testing.runAll');
    await workbench.testsShow('both at work', 'first (Running)', 'second (Running)');
    await workbench.window.command('testing.cancelRun');
    await run;
    await workbench.testsShow('what they were before', 'first (Passed)', 'second (Passed)');
  });
});
