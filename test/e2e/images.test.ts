import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Frame } from 'playwright-core';
import { CHECKOUT } from '../support/host/install.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { PNG } from '../support/images.ts';
import { describeLong } from '../support/long.ts';
import { paleTexts } from '../support/view/contrast.ts';

const SUITE = `target: { type: module, path: ./agent.mjs }

cases:
  - id: pictures
    history:
      - user:
          - { type: text, text: Which color is this? }
          - { type: image, data: ${PNG.toString('base64')}, alt: A red square }
      - assistant: It is red.
    turns:
      - user:
          - { type: text, text: And what is this? }
          - { type: image, path: photo.webp, alt: A diagram }
    assert: [{ type: contains, value: diagram, at: last }]
`;

const AGENT = 'export default () => "It is a diagram.";\n';

describeLong('images in the real VS Code', () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-images-')));
    await writeFile(join(folder, 'shop.eval.yaml'), SUITE);
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    await copyFile(join(CHECKOUT, 'media/judge.webp'), join(folder, 'photo.webp'));
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the conversation again. */
  async function open(): Promise<Frame> {
    await workbench.window.command('workbench.action.closeAllEditors');
    await workbench.until(
      'no page',
      () => workbench.page.locator('iframe.webview').count(),
      (count) => count === 0,
    );
    await workbench.window.open(join(folder, 'shop.eval.yaml'), 4);
    await workbench.window.command('turnlight.openConversation');
    return workbench.frameWith('.turn .images');
  }

  /** Waits for the images in the view, by their names. */
  const images = (view: Frame, ...names: readonly string[]) =>
    workbench.until(
      'the images',
      () =>
        view.evaluate<string[]>(
          `[...document.querySelectorAll('.image img')].filter((one) => one.naturalWidth > 0).map(({ alt }) => alt)`,
        ),
      (shown) => shown.join() === names.join(),
    );

  it('appear in the view before a run', async () => {
    await images(await open(), 'Image: A red square');
  });

  it('appear after a run, from the stored files if the named one is gone', async () => {
    const view = await open();
    await view.getByRole('button', { name: 'Run', exact: true }).click();
    await view.locator('h1 + .badge').getByText('passed').waitFor();
    await images(view, 'Image: A red square', 'Image: A diagram');
    assert.equal((await readdir(join(folder, '.turnlight/images'))).length, 2);
    await rm(join(folder, 'photo.webp'));
    await images(await open(), 'Image: A red square', 'Image: A diagram');
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`have enough contrast around them in ${name}`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      const view = await workbench.frameWith(`body.${drawn} .turn .images`);
      await images(view, 'Image: A red square', 'Image: A diagram');
      await view.locator('.image > summary').last().focus();
      await workbench.screenshot(`images-${name}`);
      assert.deepEqual(await paleTexts(view), []);
    });
  }

  it('are enlarged by a click', async () => {
    await workbench.window.configure('workbench.colorTheme', undefined);
    const view = await workbench.frameWith('.turn .images');
    await view.getByRole('img', { name: 'A red square' }).click();
    const box = await view.getByRole('img', { name: 'A red square' }).boundingBox();
    assert.ok(box && box.height > 300);
    await workbench.screenshot('images-enlarged');
  });

  it('appear in the history of a talk', async () => {
    await workbench.window.command('workbench.action.closeAllEditors');
    await copyFile(join(CHECKOUT, 'media/judge.webp'), join(folder, 'photo.webp'));
    await workbench.clickLens('Talk', join(folder, 'shop.eval.yaml'), 4);
    await images(await workbench.frameWith('.talk .turn .images'), 'Image: A red square');
    await workbench.screenshot('images-talk');
    await rm(join(folder, 'photo.webp'));
  });

  it('are named if they are nowhere', async () => {
    await rm(join(folder, '.turnlight/images'), { recursive: true });
    const view = await open();
    const words = view.getByText('⚠ The image is missing: its file was removed or changed.');
    await words.last().waitFor();
    assert.equal(await words.count(), 2);
    await workbench.screenshot('images-missing');
  });
});
