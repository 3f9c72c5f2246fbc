import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';

const SUITE = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: alpha, turns: [Hi], assert: [{type: contains, value: x}]}
  - {id: beta, turns: [Hi], assert: [{type: contains, value: x}]}
`;

const says = (reply: string) => `export default () => ${JSON.stringify(reply)};\n`;

const ENDLESS = 'export default () => new Promise((done) => setTimeout(done, 3_600_000));\n';

describe('a continuous run', { timeout: 300_000 }, () => {
  let folder: string;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-continuous-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(suite, SUITE);
    await writeFile(join(folder, 'agent.mjs'), says('x'));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite);
    await workbench.window.served(suite);
    await workbench.showTests();
    await workbench.unfoldTests();
    await workbench.window.command('testing.startContinuousRun');
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function save(text: string): Promise<void> {
    await workbench.window.write(suite, text, 0);
    await workbench.window.command('workbench.action.files.save');
  }

  it('runs the case that a save changed, and no other', async () => {
    await workbench.testsShow('nothing run yet', 'alpha (Not yet run)', 'beta (Not yet run)');
    // The extension needs a moment to learn what the cases are before the first save.
    await workbench.page.waitForTimeout(2_000);
    await save(SUITE.replace('value: x', 'value: z'));
    await workbench.testsShow('the outcome of the one', 'alpha (Failed)', 'beta (Not yet run)');
    await workbench.screenshot('continuous');
    await save(`# Everything moves down.\n${SUITE}`);
    await workbench.testsShow(
      'the outcome after it was mended',
      'alpha (Passed)',
      'beta (Not yet run)',
    );
  });

  it('runs all cases of a program that another process wrote', async () => {
    await writeFile(join(folder, 'agent.mjs'), says('y'));
    await workbench.testsShow('the outcomes', 'alpha (Failed)', 'beta (Failed)');
  });

  it('stops a run that a newer save made stale', async () => {
    await writeFile(join(folder, 'agent.mjs'), ENDLESS);
    await workbench.testsShow('the first run', 'alpha (Running)', 'beta (Running)');
    await writeFile(join(folder, 'agent.mjs'), says('x'));
    await workbench.testsShow('the outcomes of the second', 'alpha (Passed)', 'beta (Passed)');
  });

  it('ends if it is turned off', async () => {
    await workbench.window.command('testing.stopContinuousRun');
    // VS Code passes this on to the extension a moment later.
    await workbench.page.waitForTimeout(5_000);
    await writeFile(join(folder, 'agent.mjs'), says('y'));
    await workbench.page.waitForTimeout(2_000);
    await workbench.testsShow('what was there before', 'alpha (Passed)', 'beta (Passed)');
  });
});
