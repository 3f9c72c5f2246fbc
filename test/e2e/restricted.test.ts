import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { DEFAULT_TRACES_PORT } from '../../src/runner/runOptions.ts';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

describe('Restricted Mode in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let path: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-e2e-')));
    path = join(folder, 'shopfast.eval.yaml');
    await cp(join(CHECKOUT, 'examples/shopfast'), folder, { recursive: true });
    workbench = await Workbench.open({ folder, trusted: false });
    await workbench.window.open(path);
    await workbench.window.served(path);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps the editing features', async () => {
    assert.deepEqual(await workbench.window.problems(path), []);
    await workbench.putCursor(path, 42, 10);
    await workbench.page.keyboard.type('z');
    await workbench.until(
      'the problem, underlined',
      () => workbench.editor().locator('.squiggly-error').count(),
      (count) => count > 0,
    );
    await workbench.window.command('workbench.action.files.revert');
  });

  it('refuses to run and says why', async () => {
    const notice = workbench.page.locator('.notification-toast', {
      hasText: 'the workspace must be trusted',
    });
    await workbench.clickLens('Run all', path, 1);
    await notice.getByText('Manage Workspace Trust').waitFor();
    await workbench.screenshot('restricted');
    assert.equal(existsSync(join(folder, '.turnlight')), false);
  });

  it('refuses to talk to a target, too', async () => {
    await workbench.window.command('notifications.clearAll');
    await workbench.window.command('turnlight.talk');
    const notice = workbench.page.locator('.notification-toast', {
      hasText: 'the workspace must be trusted',
    });
    await notice.getByText('Manage Workspace Trust').waitFor();
    assert.equal(await workbench.page.locator('.quick-input-widget:visible').count(), 0);
  });

  it('receives no traces, and says why', async () => {
    const isListening = () =>
      fetch(`http://127.0.0.1:${DEFAULT_TRACES_PORT}/v1/traces`).then(
        () => true,
        () => false,
      );
    // Another window may receive traces.
    const before = await isListening();
    await workbench.window.command('notifications.clearAll');
    await workbench.window.command('turnlight.receiveTraces');
    const notice = workbench.page.locator('.notification-toast', {
      hasText: "Receiving traces uses this workspace's settings, so the workspace must be trusted.",
    });
    await notice.getByText('Manage Workspace Trust').waitFor();
    await workbench.screenshot('restricted-traces');
    assert.equal(await isListening(), before);
    assert.equal(
      await workbench.page.locator('.statusbar').getByText('Receiving traces').count(),
      0,
    );
  });
});
