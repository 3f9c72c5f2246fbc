import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { ownFolders } from '../support/answersFolder.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { recordsOf } from '../support/resuming.ts';

interface RecordLine {
  readonly kind: string;
  readonly id: string;
  readonly options?: { readonly from?: string };
}

describe('a trusted workspace in the real VS Code', { timeout: 900_000 }, () => {
  let folder: string;
  let shopfast: string;
  let slow: string;
  let retention: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-e2e-')));
    shopfast = join(folder, 'shopfast/shopfast.eval.yaml');
    retention = join(folder, 'context-retention/context-retention.eval.yaml');
    slow = join(folder, 'slow.eval.yaml');
    // Only two examples, since the Testing panel renders only the rows that fit.
    for (const name of ['shopfast', 'context-retention']) {
      await cp(join(CHECKOUT, 'examples', name), join(folder, name), { recursive: true });
    }
    await writeFile(
      join(folder, 'slow.mjs'),
      'export default () => new Promise((done) => setTimeout(() => done("x"), 3_600_000));\n',
    );
    await writeFile(
      slow,
      'target: {type: module, path: ./slow.mjs}\ncases:\n  - {id: sleeper, turns: [Hi], assert: [{type: contains, value: x}]}\n  - {id: waiting, turns: [Hi], assert: [{type: contains, value: x}]}\n',
    );
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const rows = (what: string, wanted: (rows: string[]) => boolean) =>
    workbench.until(what, () => workbench.testRows(), wanted);

  it('lists the cases in the Testing panel', async () => {
    await workbench.showTests();
    await rows('the file', (all) => all.some((row) => row.startsWith('shopfast')));
    await workbench.unfoldTests();
    await rows('the cases', (all) =>
      ['order-status', 'frustrated-customer', 'incomplete'].every((id) => has(all, id)),
    );
  });

  it('shows passed and failed cases in the Testing panel if Run all is clicked above the file', async () => {
    await workbench.window.open(shopfast);
    await workbench.window.served(shopfast);
    await workbench.clickLens('Run all', shopfast, 1);
    await rows(
      'outcomes',
      (all) =>
        has(all, 'incomplete', 'Failed') &&
        has(all, 'order-status', 'Passed') &&
        has(all, 'frustrated-customer', 'Failed'),
    );
    await workbench.screenshot('testing-panel');
  });

  it('runs one case if Run is clicked above it', async () => {
    const before = await records();
    await workbench.clickLens('Run', shopfast, 49);
    const after = await workbench.until(
      'the record of the run',
      () => records(),
      (all) => all.length > before.length && all.at(-1)?.at(-1)?.kind === 'end',
    );
    const ran = after.at(-1)?.filter(({ kind }) => kind === 'case');
    assert.deepEqual(
      ran?.map(({ id }) => id),
      ['frustrated-customer'],
    );
    await rows('the outcome', (all) => has(all, 'frustrated-customer', 'Failed'));
  });

  it('stores records where the command line does, whatever folder that runs in', async () => {
    const args = [join(CHECKOUT, 'dist/cli.js'), 'run', 'shopfast', '--case', 'order-status'];
    await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: ownFolders(process.env),
    });
    const sources = (await records()).map(([run]) => run?.options?.from);
    assert.deepEqual(new Set(sources), new Set(['editor', undefined]));
  });

  it('shows runs of the command line in the Testing panel and in an open view', async () => {
    const file = join(folder, 'outside.eval.yaml');
    const suite = (reply: string) =>
      `cases:\n  - id: outside\n    transcript: [{user: Hi}, {assistant: ${reply}}]\n    assert: [{type: contains, value: Hello}]\n`;
    const runOutside = () =>
      promisify(execFile)(process.execPath, [join(CHECKOUT, 'dist/cli.js'), 'run', file], {
        cwd: folder,
        env: ownFolders(process.env),
      }).catch(() => {});
    await writeFile(file, suite('Hello'));
    await workbench.showTests();
    await rows('the file', (all) => has(all, 'outside.eval.yaml'));
    await workbench.unfoldTests();
    await runOutside();
    await rows('the first outcome', (all) => has(all, 'outside', 'Passed'));
    await workbench.window.open(file, 2, 8);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.turn.assistant > header .badge[data-status="pass"]');
    await writeFile(file, suite('No'));
    await runOutside();
    await rows('the second outcome', (all) => has(all, 'outside', 'Failed'));
    await view.locator('.turn.assistant > header .badge[data-status="fail"]').waitFor();
    await workbench.window.command('workbench.action.closeActiveEditor');
    await rm(file);
  });

  it('shows score, rationale, and quote if a failed turn is hovered', async () => {
    await workbench.window.open(shopfast, 54);
    const hover = await workbench.hover('You said that last time', (shown) =>
      shown.includes('Turn 4: failed'),
    );
    const text = (await hover.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    assert.match(text, /Guidelines — failed, 0\.00/);
    assert.match(text, /Promises a date for the refund/);
    assert.match(text, /will be in your account by Friday/);
    await workbench.screenshot('hover');
  });

  it('opens the conversation at the turn under the cursor, with a badge on each assistant turn', async () => {
    await workbench.window.open(shopfast, 54, 14);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.turn[data-turn="4"] > header .badge');
    const badges = await view
      .locator('.turn.assistant > header .badge')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-status')));
    assert.deepEqual(badges, ['fail', 'fail', 'pass', 'fail']);
    const rationale = view.locator('.turn[data-turn="4"] .rationale', {
      hasText: 'Promises a date for the refund.',
    });
    assert.equal(await rationale.isVisible(), true);
    const marks = await view.locator('.turn[data-turn="4"] mark').allTextContents();
    assert.ok(marks.join('').includes('will be in your account by Friday at the latest'));
    await workbench.until(
      'the focus on turn 4',
      () => view.evaluate('document.activeElement.dataset.turn'),
      (turn) => turn === '4',
    );
  });

  it('goes from a turn in the view to its line in the file', async () => {
    const view = await workbench.frameWith('.turn[data-turn="7"]');
    await view.locator('.turn[data-turn="7"] button.link').click();
    await workbench.until(
      'the cursor on line 56',
      () => workbench.window.active(),
      (editor) => editor?.path === shopfast && editor.line === 56,
    );
  });

  it('keeps the view after a reload of the window', async () => {
    await workbench.reload();
    const view = await workbench.frameWith('.turn[data-turn="8"]');
    assert.equal(await view.locator('h1').textContent(), 'frustrated-customer');
  });

  it("underlines a typo in a turn's key as it is typed", async () => {
    await workbench.window.open(retention);
    await workbench.window.served(retention);
    await workbench.putCursor(retention, 44, 11);
    await workbench.press('Backspace');
    await workbench.page.keyboard.type('r');
    const problems = await workbench.until(
      'the problem',
      () => workbench.window.problems(retention),
      (all) => all.some(({ message }) => message.includes('Did you mean "user"')),
    );
    assert.ok(
      problems.some(({ line, column }) => line === 44 && column === 9),
      JSON.stringify(problems),
    );
    await workbench.until(
      'the underline',
      () => workbench.editor().locator('.squiggly-error').count(),
      (count) => count > 0,
    );
    await workbench.screenshot('typo');
    await workbench.window.command('workbench.action.files.revert');
  });

  it('updates the Testing panel if files are created, changed, moved, or deleted', async () => {
    await workbench.showTests();
    const suite = (id: string) =>
      `cases:\n  - id: ${id}\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: contains, value: Hello}]\n`;
    const file = join(folder, 'new.eval.yaml');
    const written = (what: string, id: string, wanted: (rows: string[]) => boolean) => {
      let looks = 0;
      const look = async () => {
        // Parcel's watcher, which VS Code uses, can lose an event, so the file is written again every few seconds.
        if (looks % 100 === 0) await writeFile(file, suite(id));
        looks += 1;
        return workbench.testRows();
      };
      return workbench.until(what, look, wanted);
    };
    await written('the new file', 'first', (all) => has(all, 'new.eval.yaml'));
    await workbench.unfoldTests();
    await rows('its case', (all) => has(all, 'first'));
    const isChanged = (all: string[]) => has(all, 'second') && !has(all, 'first');
    await written('the changed case', 'second', isChanged);
    await rename(file, join(folder, 'moved.eval.yaml'));
    await rows(
      'the moved file',
      (all) => has(all, 'moved.eval.yaml') && !has(all, 'new.eval.yaml'),
    );
    await rm(join(folder, 'moved.eval.yaml'));
    await rows('the file gone', (all) => !has(all, 'moved.eval.yaml'));
  });

  it('shows that a second run is queued, and stops if canceled', async () => {
    await workbench.showTests();
    await workbench.unfoldTests();
    await workbench.window.open(slow);
    await workbench.window.served(slow);
    await workbench.clickLens('Run', slow, 3);
    await rows('the first run', (all) => has(all, 'sleeper', 'Running'));
    await workbench.clickLens('Run', slow, 4);
    await rows('the second run, queued', (all) => has(all, 'waiting', 'Queued'));
    await workbench.window.command('testing.cancelRun');
    await rows(
      'nothing running after the cancel',
      (all) => !all.some((row) => /Running|Queued/.test(row)),
    );
  });

  it('reports a broken case at its location and runs the others', async () => {
    const text = await readFile(shopfast, 'utf8');
    const broken = text.replace('  - id: incomplete\n', '  - id: incomplete\n    thresold: 1\n');
    await writeFile(shopfast, broken);
    await workbench.window.open(shopfast);
    await workbench.until(
      'the changed text in the editor',
      () => workbench.window.textOf(shopfast),
      (shown) => shown === broken,
    );
    await workbench.window.command('turnlight.runFile');
    await rows(
      'the broken case errored',
      (all) => has(all, 'incomplete', 'Errored') && has(all, 'order-status', 'Passed'),
    );
  });

  /** Complete lines of each run's record. The last run comes last. */
  async function records(): Promise<RecordLine[][]> {
    const found = await recordsOf(folder);
    const texts = await Promise.all(found.map((path) => readFile(path, 'utf8')));
    return texts.map((text) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    );
  }
});

function has(rows: readonly string[], name: string, state = ''): boolean {
  return rows.some((row) => row.includes(name) && row.includes(state));
}
