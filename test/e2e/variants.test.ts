import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

const SUITE = `cases:
  - id: greets
    transcripts: talks.jsonl
    assert: [{type: contains, value: Hello}]
`;

const talk = (id: string, reply: string) =>
  `${JSON.stringify({ id, messages: [{ user: 'Hi' }, { assistant: reply }] })}\n`;

const CLI = join(CHECKOUT, 'dist/cli.js');

describe('a case with several conversations in the editor', {
  timeout: 300_000,
}, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-variants-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(suite, SUITE);
    await writeFile(join(folder, 'talks.jsonl'), talk('polite', 'Hello') + talk('rude', 'Go away'));
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

  it('lists them under the expanded case, and a new one once its line is written', async (t) => {
    await workbench.unfoldTest('greets');
    await workbench.testsShow('the conversations', 'polite', 'rude');
    const talks = join(folder, 'talks.jsonl');
    await appendFile(talks, talk('kind', 'Hello there'));
    // On a busy machine, VS Code starts to watch a folder long after it shows it.
    const again = setInterval(() => utimes(talks, new Date(), new Date()), 3_000);
    t.after(() => clearInterval(again));
    await workbench.testsShow('the new one', 'kind');
  });

  it('shows the outcome of each, and how many passed on the line of the case', async () => {
    await workbench.window.command('turnlight.runFile');
    await workbench.testsShow('the outcomes', 'polite (Passed)', 'rude (Failed)', 'kind (Passed)');
    await workbench.until(
      'the hint',
      () => workbench.editor().innerText(),
      (text) => text.replaceAll('\u00a0', ' ').includes('2 of 3 passed'),
    );
    await workbench.hover('greets', (shown) => shown.includes('rude'));
    await workbench.screenshot('variants');
  });

  it('runs one alone, here and on the command line', async () => {
    await writeFile(
      join(folder, 'talks.jsonl'),
      talk('polite', 'Hello') + talk('rude', 'Hello after all') + talk('kind', 'Bye'),
    );
    await promisify(execFile)(process.execPath, [CLI, 'run', '--case', 'greets/rude', suite], {
      cwd: folder,
      env: ownFolders(process.env),
    });
    await workbench.testsShow(
      'the outcome of one',
      'polite (Passed)',
      'rude (Passed)',
      'kind (Passed)',
    );
    await workbench.window.command('turnlight.runCase', suite, 'greets', 'kind');
    await workbench.testsShow('the outcome of another', 'rude (Passed)', 'kind (Failed)');
  });

  it('shows each in its own view', async () => {
    const opening = workbench.window.command('turnlight.openConversation', suite, 'greets', 'kind');
    const view = await workbench.frameWith('.turn');
    await opening;
    await workbench.until(
      'the conversation',
      () => view.locator('body').innerText(),
      (text) => text.includes('greets/kind') && text.includes('Bye'),
    );
    await workbench.screenshot('variant-view');
  });

  it('marks verdicts of changed lines in the file and in the view', async () => {
    const lines = [talk('polite', 'Hello'), talk('rude', 'Hello after all'), talk('kind', 'Hello')];
    await writeFile(join(folder, 'talks.jsonl'), lines.join(''));
    await workbench.until(
      'the stale hint',
      () => workbench.editor().innerText(),
      (text) => text.replaceAll('\u00a0', ' ').includes('2 of 3 passed (stale)'),
    );
    const view = await workbench.frameWith('.turn');
    await workbench.until(
      'the notice',
      () => view.locator('body').innerText(),
      (text) => text.includes('The inputs of the case have changed since this run'),
    );
    await workbench.screenshot('variant-stale');
  });

  it('ignores deleted lines', async () => {
    await workbench.window.command('turnlight.runFile', pathToFileURL(suite).href);
    await workbench.testsShow('the outcomes', 'kind (Passed)');
    const lines = [talk('polite', 'Hello'), talk('kind', 'Hello')];
    await workbench.until(
      'the status bar',
      () => workbench.page.locator('.statusbar').innerText(),
      (text) => text.includes('3 passed'),
    );
    await writeFile(join(folder, 'talks.jsonl'), lines.join(''));
    await workbench.until(
      'the status bar without it',
      () => workbench.page.locator('.statusbar').innerText(),
      (text) => text.includes('2 passed'),
    );
    await workbench.until(
      'the hint without it',
      () => workbench.editor().innerText(),
      (text) => text.replaceAll('\u00a0', ' ').includes('2 of 2 passed'),
    );
    await workbench.screenshot('variant-gone');
    await writeFile(
      join(folder, 'talks.jsonl'),
      talk('polite', 'Hello') + talk('rude', 'Hello after all') + talk('kind', 'Bye'),
    );
    await workbench.window.command('turnlight.runFile', pathToFileURL(suite).href);
    await workbench.testsShow('the outcomes as before', 'rude (Passed)', 'kind (Failed)');
  });

  it('opens the next one with keys from the menu of its row, in the same column', async () => {
    const { page, window } = workbench;
    await workbench.showTests();
    await page.locator('.test-explorer .monaco-list-row[aria-label^="polite "]').click();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Open Conversation' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    const columns = await workbench.until(
      'the view',
      () =>
        window.evaluate((vscode) =>
          vscode.window.tabGroups.all.map(({ tabs }) => tabs.map(({ label }) => label)),
        ),
      (groups) => groups.flat().includes('greets/polite'),
    );
    const column = columns.find((labels) => labels.includes('greets/polite'));
    assert.ok(column?.includes('greets/kind'), JSON.stringify(columns));
  });

  it('asks which one to open, failing ones first', async () => {
    const opening = workbench.window.command('turnlight.openConversation', suite, 'greets');
    await workbench.until(
      'the choice',
      () => workbench.page.locator('.quick-input-list').innerText(),
      (text) => /kind[\s\S]*polite/.test(text),
    );
    await workbench.screenshot('variant-choice');
    await workbench.press('Escape');
    await opening;
  });

  it('opens a broken line from the view, without marking results as stale', async () => {
    const data = join(folder, 'talks.jsonl');
    await writeFile(data, `${talk('polite', 'Hello')}{"messages": [\n`);
    await workbench.window.command('turnlight.runFile', pathToFileURL(suite).href);
    await workbench.testsShow('the outcomes', 'polite (Passed)', 'line-2 (Errored)');
    await workbench.until(
      'the hint',
      () => workbench.editor().innerText(),
      (text) => /1 of 2 passed(?! \(stale)/.test(text.replaceAll('\u00a0', ' ')),
    );
    const address = pathToFileURL(suite).href;
    const opening = workbench.window.command(
      'turnlight.openConversation',
      address,
      'greets',
      'line-2',
    );
    const view = await workbench.frameWith('.notice a, .notice button');
    await opening;
    assert.doesNotMatch(await view.locator('body').innerText(), /changed since/);
    await view.locator('.notice').getByText('Go to line').click();
    await workbench.until(
      'the line',
      () => workbench.window.active(),
      (active) => active?.path === data && active.line === 2,
    );
  });
});

