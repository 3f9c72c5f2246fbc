import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { buildVerdict, judgedLine, writeRun } from '../support/comparing.ts';
import { THEMES } from '../support/host/themes.ts';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { paleTexts } from '../support/view/contrast.ts';
import { assertSpoken } from '../support/view/spoken.ts';

describeLong('trends in the real VS Code', () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-trends-')));
    await writeFile(
      join(folder, 'suite.eval.yaml'),
      'cases:\n  - id: a\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [{type: max-turns, max: 4}]\n',
    );
    for (const score of [1, 0, 1, 0.5]) {
      const line = judgedLine('a', [buildVerdict(score)], { suite: 'suite.eval.yaml', score });
      await writeRun(folder, { lines: [line], commit: `${score}`.repeat(8) });
    }
    workbench = await Workbench.open({ folder, trusted: true });
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [theme, name, drawn] of THEMES) {
    it(`have enough contrast in ${name}, and open a run with a key`, async () => {
      await workbench.window.configure('workbench.colorTheme', theme);
      await workbench.window.command('workbench.action.closeAllEditors');
      await workbench.window.command('turnlight.showTrends');
      const view = await workbench.frameWith(`body.${drawn} .chart .dot`);
      assert.equal(await view.locator('figure').first().locator('.dot').count(), 4);
      await workbench.screenshot(`trends-${name}`);
      assert.deepEqual(await paleTexts(view), []);
      await assertSpoken(view, [
        'columnheader "Pass rate"',
        'columnheader "Mean score"',
        'suite.eval.yaml 11111111 100% 1.00 – 1.2 s 1 case"',
        'suite.eval.yaml 00000000 0% 0.00 – 1.2 s 1 case"',
      ]);
      await view.locator('tbody [role=link]').first().press('Enter');
      const results = await workbench.frameWith('[data-page="results"] .grid .body .row');
      assert.equal(await results.locator('.body [role=rowheader]').innerText(), 'a');
    });
  }

  it('return after a reload of the window', async () => {
    await workbench.window.command('workbench.action.closeAllEditors');
    await workbench.window.command('turnlight.showTrends');
    await workbench.frameWith('.chart .dot');
    await workbench.reload();
    const view = await workbench.frameWith('.chart .dot');
    assert.equal(await view.locator('tbody tr').count(), 4);
  });
});
