import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { workspaceWith } from '../../support/commandLine.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

const HOST = fileURLToPath(new URL('../../../src/targets/programs/moduleHost.ts', import.meta.url));

it('ends with all that it started if its run ends while it loads the file', async (t) => {
  const folder = await workspaceWith(t, {
    'agent.mjs': `${STUBBORN}await new Promise(() => {});\n`,
  });
  const host = fork(HOST, [join(folder, 'agent.mjs')], { cwd: folder, detached: true });
  t.after(() => host.kill('SIGKILL'));
  const started = await startedIn(folder);
  t.after(() => started.forEach(kill));
  assert.equal(started[0], host.pid);
  host.disconnect();
  await gone(started);
});

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}
