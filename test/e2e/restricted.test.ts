import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';

describe('Restricted Mode in the real VS Code', { timeout: 200_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-e2e-'));
    await cp(join(CHECKOUT, 'examples/shopfast'), folder, { recursive: true });
    workbench = await Workbench.open({ folder, trusted: false });
    await workbench.openFile('shopfast.eval.yaml');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('still helps with editing', async () => {
    await workbench.until(
      () => workbench.editor().locator('.codelens-decoration a').count(),
      (count) => count >= 3,
      'code lenses',
    );
    await workbench.goTo(42, 10);
    await workbench.page.keyboard.type('z');
    await workbench.until(
      () => workbench.editor().locator('.squiggly-error').count(),
      (count) => count > 0,
      'the underline',
    );
    await workbench.command('File: Revert File');
  });

  it('refuses to run and says why', async () => {
    await workbench.goTo(1);
    await workbench.clickLens('Run all');
    const notice = await workbench.until(
      () => workbench.page.locator('.notification-toast').allTextContents(),
      (all) => all.some((text) => text.includes('needs a trusted workspace')),
      'the reason',
    );
    assert.ok(notice.some((text) => text.includes('Manage Workspace Trust')));
    await workbench.screenshot('restricted');
    assert.equal(existsSync(join(folder, '.turnlight')), false);
  });
});
