import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/simulated');

describeLong('a simulated conversation in the real VS Code', () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-simulated-'));
    await cp(EXAMPLE, folder, { recursive: true });
    suite = join(folder, 'simulated.eval.yaml');
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs from its recording and shows why it ended', async () => {
    await workbench.window.open(suite, 20);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await view.locator('h1 + .badge').waitFor();
    const facts = (await view.locator('.facts').textContent()) ?? '';
    assert.match(facts, /^simulated conversation · goal reached · /);
    assert.equal(await view.locator('.turn').count(), 6);
    await workbench.screenshot('view-simulated');
  });

  it('is saved as a scripted case that produces the same conversation', async () => {
    const view = await workbench.frameWith('.facts');
    const said = await view.locator('.turn .said').allTextContents();
    await view.getByRole('button', { name: 'Save as case' }).click();
    const choice = workbench.page.locator('.quick-input-list .monaco-list-row').first();
    await choice.waitFor();
    await workbench.screenshot('view-simulated-save');
    await choice.click();
    await workbench.page.getByText('return-shoes-scripted').first().waitFor();
    await workbench.screenshot('view-simulated-saved');
    await workbench.window.command('workbench.action.files.save');
    const saved = [pathToFileURL(suite).href, 'return-shoes-scripted'];
    await workbench.window.command('turnlight.runCase', ...saved);
    await workbench.window.command('turnlight.openConversation', ...saved);
    const scripted = await workbench.frameWith('h1:has-text("return-shoes-scripted")');
    await scripted.locator('h1 + .badge').waitFor();
    assert.deepEqual(await scripted.locator('.turn .said').allTextContents(), said);
  });
});