/** In all eight rows, `plain` fails and `warm` passes. */
const AB = `target: {type: module, path: bot.mjs, system: Hello}
variants:
  plain: {system: Hello}
  warm: {system: Hello dear}
cases:
  - id: greets
    turns: [Hi]
    matrix: {row: [a, b, c, d, e, f, g, h]}
    assert: [{type: contains, value: dear}]
`;

describe('variants of a target in the editor', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-ab-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(join(folder, 'bot.mjs'), 'export default (said) => said[0].content;\n');
    await writeFile(suite, AB);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.clickLens('Run all', suite, 1);
    await workbench.page.locator('.statusbar-item').getByText('Evals 8 failed').waitFor();
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const hint = (wanted: string) =>
    workbench.until(
      `the hint ${wanted}`,
      () => workbench.editor().innerText(),
      (text) => text.replaceAll('\u00a0', ' ').includes(wanted),
    );

  it('are a column of the results, above which a table says which is better', async () => {
    await hint('8 of 16 passed');
    await workbench.showRuns();
    await workbench.press('Home', 'Enter');
    const view = await workbench.frameWith('[data-page="results"] .variants');
    const words = await view.locator('.variants').innerText();
    assert.match(words, /"warm" passes 8 more of 8 cases than "plain"/);
    await view.getByRole('columnheader', { name: 'Variant', exact: true }).last().waitFor();
    await workbench.screenshot('target-variants');
  });

  it('make results stale if one of them changes in the file', async () => {
    await writeFile(suite, AB.replace('Hello dear', 'Hello my dear'));
    await workbench.window.open(suite);
    await hint('8 of 16 passed (stale)');
  });
});
