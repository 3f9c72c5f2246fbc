import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { describeLong } from '../support/long.ts';
import { gone, STUBBORN, startedIn } from '../support/stubborn.ts';

describeLong('an editor that ends in the middle of a run', () => {
  it('stops everything that the run started', async (t) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-e2e-')));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const suite = join(folder, 'stubborn.eval.yaml');
    await writeFile(join(folder, 'bot.mjs'), `${STUBBORN}export default () => { for (;;); };\n`);
    await writeFile(
      suite,
      'target: {type: module, path: ./bot.mjs}\ncases:\n  - {id: a, turns: [Hi], assert: [{type: contains, value: x}]}\n',
    );
    const workbench = await Workbench.open({ folder, trusted: true });
    t.after(() => workbench.close());
    await workbench.clickLens('Run all', suite, 1);
    const started = await startedIn(folder);
    // The call never returns, since it kills its own process.
    workbench.window.evaluate(() => process.kill(process.pid, 'SIGKILL')).catch(() => {});
    await gone(started);
  });
});
