import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { assertSpoken } from '../support/view/spoken.ts';

const replies = { first: 'It is there.', second: 'No idea.', third: 'Here.', fourth: 'Nothing.' };

const SUITE = {
  name: 'Replies',
  cases: Object.entries(replies).map(([id, assistant]) => ({
    id,
    tags: [id === 'fourth' ? 'late' : 'early'],
    transcript: [{ user: 'Is it there?' }, { assistant }],
    assert: [
      { type: 'contains', value: 'ere', name: 'Says where' },
      { type: 'max-turns', max: 4 },
    ],
  })),
};

describe('runs and their results in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  const results = () => workbench.frameWith('[data-page="results"] .grid .body .row');
  const conversation = () => workbench.frameWith('[data-page="conversation"] h1');

  /** The opened run's table, once it has keyboard focus. */
  const focusedResults = () => workbench.frameFocusedOn('[data-page="results"] .grid');

  const active = async () =>
    (await results()).evaluate<string>(
      "document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant'))?.getAttribute('aria-label') ?? ''",
    );

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-results-')));
    suite = join(folder, 'replies.eval.yaml');
    await writeFile(suite, JSON.stringify(SUITE, null, 1));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.clickLens('Run all', suite, 1);
    await workbench.page.locator('.statusbar-item').getByText('Evals 2 failed').waitFor();
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('lead from the run to the next failing conversation with only the keyboard', async () => {
    await workbench.showRuns();
    assert.match(await workbench.firstRun(), /^replies\.eval\.yaml, 2 of 4 passed, 2 failed/);
    await workbench.press('Home', 'Enter');
    const table = await focusedResults();
    await workbench.page.getByRole('tab', { name: 'replies.eval.yaml (results)' }).waitFor();
    await workbench.press('ArrowRight', 'ArrowRight', 'n');
    await workbench.until('a failing verdict', active, (name) =>
      name.startsWith('Says where: failed'),
    );
    await workbench.screenshot('results');
    await assertSpoken(table, [
      'rowheader "second, failed, score 0.50"',
      'rowheader "first, passed, score 1.00"',
      'gridcell "Says where: failed, score 0.00"',
      'gridcell "Says where: passed, score 1.00"',
    ]);
    await workbench.press('Enter');
    const view = await conversation();
    const title = () => view.locator('h1').innerText();
    const first = await title();
    assert.ok(['second', 'fourth'].includes(first), first);
    await workbench.until(
      'the turn that failed',
      () => view.evaluate<string>('document.activeElement?.dataset.turn ?? ""'),
      (turn) => turn === '2',
    );
    await workbench.press('Shift+N');
    const other = first === 'second' ? 'fourth' : 'second';
    await workbench.until('the other failing case', title, (words) => words === other);
    await view.getByText('failing case').first().waitFor();
    await workbench.screenshot('results-conversation');
    await workbench.press('Shift+P');
    await workbench.until('the first one again', title, (words) => words === first);
  });

  it('find text in the conversations', async () => {
    await workbench.showRuns();
    await workbench.press('Home', 'Enter');
    const table = await focusedResults();
    await workbench.press('/');
    await workbench.page.keyboard.type('no idea');
    await workbench.until(
      'the one case',
      () => table.locator('.body [role=rowheader]').allTextContents(),
      (titles) => titles.join() === 'second',
    );
    await workbench.press('Escape');
  });

  it('open from a CI file without an eval file next to it', async () => {
    const [record = ''] = (await readdir(join(folder, '.turnlight/runs'))).filter((name) =>
      name.endsWith('.jsonl'),
    );
    const file = join(folder, 'ci.jsonl');
    await copyFile(join(folder, '.turnlight/runs', record), file);
    await workbench.window.command('workbench.action.closeAllEditors');
    await workbench.window.evaluate(async (vscode, path) => {
      await vscode.commands.executeCommand('turnlight.openRunFile', vscode.Uri.file(path));
    }, file);
    const table = await results();
    assert.equal(await table.locator('.body .row').count(), 4);
    await table.locator('.body').getByText('third').click();
    const view = await conversation();
    assert.equal(await view.locator('h1').innerText(), 'third');
    assert.equal(await view.locator('.turn').count(), 2);
  });

  it("report a file that isn't a run record", async () => {
    const file = join(folder, 'chat.jsonl');
    await writeFile(file, '{"role":"user","content":"Hi"}\n');
    await workbench.window.evaluate(async (vscode, path) => {
      await vscode.commands.executeCommand('turnlight.openRunFile', vscode.Uri.file(path));
    }, file);
    const view = await workbench.frameWith('[data-page="results"] .notice');
    assert.equal(await view.locator('h1').innerText(), 'chat.jsonl');
    assert.match(await view.locator('.notice').first().innerText(), /is not a run record/);
    await workbench.screenshot('results-no-record');
  });

  it('are pinned, named, and deleted in the list', async () => {
    await workbench.showRuns();
    await workbench.press('Home', 'F2');
    const input = workbench.page.locator('.quick-input-widget:visible');
    await input.getByText('Leave empty').waitFor();
    await workbench.page.keyboard.type('First try');
    await workbench.press('Enter');
    await workbench.until(
      'the name',
      () => workbench.firstRun(),
      (label) => label.startsWith('First try, 2 of 4'),
    );
    await workbench.showRuns();
    await workbench.press('Home', 'Delete');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('Delete the run "First try"?').waitFor();
    await workbench.screenshot('results-delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await workbench.runs().count(), 1);
  });

  it('apply keys to the focused run, whatever is selected', async () => {
    await workbench.clickLens('Run all', suite, 1);
    await workbench.showRuns(2);
    await workbench.press('Home', 'Enter');
    await focusedResults();
    await workbench.showRuns();
    await workbench.press('Home', 'ArrowDown', 'Delete');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByText('Delete the run "First try"?').waitFor();
    await dialog.getByText('2 of 4 passed, 2 failed').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await workbench.showRuns();
    await workbench.press('Home', 'Delete');
    await dialog.getByText('Delete the run "replies.eval.yaml"?').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await workbench.until(
      'one run',
      () => workbench.runs().count(),
      (count) => count === 1,
    );
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`have enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      await workbench.showRuns();
      await workbench.press('Home', 'Enter');
      const find = () => workbench.frameWith(`body.${drawn} .grid .body .row`);
      // The previous test's table can still be there for a moment.
      await workbench.until(
        'the focus on the table',
        async () =>
          (await find())
            .locator('.grid')
            .focus({ timeout: 2000 })
            .then(
              () => true,
              () => false,
            ),
        (focused) => focused,
      );
      const table = await find();
      await workbench.screenshot(`results-${name}`);
      assert.deepEqual(await paleTexts(table), []);
    });
  }

  it('leave no record if the last run is deleted', async () => {
    await workbench.showRuns();
    await workbench.press('Home', 'Delete');
    const dialog = workbench.page.locator('.monaco-dialog-box');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await workbench.until(
      'no record',
      async () => (await readdir(join(folder, '.turnlight/runs'))).join(),
      (left) => left === '',
    );
  });
});
