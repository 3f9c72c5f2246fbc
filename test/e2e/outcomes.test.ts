import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

const SUITE = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: alpha, turns: [Hi], assert: [{type: contains, value: x}]}
  - {id: beta, turns: [Hi], assert: [{type: contains, value: x}]}
`;

const TRANSCRIPT =
  'transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]';

const CLI = join(CHECKOUT, 'dist/cli.js');

const FAST = 'export default () => "x";\n';

/** Gives a different reply, and only after a file named `go` exists. */
const LATE = `import { existsSync } from 'node:fs';
export default async () => {
  while (!existsSync('go')) await new Promise((done) => setTimeout(done, 50));
  return 'y';
};
`;

const SLOW =
  'export default () => new Promise((done) => setTimeout(() => done("x"), 3_600_000));\n';

describe('outcomes in the Testing panel', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-outcomes-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(suite, SUITE);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite);
    await workbench.window.served(suite);
    await workbench.showTests();
    await workbench.unfoldTests();
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function cancelled() {
    await writeFile(join(folder, 'agent.mjs'), SLOW);
    const run = workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the run', 'alpha (Running)', 'beta (Running)');
    await workbench.window.command('testing.cancelRun');
    await run;
  }

  it("say what to do if the run can't be recorded", async () => {
    const inTheWay = join(folder, '.turnlight');
    await writeFile(join(folder, 'agent.mjs'), FAST);
    await writeFile(inTheWay, '');
    await workbench.window.command('turnlight.runFile');
    await workbench.testsShow('that no case is to blame', 'alpha (Errored)', 'beta (Errored)');
    await workbench.until(
      'the reason, beside the cases',
      () => workbench.editor().locator('.test-error-content-widget').allInnerTexts(),
      (texts) => texts.some((text) => text.includes('The record cannot be written')),
    );
    await workbench.screenshot('unwritable');
    await rm(inTheWay);
  });

  it('stay the same if a run is canceled', async () => {
    await writeFile(join(folder, 'agent.mjs'), FAST);
    await workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the first outcome', 'alpha (Passed)', 'beta (Passed)');
    await cancelled();
    await workbench.testsShow('the first outcome again', 'alpha (Passed)', 'beta (Passed)');
  });

  it('of a second run wait for the first, as the status bar shows', async () => {
    await writeFile(join(folder, 'agent.mjs'), SLOW);
    const first = workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the run', 'alpha (Running)', 'beta (Running)');
    const second = workbench.window.command('turnlight.runFile');
    const status = workbench.page.locator('.statusbar-item');
    await status.getByText('Evals 0 of 2, 1 run waiting').waitFor();
    await workbench.screenshot('run-waiting');
    await workbench.window.command('testing.cancelRun');
    await Promise.all([first, second]);
    await status.getByText('Evals not run').waitFor();
  });

  it("appear after the first run in a folder, even if VS Code doesn't watch its records", async (t) => {
    await workbench.window.configure('files.watcherExclude', { '**/.turnlight': true });
    const outside = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-outside-')));
    t.after(() => rm(outside, { recursive: true, force: true }));
    for (const [round, parent] of [folder, folder, folder, outside].entries()) {
      const path = join(parent, `new${round}/suite.eval.yaml`);
      await mkdir(dirname(path));
      await writeFile(path, `cases: [{id: new${round}, ${TRANSCRIPT}}]\n`);
      await workbench.window.open(path);
      await workbench.window.served(path);
      if (round === 0) await workbench.window.command('turnlight.runFile');
      else
        await promisify(execFile)(process.execPath, [CLI, 'run', path], {
          cwd: folder,
          env: ownFolders(process.env),
        });
      await workbench.until(
        'the verdict before the turn',
        () => workbench.drawnText(),
        (text) => text.includes('turn 2 ✓ 1.00'),
      );
      await workbench.testsShow('the outcome in the panel', `new${round}/suite.eval.yaml (Passed)`);
    }
    await rm(join(folder, 'new1'), { recursive: true });
    await workbench.until(
      'the folder gone, with its file',
      () => workbench.testRows(),
      (rows) => rows.every((row) => !row.startsWith('new1/')),
    );
    await workbench.window.open(suite);
  });

  it('of a run of the command line are one entry, however slowly they arrive', async () => {
    const path = join(folder, 'slow.eval.yaml');
    await writeFile(join(folder, 'late.mjs'), LATE);
    const late = (id: string, target: string) =>
      `  - {id: ${id}, target: ${target}, turns: [Hi], assert: [{type: contains, value: Hi}]}\n`;
    const targets =
      'targets: {soon: {type: module, path: ./agent.mjs}, late: {type: module, path: ./late.mjs}}';
    await writeFile(join(folder, 'agent.mjs'), FAST);
    await writeFile(path, `${targets}\ncases:\n${late('sooner', 'soon')}${late('later', 'late')}`);
    await workbench.window.open(path);
    await workbench.testsShow('the file', 'slow.eval.yaml');
    await workbench.unfoldTests();
    await workbench.testsShow('the cases', 'sooner', 'later');
    const run = promisify(execFile)(process.execPath, [CLI, 'run', path], {
      env: ownFolders(process.env),
    }).catch(() => {});
    await workbench.until(
      'the first outcome, with the time that it took',
      () => workbench.testRows(),
      (rows) => rows.some((row) => /^sooner\d/.test(row)),
    );
    await writeFile(join(folder, 'go'), '');
    await run;
    const status = workbench.page.locator('.statusbar-item');
    await status.getByText('Evals 2 failed').waitFor();
    await workbench.window.command('testing.showMostRecentOutput');
    const entries = workbench.page.locator('.test-output-peek-tree .monaco-list-row');
    await workbench.until(
      'both cases in the newest entry',
      () => entries.allTextContents(),
      (rows) => {
        const [, ...newest] = rows.slice(rows.findIndex((row) => row.includes('Recorded run')));
        const all = newest.slice(0, 4).join();
        return all.includes('sooner') && all.includes('later');
      },
    );
    await entries.filter({ hasText: 'Recorded run' }).first().click();
    await workbench.until(
      'what was said, under the name of its case',
      () => workbench.page.locator('.test-output-peek-message-container .xterm-rows').innerText(),
      (text) => /✗ later\s+Turn 1, user\s+Hi\s+Turn 2, assistant\s+y/.test(text),
    );
    await workbench.screenshot('recorded-run');
    await rm(join(folder, 'go'));
    await rm(path);
    await workbench.window.command('workbench.action.togglePanel');
    await workbench.window.open(suite);
  });

  it('of repetitions appear, even with thousands of others', async () => {
    const path = join(folder, 'repeated.eval.yaml');
    const many = join(folder, 'many.eval.yaml');
    const thousand = (_: unknown, index: number) =>
      `  - {id: many-${index}, repeat: 1000, ${TRANSCRIPT}}\n`;
    await writeFile(path, `cases:\n  - {id: thrice, repeat: 3, ${TRANSCRIPT}}\n`);
    await writeFile(many, `cases:\n${Array.from({ length: 1_000 }, thousand).join('')}`);
    await workbench.window.open(path);
    await workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the outcome of the file', 'repeated.eval.yaml (Passed)');
    await workbench.window.command('testing.collapseAll');
    await workbench.unfoldTest('repeated.eval.yaml');
    await workbench.testsShow('the outcome of the case', 'thrice (Passed)');
    await workbench.unfoldTest('thrice');
    await workbench.testsShow(
      'those of its repetitions',
      'thrice 1/3 (Passed)',
      'thrice 3/3 (Passed)',
    );
    await workbench.unfoldTest('many.eval.yaml');
    await workbench.unfoldTest('many-0');
    await workbench.testsShow('a page of them', 'many-0 1–100/1000');
    await workbench.screenshot('repetitions');
    await rm(path);
    await rm(many);
    await workbench.until(
      'the files being gone',
      () => workbench.testRows(),
      (rows) => !rows.some((row) => row.includes('many')),
    );
    await workbench.unfoldTests();
    await workbench.window.open(suite);
  });

  it("move to a case's new id, even in an open view", async () => {
    await workbench.window.open(suite, 3, 10);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.turn[data-turn="2"] .badge');
    await workbench.window.rename(suite, 2, 10, 'gamma');
    await workbench.testsShow('the outcome of the renamed case', 'gamma (Passed)', 'beta (Passed)');
    await workbench.until(
      'the new id over the conversation',
      () => view.locator('h1').textContent(),
      (id) => id === 'gamma',
    );
    await view.locator('.turn[data-turn="2"] > header .badge[data-status="pass"]').waitFor();
    await workbench.page.getByRole('tab', { name: 'gamma' }).waitFor();
    await workbench.window.command('workbench.action.closeActiveEditor');
  });

  it('are shown at the current lines of their turns', async () => {
    await writeFile(join(folder, 'agent.mjs'), LATE);
    await workbench.window.open(suite);
    const run = workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the run', 'gamma (Running)');
    await workbench.putCursor(suite, 1, 1);
    // One line at a time: VS Code positions a message in the text that extensions last received.
    for (const inserted of ['# one\n', '# one\n# two\n']) {
      await workbench.page.keyboard.type(inserted.slice(-6));
      await workbench.until(
        'the lines where extensions see them',
        () => workbench.window.textOf(suite),
        (text) => text?.startsWith(inserted) ?? false,
      );
    }
    await workbench.until(
      'the lenses of the moved case',
      () => workbench.window.lenses(suite, 5),
      (titles) => titles.includes('Run'),
    );
    await writeFile(join(folder, 'go'), '');
    await run;
    await workbench.testsShow('the failure', 'gamma (Failed)');
    const topsOf = async (drawn: Locator) =>
      Promise.all((await drawn.all()).map(async (one) => (await one.boundingBox())?.y ?? -1));
    const editor = workbench.editor();
    await workbench.until(
      'a message at line 5 and one at line 6',
      async () => ({
        messages: (await topsOf(editor.locator('.test-error-content-widget'))).sort(
          (a, b) => a - b,
        ),
        lines: await topsOf(editor.locator('.line-numbers').filter({ hasText: /^[56]$/ })),
      }),
      ({ messages, lines }) =>
        messages.length === 2 &&
        lines.sort((a, b) => a - b).every((top, at) => Math.abs(top - (messages[at] ?? 0)) < 5),
    );
    await workbench.screenshot('moved');
  });
});
