import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { beginEvents, startService } from '../support/service.ts';

const BEGINNING =
  'Your order was shipped yesterday, and it comes by train to the town where you live.';
const END = ' Anything else?';

describe('a target that streams its reply', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;
  let stopService: () => Promise<void>;
  /** Makes the service send the rest of its reply. */
  let goOn = () => {};

  before(async () => {
    const stopped = {
      after: (end: () => Promise<void>) => {
        stopService = end;
      },
    };
    const { url } = await startService(stopped, async (_request, response) => {
      const send = beginEvents(response);
      for (const word of BEGINNING.split(/(?= )/)) send({ text: word });
      await new Promise<void>((done) => {
        goOn = done;
      });
      send({ text: END });
      response.end();
    });
    folder = await mkdtemp(join(tmpdir(), 'turnlight-streaming-'));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(
      suite,
      `target: { type: http, url: "${url}", reply: /text }\ncases:\n  - id: order\n    turns: [Where is my order?]\n    assert: [{ type: contains, value: shipped }]\n`,
    );
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    goOn();
    await workbench?.close();
    await stopService?.();
    await rm(folder, { recursive: true, force: true });
  });

  it('appears in the conversation view and in Test Results as it replies', async () => {
    await workbench.window.open(suite, 3);
    await workbench.window.served(suite);
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
    const turn = view.locator('[data-turn="2"]');
    await turn.getByText('to the town where you live.').waitFor();
    assert.equal(await turn.locator('.waiting').textContent(), 'Replying …');
    assert.doesNotMatch((await turn.textContent()) ?? '', /Anything else/);
    await workbench.window.command('testing.showMostRecentOutput');
    await workbench.until(
      'the first line of the reply',
      () => workbench.page.locator('.test-output-peek-message-container .xterm-rows').innerText(),
      (text) => /Your\sorder\swas\sshipped/.test(text) && !/passed/.test(text),
    );
    await workbench.screenshot('streaming');
    goOn();
    await turn.getByText('Anything else?').waitFor();
    await workbench.until(
      'the end of the case',
      () => workbench.page.locator('.test-output-peek-message-container .xterm-rows').innerText(),
      (text) => /Anything\selse\?/.test(text) && /✓\sorder/.test(text),
    );
    await workbench.screenshot('streamed');
  });
});
