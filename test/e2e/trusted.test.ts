import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

describe('a trusted workspace in the real VS Code', { timeout: 300_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-e2e-'));
    // The Testing panel draws no more rows than it has room for.
    for (const name of ['shopfast', 'context-retention']) {
      await cp(join(CHECKOUT, 'examples', name), join(folder, name), { recursive: true });
    }
    await writeFile(
      join(folder, 'slow.mjs'),
      'export default () => new Promise((done) => setTimeout(() => done("x"), 60_000));\n',
    );
    await writeFile(
      join(folder, 'slow.eval.yaml'),
      'target: {type: module, path: ./slow.mjs}\ncases:\n  - {id: sleeper, turns: [Hi], assert: [{type: contains, value: x}]}\n  - {id: waiting, turns: [Hi], assert: [{type: contains, value: x}]}\n',
    );
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const lenses = () => workbench.editor().locator('.codelens-decoration a').count();
  const rows = (wanted: (rows: string[]) => boolean, what: string) =>
    workbench.until(() => workbench.testRows(), wanted, what);

  it('lists the cases in the Testing panel', async () => {
    await workbench.command('Testing: Focus on Test Explorer View');
    await rows((all) => all.some((row) => row.startsWith('shopfast')), 'the file');
    await workbench.unfoldTests();
    await rows(
      (all) => ['order-status', 'frustrated-customer', 'incomplete'].every((id) => has(all, id)),
      'the cases',
    );
  });

  it('fills the Testing panel with pass and fail when Run all is clicked above the file', async () => {
    await workbench.openFile('shopfast.eval.yaml');
    await workbench.goTo(1);
    await workbench.until(lenses, (count) => count >= 1, 'code lenses');
    await workbench.clickLens('Run all');
    const seen = await rows(
      (all) => has(all, 'incomplete', 'Failed') && has(all, 'order-status', 'Passed'),
      'outcomes',
    );
    assert.ok(has(seen, 'frustrated-customer', 'Failed'));
    await workbench.screenshot('testing-panel');
  });

  it('runs one case when Run is clicked above it', async () => {
    await workbench.goTo(49);
    await workbench.until(lenses, (count) => count >= 2, 'code lenses');
    await workbench.clickLens('Run', 1);
    await rows((all) => has(all, 'frustrated-customer', 'Failed'), 'the outcome');
  });

  it('keeps its records where the command line does, from whatever folder that is run', async () => {
    const args = [join(CHECKOUT, 'dist/cli.js'), 'run', 'shopfast', '--case', 'order-status'];
    await promisify(execFile)(process.execPath, args, { cwd: folder });
    const records = join(folder, 'shopfast/.turnlight/runs');
    const sources = new Set<unknown>();
    for (const name of await readdir(records)) {
      const [run = ''] = (await readFile(join(records, name), 'utf8')).split('\n');
      sources.add(JSON.parse(run).options.from);
    }
    assert.deepEqual(sources, new Set(['editor', undefined]));
  });

  it('shows score, rationale and quote when a failed turn is hovered', async () => {
    await workbench.goTo(54, 14);
    const text = await workbench.hoverText();
    assert.match(text, /Turn 4: failed/);
    assert.match(text, /Guidelines — failed, 0\.00/);
    assert.match(text, /Promises a date for the refund/);
    assert.match(text, /will be in your account by Friday/);
    await workbench.screenshot('hover');
    await workbench.page.keyboard.press('Escape');
  });

  it('opens the conversation at the turn under the cursor, a badge on every assistant turn', async () => {
    await workbench.command('Turnlight: Open Conversation');
    const view = await workbench.frameWith('.turn[data-turn="4"]');
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
    const focused = await view.evaluate('document.activeElement.dataset.turn');
    assert.equal(focused, '4');
  });

  it('goes from a turn of the view to its line in the file', async () => {
    const view = await workbench.frameWith('.turn[data-turn="7"]');
    await view.locator('.turn[data-turn="7"] button.link').click();
    await workbench.until(
      () => workbench.page.locator('.statusbar-item', { hasText: /Ln 56/ }).count(),
      (count) => count > 0,
      'the cursor on line 56',
    );
  });

  for (const [theme, name] of [
    ['Default Light Modern', 'light'],
    ['Default Dark Modern', 'dark'],
    ['Default High Contrast', 'high-contrast'],
  ] as const) {
    it(`is drawn in ${name}`, async () => {
      await workbench.theme(theme);
      const view = await workbench.frameWith('.turn .badge');
      await view.locator('.turn[data-turn="4"]').scrollIntoViewIfNeeded();
      await workbench.screenshot(`view-${name}`);
      const same = await view.evaluate(
        'getComputedStyle(document.body).color === getComputedStyle(document.body).backgroundColor',
      );
      assert.equal(same, false);
    });
  }

  it('keeps the view over a reload of the window', async () => {
    await workbench.reload();
    const view = await workbench.frameWith('.turn[data-turn="8"]');
    assert.equal(await view.locator('h1').textContent(), 'frustrated-customer');
  });

  it("underlines a typo in a turn's key on its line while it is typed", async () => {
    await workbench.openFile('context-retention.eval.yaml');
    await workbench.goTo(44, 11);
    await workbench.page.keyboard.press('Backspace');
    await workbench.page.keyboard.type('r');
    await workbench.until(
      () => workbench.editor().locator('.squiggly-error').count(),
      (count) => count > 0,
      'the underline',
    );
    await workbench.command('View: Toggle Problems');
    const problem = await workbench.until(
      () => workbench.page.locator('.markers-panel .monaco-list-row').allTextContents(),
      (all) => all.some((row) => row.includes('Did you mean "user"')),
      'the problem',
    );
    assert.ok(
      problem.some((row) => /Ln 44, Col 9/.test(row)),
      problem.join('\n'),
    );
    await workbench.screenshot('typo');
    await workbench.command('File: Revert File');
  });

  it('keeps the Testing panel in step when files come, change, move and go', async () => {
    await workbench.command('Testing: Focus on Test Explorer View');
    const suite = (id: string) =>
      `cases:\n  - id: ${id}\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: contains, value: Hello}]\n`;
    const file = join(folder, 'new.eval.yaml');
    await writeFile(file, suite('first'));
    await rows((all) => has(all, 'new.eval.yaml'), 'the new file');
    await workbench.unfoldTests();
    await rows((all) => has(all, 'first'), 'its case');
    await writeFile(file, suite('second'));
    await rows((all) => has(all, 'second') && !has(all, 'first'), 'the changed case');
    await rename(file, join(folder, 'moved.eval.yaml'));
    await rows(
      (all) => has(all, 'moved.eval.yaml') && !has(all, 'new.eval.yaml'),
      'the moved file',
    );
    await rm(join(folder, 'moved.eval.yaml'));
    await rows((all) => !has(all, 'moved.eval.yaml'), 'the file gone');
  });

  it('queues a second run where it can be seen, and stops when it is cancelled', async () => {
    await workbench.openFile('slow.eval.yaml');
    await workbench.until(lenses, (count) => count >= 3, 'code lenses');
    await workbench.command('Testing: Focus on Test Explorer View');
    await workbench.unfoldTests();
    await workbench.clickLens('Run', 0);
    await rows((all) => has(all, 'sleeper', 'Running'), 'the first run');
    await workbench.clickLens('Run', 1);
    await rows((all) => has(all, 'waiting', 'Queued'), 'the second run, queued');
    await workbench.command('Test: Cancel Test Run');
    await rows(
      (all) => !all.some((row) => /Running|Queued/.test(row)),
      'nothing running after the cancel',
    );
  });

  it('errors a broken case at its place and runs the others', async () => {
    const text = await readFile(join(folder, 'shopfast/shopfast.eval.yaml'), 'utf8');
    await writeFile(
      join(folder, 'shopfast/shopfast.eval.yaml'),
      text.replace('  - id: incomplete\n', '  - id: incomplete\n    thresold: 1\n'),
    );
    await workbench.openFile('shopfast.eval.yaml');
    await workbench.until(lenses, (count) => count >= 2, 'code lenses');
    await workbench.command('Turnlight: Run All Cases of File');
    await rows(
      (all) => has(all, 'incomplete', 'Errored') && has(all, 'order-status', 'Passed'),
      'the broken case errored',
    );
  });
});

function has(rows: readonly string[], name: string, state = ''): boolean {
  return rows.some((row) => row.includes(name) && row.includes(state));
}
