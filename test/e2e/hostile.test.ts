import assert from 'node:assert/strict';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from '../support/host/install.ts';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';

describeLong('a hostile transcript in the real VS Code', () => {
  let folder: string;
  let path: string;
  let workbench: Workbench;
  const asked: string[] = [];

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-e2e-')));
    path = join(folder, 'hostile.eval.yaml');
    await cp(join(CHECKOUT, 'test/fixtures/hostile'), folder, { recursive: true });
    workbench = await Workbench.open({ folder, trusted: true });
    workbench.page.on('request', (request) => asked.push(request.url()));
    await workbench.window.open(path);
    await workbench.window.served(path);
    await workbench.window.command('turnlight.runFile');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('stays text in the conversation view', async () => {
    const uri = pathToFileURL(path).toString();
    await workbench.window.command('turnlight.openConversation', uri, 'hostile');
    const view = await workbench.frameWith('.turn[data-turn="4"] .badge[data-status="pass"]');
    const text = (await view.locator('.conversation').textContent()) ?? '';
    for (const words of [
      '<img src=',
      '</script><script>',
      'javascript:globalThis',
      '<style>',
      '<svg',
    ]) {
      assert.ok(text.includes(words), words);
    }
    for (const tag of ['img', 'script', 'style', 'svg', 'a', 'iframe']) {
      const inside = `.conversation ${tag}, .assertions ${tag}, h1 ${tag}, .description ${tag}`;
      assert.equal(await view.locator(inside).count(), 0, tag);
    }
    await workbench.screenshot('hostile-view');
  });

  it('stays text in a hover', async () => {
    await workbench.window.open(path, 7);
    const hover = await workbench.hover('assistant', (shown) => shown.includes('Turn 2: failed'));
    assert.match((await hover.allInnerTexts()).join(), /<img src=x onerror=/);
    assert.equal(await hover.locator('img, script, svg').count(), 0);
    const links = await hover
      .locator('a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-href')?.split('?')[0]));
    assert.deepEqual(links, ['command:turnlight.openDocumentation'], 'only to the documentation');
  });

  it('runs and requests nothing', async () => {
    for (const frame of workbench.page.frames()) {
      assert.equal(await frame.evaluate('globalThis.hacked').catch(() => undefined), undefined);
    }
    assert.deepEqual(
      asked.filter((url) => url.includes('127.0.0.1:9/')),
      [],
    );
  });
});
