import assert from 'node:assert/strict';
import { cp, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../examples/next-step');

describeLong("the judge's request in the editor", () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-saw-')));
    await cp(EXAMPLE, folder, { recursive: true });
    const suite = join(folder, 'next-step.eval.yaml');
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 34);
    await workbench.window.served(suite);
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('opens as text from the verdict, with the examples and the answer', async () => {
    await workbench.window.command('turnlight.openConversation');
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
    await view.locator('.badge[data-status="fail"]').first().waitFor();
    const saw = view.getByRole('link', { name: 'What the judge saw for Next step' });
    await saw.focus();
    await workbench.screenshot('judge-saw-link');
    await saw.press('Enter');
    const text = await workbench.until(
      'the text',
      async () => {
        const lines = await workbench.page.locator('.view-lines').last().textContent();
        return lines?.replace(/\u00a0/g, ' ');
      },
      (lines) => lines?.includes('exactly what was sent') ?? false,
    );
    assert.match(text ?? '', /What the judge saw for “Next step”/);
    const wraps = () =>
      workbench.window.evaluate((vscode) => {
        const document = vscode.window.activeTextEditor?.document;
        return vscode.workspace.getConfiguration('editor', document).get<string>('wordWrap');
      });
    await workbench.until('long lines wrapped', wraps, (how) => how === 'on');
    await workbench.screenshot('judge-saw');
    // The conversation in the other editor group is unchanged.
    await workbench.window.command('workbench.action.focusSecondEditorGroup');
    await workbench.frameFocusedOn('[aria-label="What the judge saw for Next step"]');
  });
});
