import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

const SUITE = `models:
  fast-judge: openai:gpt-5-mini
judge: fast-judge
include: [./more.eval.yaml]
cases:
  - id: first
    transcript: [{user: Hi}, {assistant: Hello}]
    assert:
      - {type: llm-judge, prompt: ./judges/tone.md}
`;

const MORE = `cases:
  - id: second
    judge: fast-judge
    transcript: [{user: Hi}, {assistant: Hello}]
    assert:
      - {type: llm-judge, prompt: ./judges/tone.md}
`;

describe('editing in the real VS Code', { timeout: 300_000 }, () => {
  let folder: string;
  let workbench: Workbench;
  const status = () =>
    workbench.page.locator('.statusbar-item', { hasText: /^Ln \d+/ }).innerText();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-edit-'));
    await cp(join(CHECKOUT, 'examples/shopfast'), join(folder, 'shopfast'), { recursive: true });
    await mkdir(join(folder, 'judges'));
    await writeFile(join(folder, 'suite.eval.yaml'), SUITE);
    await writeFile(join(folder, 'more.eval.yaml'), MORE);
    await writeFile(join(folder, 'judges/tone.md'), 'How warm is {{conversation}}?\n');
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('goes from a judge in one file to its declaration in another', async () => {
    await workbench.openFile('suite.eval.yaml');
    // Lenses are there once the language server is.
    await workbench.editor().locator('.codelens-decoration a').first().waitFor();
    await workbench.openFile('more.eval.yaml');
    await workbench.goTo(3, 14);
    await workbench.command('Go to Definition');
    await workbench.until(status, (place) => place.startsWith('Ln 2, Col 3'), 'the declaration');
    await workbench.page.locator('.tab.active[data-resource-name="suite.eval.yaml"]').waitFor();
  });

  it('finds all references, across files', async () => {
    await workbench.openFile('suite.eval.yaml');
    await workbench.goTo(2, 5);
    await workbench.command('References: Find All References');
    const tree = workbench.page.locator('.pane-body', { hasText: 'results in 2 files' });
    await tree.first().waitFor();
    assert.match((await tree.first().textContent()) ?? '', /3 results in 2 files/);
  });

  it('renames a judge in all files that use it', async () => {
    await workbench.goTo(2, 5);
    await workbench.command('Rename Symbol');
    const box = workbench.page.locator('.rename-box input.rename-input');
    await box.waitFor();
    await box.fill('strict-judge');
    await workbench.page.keyboard.press('Enter');
    await workbench.line('judge: strict-judge').waitFor();
    await workbench.command('File: Save All Files');
    const more = await workbench.until(
      () => readFile(join(folder, 'more.eval.yaml'), 'utf8'),
      (text) => text.includes('judge: strict-judge'),
      'the other file',
    );
    assert.equal(more, MORE.replace('fast-judge', 'strict-judge'));
    const suite = await readFile(join(folder, 'suite.eval.yaml'), 'utf8');
    assert.equal(suite, SUITE.replaceAll('fast-judge', 'strict-judge'));
  });

  it('follows the link of a prompt', async () => {
    await workbench.goTo(9, 40);
    await workbench.command('Open Link');
    await workbench.page.locator('.tab[data-resource-name="tone.md"]').waitFor();
  });

  it('offers what fits where one types, with the keys that it needs', async () => {
    await workbench.openFile('suite.eval.yaml');
    await workbench.goTo(9, 51);
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.keyboard.type('type: contai');
    const widget = workbench.page.locator('.suggest-widget.visible');
    await widget.getByText('contains-any').first().waitFor();
    await workbench.screenshot('completion');
    await workbench.page.keyboard.press('Escape');
    await workbench.command('File: Revert File');
  });

  it('shows the number of each turn, and after a run its score behind it', async () => {
    await workbench.openFile('shopfast.eval.yaml');
    await workbench.command('Turnlight: Run All Cases of File');
    await workbench.goTo(54);
    await workbench.until(
      () => workbench.editor().locator('.view-lines').innerText(),
      (text) => /✗\s*0[.,]\d\d/.test(text.replaceAll('\u00a0', ' ')),
      'scores in the text',
    );
    await workbench.screenshot('inlay-scores');
  });
});
