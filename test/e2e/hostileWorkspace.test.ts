import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { runForeignFile } from '../support/host/foreignHost.ts';
import { Workbench } from '../support/host/workbench.ts';
import { hostileDocuments } from '../support/hostileDocuments.ts';
import { describeLong } from '../support/long.ts';
import { type ModelServer, startModelServer } from '../support/modelServer/server.ts';

/** An agent that leaves a file behind if it runs. */
const AGENT = `import { writeFileSync } from 'node:fs';
writeFileSync(new URL('./trace', import.meta.url), '');
export default () => 'x';
`;

function honest(baseUrl: string): string {
  return `judge: {provider: openai, model: m, base_url: "${baseUrl}"}
target: {type: module, path: ./agent.mjs}
cases:
  - id: honest
    turns: [Hi]
    asert: [It greets.]
`;
}

describeLong('a workspace of hostile files in the real VS Code', () => {
  let folder: string;
  let server: ModelServer;
  let workbench: Workbench | undefined;

  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-e2e-')));
    server = await startModelServer([]);
    for (const { file, content } of hostileDocuments())
      await writeFile(join(folder, file), content);
    await mkdir(join(folder, '.turnlight/runs'), { recursive: true });
    await writeFile(join(folder, '.turnlight/runs/a.jsonl'), '{"kind":"case"\n'.repeat(100_000));
    await writeFile(join(folder, 'agent.mjs'), AGENT);
    for (const name of ['honest', 'other']) {
      await writeFile(join(folder, `${name}.eval.yaml`), honest(server.baseUrl));
    }
  });

  after(async () => {
    await workbench?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('opens in Restricted Mode: editing features work, and nothing runs or is sent', async (t) => {
    const shown = await Workbench.open({ folder, trusted: false });
    workbench = shown;
    // The first file also waits for the extension to start.
    for (const name of ['honest.eval.yaml', 'other.eval.yaml']) {
      const opened = performance.now();
      await shown.window.open(join(folder, name));
      await shown.until(
        'the problem, underlined',
        () => shown.editor().locator('.squiggly-error').count(),
        (count) => count > 0,
      );
      t.diagnostic(`${name}: diagnostics after ${(performance.now() - opened).toFixed(0)} ms`);
      const asked = performance.now();
      await shown.hover('turns', (text) => text.includes('user'));
      t.diagnostic(`${name}: hover after ${(performance.now() - asked).toFixed(0)} ms`);
    }
    await shown.window.command('turnlight.generateCases');
    await shown.page.getByText('the workspace must be trusted').first().waitFor();
    await shown.screenshot('hostile-workspace');
    assert.equal(server.requests.length, 0);
    assert.equal(existsSync(join(folder, 'trace')), false);
    await shown.close();
    workbench = undefined;
  });

  it('once trusted, asks before it sends: No sends nothing, and Yes is asked only once', async () => {
    await rm(join(folder, '.turnlight'), { recursive: true });
    workbench = await Workbench.open({ folder, trusted: true });
    const host = '0.0.0.0:3';
    const { sent, questions } = await runForeignFile(workbench, folder, host);
    assert.deepEqual(sent, [false, true, true]);
    assert.equal(questions, 0);
    assert.equal(existsSync(join(folder, 'trace')), false);
  });
});
