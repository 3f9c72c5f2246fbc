import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { asked, recordsOf } from '../support/resuming.ts';
import { until } from '../support/until.ts';

/** Says what it was asked, and of `slow` nothing before it may. */
const BOT = `import { appendFileSync, existsSync } from 'node:fs';
export default async (messages, { case: id }) => {
  const may = new URL('./may.txt', import.meta.url);
  while (id === 'slow' && !existsSync(may)) await new Promise((done) => setTimeout(done, 50));
  appendFileSync(new URL('./asked.txt', import.meta.url), id + '\\n');
  return 'x';
};
`;

const SUITE = `target: {type: module, path: ./bot.mjs, timeout: 600000}
cases:
  - {id: quick, turns: [x], assert: [{type: contains, value: x}]}
  - {id: slow, turns: [x], assert: [{type: contains, value: x}]}
`;

/** A folder in which a run of both cases has come to the outcome of one. */
async function started(t: TestContext) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-resuming-')));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await writeFile(join(folder, 'bot.mjs'), BOT);
  await writeFile(join(folder, 'suite.eval.yaml'), SUITE);
  let workbench = await Workbench.open({ folder, trusted: true });
  t.after(() => workbench.close());
  const show = async () => {
    await workbench.showTests();
    await workbench.unfoldTests();
  };
  await show();
  return {
    folder,
    workbench: () => workbench,
    async halfRun(): Promise<void> {
      const text = async () => {
        const [path] = await recordsOf(folder);
        return path === undefined ? '' : readFile(path, 'utf8');
      };
      await until('the first outcome', text, (found) => found.includes('"id":"quick"'));
    },
    async openAgain(): Promise<void> {
      await workbench.close();
      workbench = await Workbench.open({ folder, trusted: true });
      await show();
    },
    /** What was left runs now, and nothing else. */
    async resumed(): Promise<void> {
      await writeFile(join(folder, 'may.txt'), '');
      await workbench.testsShow('both outcomes', 'quick (Passed)', 'slow (Passed)');
      assert.deepEqual(await asked(folder), ['quick', 'slow']);
      assert.equal((await recordsOf(folder)).length, 1);
    },
  };
}

describe('a run that was killed, from the Testing view', { timeout: 600_000 }, () => {
  it('of the command line goes on by the menu of the view', async (t) => {
    const { folder, workbench, halfRun, resumed } = await started(t);
    const cli = [join(CHECKOUT, 'dist/cli.js'), 'run', 'suite.eval.yaml'];
    const run = spawn(process.execPath, cli, {
      cwd: folder,
      env: ownFolders(process.env),
      stdio: 'ignore',
    });
    await halfRun();
    run.kill('SIGKILL');
    const { page } = workbench();
    await page.locator('.sidebar .composite.title [aria-label*="More Actions"]').click();
    await page.getByRole('menuitem', { name: 'Resume the Last Eval Run' }).waitFor();
    await workbench().screenshot('resume-menu');
    await workbench().chooseInMenu('Resume the Last Eval Run');
    await resumed();
    await workbench().screenshot('resumed-here');
  });

  it('goes on from its row in the list of runs', async (t) => {
    const { folder, workbench, halfRun, resumed } = await started(t);
    const cli = [join(CHECKOUT, 'dist/cli.js'), 'run', 'suite.eval.yaml'];
    const run = spawn(process.execPath, cli, {
      cwd: folder,
      env: ownFolders(process.env),
      stdio: 'ignore',
    });
    await halfRun();
    run.kill('SIGKILL');
    await workbench().showRuns();
    const { page } = workbench();
    const row = page.locator('.monaco-list-row', { hasText: 'not finished' }).first();
    await row.waitFor();
    await row.hover();
    await workbench().screenshot('resume-row');
    await row.locator('[aria-label="Resume"]').click();
    await workbench().showTests();
    await workbench().unfoldTests();
    await resumed();
  });

  it('of a window goes on in the next one, by keys alone', async (t) => {
    const { workbench, halfRun, openAgain, resumed } = await started(t);
    // Its answer does not come: it is gone with the window.
    workbench()
      .window.command('testing.runAll')
      .catch(() => {});
    await halfRun();
    await openAgain();
    await workbench().window.command('workbench.view.testing.focus');
    const { page } = workbench();
    await page.keyboard.press('F1');
    await page.keyboard.type('Resume the Last');
    await page.locator('.quick-input-list').getByText('Resume the Last Run').first().waitFor();
    await workbench().screenshot('resume-keys');
    await page.keyboard.press('Enter');
    await resumed();
  });
});
