import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';

const SUITE = `models:
  local: {provider: ollama, model: qwen3, temperatur: 0}
cases:
  - id: greets
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;

describe('the documentation in the real VS Code', { timeout: 600_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-docs-')));
    await writeFile(join(folder, 'a.eval.yaml'), SUITE);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(join(folder, 'a.eval.yaml'), 2);
    await workbench.window.served(join(folder, 'a.eval.yaml'));
  });

  afterEach(async () => {
    await workbench.window.open(join(folder, 'a.eval.yaml'), 2);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Waits until the preview shows a heading in its upper half. */
  async function previewShows(heading: string) {
    const frame = await workbench.frameWith(heading);
    await workbench.until(
      `${heading} in view`,
      async () => (await frame.locator(heading).boundingBox())?.y ?? -1,
      (y) => y >= 0 && y < 500,
    );
    return frame;
  }

  it('opens from the command palette, and its links lead to other pages', async () => {
    await workbench.window.command('turnlight.openDocumentation');
    const frame = await previewShows('#turnlights-documentation');
    await workbench.screenshot('docs-contents');
    await frame.getByText('Your first eval').click();
    await previewShows('#your-first-eval');
  });

  it('opens at the heading about a key, from its hover', async () => {
    const hover = await workbench.hover('provider', (shown) => shown.includes('Documentation'));
    await workbench.screenshot('docs-hover');
    await hover.getByText('Documentation').click();
    await previewShows('#ollama');
    await workbench.screenshot('docs-key');
  });

  it('opens at the heading about a problem, from its code', async () => {
    const hover = await workbench.hover('temperatur', (shown) => shown.includes('unknown-key'));
    await workbench.screenshot('docs-problem');
    await hover.getByText('unknown-key').click();
    await previewShows('#ollama');
  });
});
