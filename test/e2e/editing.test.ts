import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

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

describe('editing in the real VS Code', { timeout: 900_000 }, () => {
  let folder: string;
  let suite: string;
  let more: string;
  let workbench: Workbench;

  const cursorAt = (path: string, line?: number) =>
    workbench.until(
      `the cursor in ${basename(path)}`,
      () => workbench.window.active(),
      (editor) => editor?.path === path && (line === undefined || editor.line === line),
    );

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-edit-')));
    suite = join(folder, 'suite.eval.yaml');
    more = join(folder, 'more.eval.yaml');
    await cp(join(CHECKOUT, 'examples/shopfast'), join(folder, 'shopfast'), { recursive: true });
    await mkdir(join(folder, 'judges'));
    await writeFile(suite, SUITE);
    await writeFile(more, MORE);
    await writeFile(join(folder, 'judges/tone.md'), 'How warm is {{conversation}}?\n');
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite);
    await workbench.window.served(suite);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('goes from a judge in one file to its declaration in another', async () => {
    await workbench.window.open(more, 3, 14);
    await workbench.window.served(more);
    await workbench.window.command('editor.action.revealDefinition');
    assert.equal((await cursorAt(suite, 2))?.column, 3);
  });

  it('finds all references, across files', async () => {
    const found = await workbench.window.evaluate(async (vscode, path) => {
      const references = await vscode.commands.executeCommand<import('vscode').Location[]>(
        'vscode.executeReferenceProvider',
        vscode.Uri.file(path),
        new vscode.Position(1, 4),
      );
      return references.map(({ uri, range }) => `${uri.path}:${range.start.line + 1}`);
    }, suite);
    assert.deepEqual(found.sort(), [`${more}:3`, `${suite}:2`, `${suite}:3`]);
  });

  it('renames a judge in all files that use it', async () => {
    await workbench.window.evaluate(async (vscode, path) => {
      const edit = await vscode.commands.executeCommand<import('vscode').WorkspaceEdit>(
        'vscode.executeDocumentRenameProvider',
        vscode.Uri.file(path),
        new vscode.Position(1, 4),
        'strict-judge',
      );
      await vscode.workspace.applyEdit(edit);
      await vscode.workspace.saveAll();
    }, suite);
    await until(
      'both files saved',
      () => Promise.all([suite, more].map((path) => readFile(path, 'utf8'))),
      (texts) => texts.every((text) => text.includes('judge: strict-judge')),
    );
    assert.equal(await readFile(more, 'utf8'), MORE.replace('fast-judge', 'strict-judge'));
    assert.equal(await readFile(suite, 'utf8'), SUITE.replaceAll('fast-judge', 'strict-judge'));
  });

  it('follows the link of a prompt', async () => {
    await workbench.window.open(suite, 9, 40);
    await workbench.window.command('editor.action.openLink');
    await cursorAt(join(folder, 'judges/tone.md'));
  });

  it('offers what fits where one types, with the keys that it needs', async () => {
    await workbench.putCursor(suite, 9, 51);
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.press('Enter');
    await workbench.page.keyboard.type('type: contai');
    const widget = workbench.page.locator('.suggest-widget.visible');
    await workbench.until(
      'the proposal',
      async () => ({
        offered: await widget.getByText('contains-any').count(),
        text: await workbench.window.textOf(suite),
      }),
      ({ offered }) => offered > 0,
    );
    await workbench.screenshot('completion');
    await workbench.page.keyboard.press('Escape');
    await workbench.window.command('workbench.action.files.revert');
  });

  it('shows the number of each turn, and after a run its score behind it', async () => {
    const path = join(folder, 'shopfast/shopfast.eval.yaml');
    await workbench.window.open(path);
    await workbench.window.served(path);
    await workbench.window.command('turnlight.runFile');
    await workbench.window.open(path, 54);
    await workbench.until(
      'turn numbers and scores in the text',
      () => workbench.drawnText(),
      (text) => /turns 3, 4/.test(text) && /✗\s*0[.,]\d\d/.test(text),
    );
    await workbench.screenshot('inlay-scores');
  });
});
