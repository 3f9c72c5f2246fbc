import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { thrownText } from '../../../src/targets/programs/thrownText.ts';
import { botSuite, runFiles, workspaceWith } from '../../support/runs.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

const SUITE = botSuite('  - {id: one, turns: [x], assert: [{type: contains, value: x}]}\n');

const BOT = `export default () => "x";\n`;

describe('a module that is debugged', () => {
  it('waits for the debugger, longer than its time limit', async (t) => {
    const files = { 'bot.mjs': BOT, 'suite.eval.yaml': SUITE };
    const { lines } = await runFiles(t, files, {
      timeout: 1_500,
      attach: async (port) => {
        await new Promise((done) => setTimeout(done, 2_500));
        await goOn(port);
      },
    });
    assert.deepEqual(
      lines.map(({ status }) => status),
      ['pass'],
    );
  });

  it('fails if there is no debugger', async (t) => {
    const files = { 'bot.mjs': BOT, 'suite.eval.yaml': SUITE };
    const attach = () => Promise.reject(new Error('There is none.'));
    const { lines } = await runFiles(t, files, { attach });
    assert.match(String(lines[0]?.reason), /The debugger could not be attached: There is none\./);
  });
});

/** Acts like a debugger without breakpoints. */
async function goOn(port: number): Promise<void> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = (await listed.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((opened) => socket.addEventListener('open', opened, { once: true }));
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
}

const HOST = fileURLToPath(new URL('../../../src/targets/programs/moduleHost.ts', import.meta.url));

it('ends with everything that it started if its run ends while it loads the file', async (t) => {
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
    // The process has ended, as expected.
  }
}

function thrownAt(place: string): string {
  const error = new Error('No such order');
  error.stack = `Error: No such order\n    at reply (${place}:5:28)`;
  return thrownText(error);
}

describe('the text of an error that a program threw', () => {
  it('has paths with line numbers', () => {
    assert.match(thrownAt('file:///shop/a%20b.mjs'), /at reply \(\/shop\/a b\.mjs:5:28\)/);
  });

  it('keeps URLs that are not local paths', () => {
    for (const address of ['file://elsewhere/bot.mjs', 'file:///shop%2Fbot.mjs', 'file://[']) {
      assert.ok(thrownAt(address).includes(`at reply (${address}:5:28)`), address);
    }
  });
});
