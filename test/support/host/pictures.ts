// `npm run docs:pictures`: takes the walkthrough's pictures in a real VS Code.
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { CHECKOUT } from './install.ts';
import { Workbench } from './workbench.ts';

const MEDIA = join(CHECKOUT, 'media');

const WIDTH = 900;
const HEIGHT = 560;

it('takes the pictures of the walkthrough', { timeout: 600_000 }, async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-pictures-')));
  after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(MEDIA, { recursive: true });
  await cp(join(CHECKOUT, 'examples/shopfast'), folder, { recursive: true });
  const workbench = await Workbench.open({ folder, trusted: true });
  const { page, window } = workbench;
  await page.setViewportSize({ width: WIDTH, height: HEIGHT });
  // The pictures ship with the extension, so they are WebP files, a third of the size. Playwright doesn't support WebP;
  // the DevTools protocol does.
  await page.addStyleTag({ content: '* { animation: none !important }' });
  const browser = await page.context().newCDPSession(page);
  const take = async (name: string) => {
    const { data } = await browser.send('Page.captureScreenshot', { format: 'webp', quality: 60 });
    await writeFile(join(MEDIA, `${name}.webp`), data, 'base64');
  };
  const suite = join(folder, 'shopfast.eval.yaml');

  await window.open(suite);
  await window.served(suite);
  await workbench.clickLens('Run all', suite, 1);
  await page.locator('.statusbar-item').getByText('Evals 2 failed').waitFor();
  await workbench.showTests();
  await workbench.unfoldTests();
  await window.open(suite, 49);
  await page.getByText('turn 8 ✗ 0.50').waitFor();
  await take('run');

  await window.command('workbench.action.closeSidebar');
  await window.open(suite, 54);
  await workbench.hover('You said that last time', (shown) => shown.includes('Turn 4: failed'));
  await take('verdict');

  await page.mouse.move(0, 0);
  await window.open(suite, 54, 14);
  await window.command('turnlight.openConversation');
  await workbench.frameWith('.turn[data-turn="4"] .badge');
  await take('conversation');

  await window.command('workbench.action.closeAllEditors');
  await window.command('turnlight.runs.focus');
  await page.locator('.monaco-list-row[aria-label*="passed"]').first().waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await workbench.frameWith('.grid .body .row');
  await page.mouse.move(0, 0);
  await take('results');

  await window.command('workbench.action.closeSidebar');
  await window.command('workbench.action.closeAllEditors');
  window.command('turnlight.newEvalFile').catch(() => {});
  const input = page.locator('.quick-input-widget:visible');
  await input.getByText('(1 of 3)').waitFor();
  await page.keyboard.press('Enter');
  await input.getByText('(2 of 3)').waitFor();
  await take('new');
  await page.keyboard.press('Enter');
  await input.getByText('(3 of 3)').waitFor();
  await take('judge');
  await workbench.close();
});
