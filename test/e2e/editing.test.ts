import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { markSvg } from '../../src/extension/marks/shapes.ts';
import { stampAfter } from '../../src/store/records/files.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { recordsOf } from '../support/resuming.ts';
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

const MARKS = '.cgmr[class*="ced-"]';

const VERDICTS = `cases:
  - id: long
    transcript:
      - user: Hi
      - assistant: ${'word '.repeat(60)}
      - user: Well
      - assistant: Bye
    assert: [{type: contains, value: Bye, at: each}]
  - id: shared
    transcript: [{user: Hi}, {assistant: No}, {user: Oh}, {assistant: Never}, {user: So}, {assistant: Hm}]
    assert: [{type: contains, value: Bye, at: each}]
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

  const marks = () => workbench.editor().locator(MARKS);

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
    await workbench.window.rename(suite, 1, 4, 'strict-judge');
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

  it('completes items with their required keys', async () => {
    await workbench.putCursor(suite, 9, 51);
    await workbench.press('End');
    await workbench.press('Enter');
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
    await workbench.press('Escape');
    await workbench.window.command('workbench.action.files.revert');
  });

  it('shows the number of each turn and, after a run, its verdict, with a mark in the gutter', async () => {
    const path = join(folder, 'verdicts.eval.yaml');
    await writeFile(path, VERDICTS);
    await workbench.window.open(path);
    await workbench.window.served(path);
    await workbench.window.command('turnlight.runFile');
    await workbench.until(
      'numbers and verdicts before the texts',
      () => workbench.drawnText(),
      (text) =>
        /turn 1\s*user: Hi/.test(text) &&
        /turn 2 ✗ 0\.00\s*assistant: word/.test(text) &&
        /turn 4 ✓ 1\.00\s*assistant: Bye/.test(text) &&
        /turn 2 ✗ 0\.00\s*\{assistant: No\}.*turn 6 ✗ 0\.00\s*\{assistant: Hm\}/.test(text),
    );
    await workbench.until(
      'a mark at each line with judged turns',
      () => marks().count(),
      (count) => count === 3,
    );
    await workbench.screenshot('inlay-scores');
  });

  it('keeps the start of a long line visible if the view opens it', async () => {
    await workbench.window.open(join(folder, 'verdicts.eval.yaml'), 2);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.turn[data-turn="2"] button.link');
    await view.locator('.turn[data-turn="2"] > header button.link').click();
    await cursorAt(join(folder, 'verdicts.eval.yaml'), 5);
    const left = `document.querySelector('.editor-instance .lines-content').style.left`;
    await workbench.screenshot('long-line');
    assert.match(await workbench.page.evaluate<string>(left), /^(?:-?0px)?$/);
    await workbench.window.command('workbench.action.closeEditorsInOtherGroups');
  });

  it('has a gutter shape for each outcome', async () => {
    const outcomes = ['error', 'skipped'];
    await recordAgain((turn, index) => ({ ...turn, status: outcomes[index % 2], score: null }));
    for (const status of ['error', 'skipped'] as const) {
      const svg = Buffer.from(markSvg(status, 'light', false)).toString('base64');
      await workbench.until(
        `the shape of ${status}`,
        () =>
          workbench.page.evaluate<string[]>(
            `[...document.querySelectorAll('${MARKS}')].map((one) => getComputedStyle(one).backgroundImage)`,
          ),
        (images) => images.some((image) => image.includes(svg)),
      );
    }
    await workbench.screenshot('marks');
  });

  for (const [places, inGutter] of [
    ['ruler', 0],
    ['gutter', 3],
    ['off', 0],
    ['both', 3],
  ] as const) {
    it(`marks turns in the configured places: ${places}`, async () => {
      await workbench.window.configure('turnlight.verdictMarks', places);
      await workbench.until(
        `${inGutter} marks in the gutter`,
        () => marks().count(),
        (count) => count === inGutter,
      );
      await workbench.screenshot(`marks-${places}`);
    });
  }

  /** Writes the record of a later run, with different outcomes for its turns. */
  async function recordAgain(change: (turn: object, index: number) => object) {
    const runs = join(folder, '.turnlight/runs');
    const records = await recordsOf(folder);
    const text = await readFile(records.at(-1) ?? '', 'utf8');
    const lines = text.split('\n').map((line) => {
      const { verdicts, ...rest } = JSON.parse(line || '{}');
      if (!verdicts) return line;
      const changed = verdicts.map((verdict: { turns: object[] }) => ({
        ...verdict,
        turns: verdict.turns.map(change),
      }));
      return JSON.stringify({ ...rest, verdicts: changed });
    });
    const later = stampAfter(
      records.map((path) => basename(path)),
      new Date().toISOString(),
    );
    await writeFile(join(runs, `${later}-again.jsonl`), lines.join('\n'));
  }
});
