import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';

/** The target's time limit is shorter than a person needs in the debugger. */
const SUITE = `target: {type: module, path: ./agent.mjs, timeout: 3000}
cases:
  - {id: alpha, turns: [Hi], assert: [{type: contains, value: x}]}
`;

const AGENT = `export default () => {
  const reply = 'x';
  return reply;
};
`;

describe('Debug Test', { timeout: 300_000 }, () => {
  let folder: string;
  let workbench: Workbench;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-debug-')));
    await writeFile(join(folder, 'suite.eval.yaml'), SUITE);
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.showTests();
    await workbench.unfoldTests();
  });

  after(async () => {
    await workbench?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('stops at a breakpoint in the agent for any length of time, and then continues', async () => {
    const { window, page } = workbench;
    await window.evaluate(
      (vscode, path) => {
        const at = new vscode.Location(vscode.Uri.file(path), new vscode.Position(2, 0));
        vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(at)]);
      },
      join(folder, 'agent.mjs'),
    );
    const run = window.command('testing.debugAll');
    await workbench.until(
      'the stop at the breakpoint',
      () =>
        window.evaluate(async (vscode) => {
          const item = vscode.debug.activeStackItem;
          const session = vscode.debug.activeDebugSession;
          if (!item || !('frameId' in item) || !session) return '';
          const asked = { expression: 'reply', frameId: item.frameId };
          return String((await session.customRequest('evaluate', asked)).result);
        }),
      (value) => value.includes('x'),
    );
    // Longer than the target's time limit.
    await page.waitForTimeout(4_000);
    await workbench.screenshot('debug');
    await window.command('workbench.action.debug.continue');
    await workbench.showTests();
    await workbench.unfoldTests();
    await workbench.testsShow('the outcome', 'alpha (Passed)');
    await run;
  });
});
