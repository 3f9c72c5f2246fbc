import assert from 'node:assert/strict';
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runIdOf, stampAfter } from '../../src/store/records/files.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { assertSpoken } from '../support/view/spoken.ts';

/** The agent's last reply in each case, before and after. */
const BEFORE = { alpha: 'It is there.', beta: 'No idea.', gamma: 'Here.', old: 'There.' };
const AFTER = { alpha: 'No idea.', beta: 'It is there.', gamma: 'Here.', young: 'There.' };

function suiteOf(replies: Readonly<Record<string, string>>): string {
  const cases = Object.entries(replies).map(([id, assistant]) => ({
    id,
    transcript: [
      { user: 'I look for my parcel.' },
      { assistant: 'Where do you look for it?' },
      { user: 'At the door. Is it there?' },
      { assistant },
    ],
    assert: [
      { type: 'contains', value: 'ere', at: 'each', name: 'Says where' },
      { type: 'max-turns', max: 4 },
    ],
  }));
  return JSON.stringify({ name: 'Replies', cases }, null, 1);
}

describe('two runs compared in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  const table = () => workbench.frameWith('[data-page="results"] .grid .cell[data-change]');
  const pair = () => workbench.frameWith('[data-page="conversation"] .pair.turns');

  const active = async () =>
    (await table()).evaluate<string>(
      "document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant'))?.getAttribute('aria-label') ?? ''",
    );

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-comparison-')));
    suite = join(folder, 'replies.eval.yaml');
    await writeFile(suite, suiteOf(BEFORE));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.clickLens('Run all', suite, 1);
    await workbench.page.locator('.statusbar-item').getByText('Evals 1 failed').waitFor();
    await workbench.showRuns(1);
    await writeFile(suite, suiteOf(AFTER));
    await workbench.clickLens('Run all', suite, 1);
    await workbench.showRuns(2);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are chosen, read, and stepped through with only the keyboard', async () => {
    await workbench.press('Home', 'Control+a', 'Shift+F10');
    await workbench.page.getByRole('menuitem', { name: 'Compare Selected' }).waitFor();
    await workbench.screenshot('comparison-menu');
    await workbench.until(
      'the item of the menu',
      async () => {
        await workbench.press('ArrowDown');
        return workbench.page.locator('.monaco-menu .action-item.focused').innerText();
      },
      (words) => words.includes('Compare Selected'),
    );
    await workbench.press('Enter');
    const found = await table();
    await found.getByText('are too few to tell').first().waitFor();
    const titles = () => found.locator('.body [role=rowheader]').allTextContents();
    assert.deepEqual(await titles(), ['alpha', 'beta', 'gamma', 'young', 'old']);
    await workbench.frameFocusedOn('.grid:has(.cell[data-change])');
    await workbench.press('Control+Home', 'ArrowRight', 'ArrowRight');
    assert.equal(
      await active(),
      'Says where: worse, from passed 1.00 to failed 0.50, worse in turn 4',
    );
    await workbench.screenshot('comparison');
    await assertSpoken(found, [
      'rowheader "alpha, worse, from passed 1.00 to failed 0.75"',
      'gridcell "Says where: worse, from passed 1.00 to failed 0.50, worse in turn 4"',
    ]);
    await workbench.press('Enter');
    const view = await pair();
    const title = () => view.locator('h1').innerText();
    assert.equal(await title(), 'alpha');
    await workbench.until(
      'the turn that became worse',
      () => view.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""'),
      (name) =>
        name ===
        'Turn 4, worse, before: Assistant, passed, score 1.00, after: Assistant, failed, score 0.00',
    );
    await workbench.screenshot('comparison-conversation');
    await assertSpoken(view, [
      'article "Turn 4, worse, before: Assistant, passed, score 1.00, after: Assistant, failed, score 0.00"',
      'article "Turn 4, Assistant, failed, score 0.00"',
    ]);
    await workbench.press('Shift+N');
    await workbench.until('the next changed case', title, (words) => words === 'beta');
    await workbench.press('Shift+P', 'Shift+P');
    await workbench.until('the last one, round', title, (words) => words === 'old');
    await view.getByText('only in the first run').first().waitFor();
  });

  it('follow a resumed run, in the conversations and in the table', async () => {
    const view = await workbench.frameWith('[data-page="conversation"] h1:text-is("old")');
    const runs = join(folder, '.turnlight/runs');
    const records = (await readdir(runs)).filter((name) => name.endsWith('.jsonl')).sort();
    const last = join(runs, records.at(-1) ?? '');
    const lines = (await readFile(last, 'utf8')).split('\n');
    const young = lines.find((line) => line.includes('"id":"young"')) ?? '';
    // Resuming a run also renames its record after the current time.
    const moved = `${stampAfter([last], new Date().toISOString())}-${runIdOf(last)}.jsonl`;
    await rename(last, join(runs, moved));
    await appendFile(join(runs, moved), `${young.replace('"id":"young"', '"id":"old"')}\n`);
    await view.locator('.pair.turns').first().waitFor();
    await workbench.screenshot('comparison-followed-conversation');
    await workbench.window.command('workbench.action.previousEditor');
    const found = await table();
    const changes = () => found.locator('.body [role=rowheader]').allTextContents();
    await workbench.until('the case in both', changes, (titles) => titles.at(-1) === 'young');
    await workbench.screenshot('comparison-followed');
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`have enough contrast for all text in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      await workbench.showRuns(2);
      await workbench.press('Home', 'Control+a');
      await workbench.window.command('turnlight.compareSelected');
      // The previous test's table disappears when the new one appears, and never has the focus.
      const found = await workbench.frameFocusedOn(`body.${drawn} .grid:has(.cell[data-change])`);
      await found.getByText('are too few to tell').first().waitFor();
      await workbench.screenshot(`comparison-${name}`);
      assert.deepEqual(await paleTexts(found), []);
      await workbench.press('Control+Home', 'Enter');
      const view = await workbench.frameWith(`body.${drawn} .pair.turns`);
      await workbench.screenshot(`comparison-conversation-${name}`);
      const pale = await paleTexts(view);
      // Icons next to a word can have less contrast.
      assert.deepEqual(
        pale.filter((text) => !text.includes(' icon: ')),
        [],
      );
    });
  }
});
