import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { botSuite, runFiles } from '../../support/runs.ts';

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

  it('is given up where there is no debugger', async (t) => {
    const files = { 'bot.mjs': BOT, 'suite.eval.yaml': SUITE };
    const attach = () => Promise.reject(new Error('There is none.'));
    const { lines } = await runFiles(t, files, { attach });
    assert.match(String(lines[0]?.reason), /The debugger could not be attached: There is none\./);
  });
});

/** What a debugger does that has no breakpoints. */
async function goOn(port: number): Promise<void> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [{ webSocketDebuggerUrl }] = (await listed.json()) as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((opened) => socket.addEventListener('open', opened, { once: true }));
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.runIfWaitingForDebugger' }));
}
