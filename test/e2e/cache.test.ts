import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { type ModelServer, startModelServer } from '../support/modelServer/server.ts';

describeLong('cached answers in the editor', () => {
  let folder: string;
  let server: ModelServer;
  let workbench: Workbench;

  before(async () => {
    server = await startModelServer((_body, index) => `Hello number ${index + 1}!`);
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-cache-')));
    const suite = join(folder, 'suite.eval.yaml');
    const model = `{provider: openai, model: m, base_url: "${server.baseUrl}"}`;
    const text = `target: {type: chat, model: ${model}}\ncases:\n  - id: greets\n    turns: [Hi]\n    assert: [{type: contains, value: Hello}]\n`;
    await writeFile(suite, text);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 3);
    await workbench.window.served(suite);
    await workbench.window.command('turnlight.openConversation');
  });

  after(async () => {
    await workbench?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const said = async (words: string, facts: RegExp) => {
    const view = await workbench.frameWith('.facts');
    await view.locator('[data-turn="2"]').getByText(words).waitFor();
    await workbench.until(
      String(facts),
      () => view.locator('.facts').innerText(),
      (text) => facts.test(text),
    );
    return (await view.locator('[data-turn="2"] header').innerText()).includes('from the cache');
  };
  const run = async () => {
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
  };

  it('are reused, as the view shows, and requested again by the profile Run fresh', async () => {
    await run();
    assert.equal(await said('Hello number 1!', /1 request /), false);
    await run();
    assert.equal(await said('Hello number 1!', /1 of 1 answer from the cache/), true);
    await workbench.screenshot('view-from-the-cache');
    assert.equal(server.requests.length, 1);

    await workbench.showTests();
    await workbench.unfoldTests();
    const row = workbench.page.locator('.test-explorer .monaco-list-row[aria-label^="greets "]');
    await row.click({ button: 'right' });
    await workbench.chooseInMenu(/Using Profile/);
    await workbench.page.locator('.quick-input-list').getByText('Run fresh').click();
    assert.equal(await said('Hello number 2!', /1 request /), false);
    assert.equal(server.requests.length, 2);

    await run();
    assert.equal(await said('Hello number 2!', /1 of 1 answer from the cache/), true);
    assert.equal(server.requests.length, 2);
  });

  it('are not used if the setting is off', async () => {
    await workbench.window.configure('turnlight.cache', false);
    await run();
    assert.equal(await said('Hello number 3!', /1 request /), false);
    await workbench.window.configure('turnlight.cache', undefined);
  });
});
