import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { asked, recordsOf } from '../support/resuming.ts';
import { until } from '../support/until.ts';

/** Logs each case. For `slow`, it replies only after the file `may.txt` exists. */
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

/** Creates a folder with a run of two cases, of which one has finished. */
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
    /** Checks that only the remaining case runs. */
    async resumed(): Promise<void> {
      await writeFile(join(folder, 'may.txt'), '');
      await workbench.testsShow('both outcomes', 'quick (Passed)', 'slow (Passed)');
      assert.deepEqual(await asked(folder), ['quick', 'slow']);
      assert.equal((await recordsOf(folder)).length, 1);
    },
  };
}

function spawnRun(folder: string): ChildProcess {
  const cli = [join(CHECKOUT, 'dist/cli.js'), 'run', 'suite.eval.yaml'];
  const env = ownFolders(process.env);
  return spawn(process.execPath, cli, { cwd: folder, env, stdio: 'ignore' });
}

/** Kills the process. Resolves when it has exited, so its run can't continue. */
async function killed(run: ChildProcess): Promise<void> {
  const exited = once(run, 'exit');
  run.kill('SIGKILL');
  await exited;
}

describeLong('resuming a killed run from the Testing view', () => {
  it("resumes a run of the command line from the view's menu", async (t) => {
    const { folder, workbench, halfRun, resumed } = await started(t);
    const run = spawnRun(folder);
    await halfRun();
    await killed(run);
    const { page } = workbench();
    await page.locator('.sidebar .composite.title [aria-label*="More Actions"]').click();
    await page.getByRole('menuitem', { name: 'Resume the Last Eval Run' }).waitFor();
    await workbench().screenshot('resume-menu');
    await workbench().chooseInMenu('Resume the Last Eval Run');
    await resumed();
    await workbench().screenshot('resumed-here');
  });

  for (const from of ['row', 'results'] as const) {
    it(`resumes a run from its ${from} in the list of runs`, async (t) => {
      const { folder, workbench, halfRun, resumed } = await started(t);
      const run = spawnRun(folder);
      await halfRun();
      await killed(run);
      await workbench().showRuns();
      const { page } = workbench();
      const row = page.locator('.monaco-list-row', { hasText: 'not finished' }).first();
      await row.waitFor();
      if (from === 'row') {
        await row.hover();
        await workbench().screenshot('resume-row');
        await workbench().until(
          'the run that goes on',
          async () => {
            // If the row is being redrawn, it can't be clicked.
            await row.hover({ timeout: 2_000 }).catch(() => {});
            const resume = row.locator('[aria-label="Resume"]');
            await resume.click({ timeout: 2_000 }).catch(() => {});
            await row.waitFor({ state: 'hidden', timeout: 10_000 }).catch(() => {});
            return row.isVisible();
          },
          (isVisible) => !isVisible,
        );
      } else {
        await row.click();
        const results = await workbench().frameWith('[data-page="results"] .grid .body .row');
        await results.getByText('not finished').waitFor();
        await workbench().screenshot('resume-results');
        await results.getByRole('button', { name: 'Resume', exact: true }).click();
      }
      await workbench().showTests();
      await workbench().unfoldTests();
      await resumed();
      if (from === 'row') return;
      const results = await workbench().frameWith('[data-page="results"] .grid .body .row');
      await results
        .getByRole('button', { name: 'Resume', exact: true })
        .waitFor({ state: 'detached' });
    });
  }

  it('resumes a run of another window with only the keyboard', async (t) => {
    const { workbench, halfRun, openAgain, resumed } = await started(t);
    // The command never returns, since its window closes.
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
