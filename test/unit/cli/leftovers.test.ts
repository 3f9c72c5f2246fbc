import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { start } from '../../support/commandLine.ts';
import { itLong, LONG } from '../../support/long.ts';
import { workspaceWith } from '../../support/runs.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

const SUITE = `targets:
  command: {type: command, command: ["${process.execPath}", bot.mjs]}
  module: {type: module, path: ./module.mjs}
  fast: {type: module, path: ./fast.mjs}
cases:
  - {id: command, target: command, turns: [Hi], assert: [{type: contains, value: x}]}
  - {id: module, target: module, turns: [Hi], assert: [{type: contains, value: x}]}
  - {id: script, target: fast, turns: [Hi], assert: [{type: script, path: ./module.mjs}]}
  - {id: grader, target: fast, turns: [Hi], assert: [{type: script, command: ["${process.execPath}", bot.mjs]}]}
`;
const FILES = {
  'suite.eval.yaml': SUITE,
  'bot.mjs': STUBBORN,
  'module.mjs': `${STUBBORN}export default () => { for (;;); };\n`,
  'fast.mjs': 'export default () => "x";\n',
};

/** A sample that includes every signal and every kind of work. */
const SAMPLE = ['SIGHUP command', 'SIGTERM script', 'SIGKILL module', 'SIGKILL grader'];

describe('no process of a run survives', { skip: process.platform === 'win32' }, () => {
  // Signals from a closed terminal and from a service manager, and one that can't be caught, as from a closed editor
  // window.
  for (const signal of ['SIGHUP', 'SIGTERM', 'SIGKILL'] as const) {
    for (const what of ['command', 'module', 'script', 'grader']) {
      if (!LONG && !SAMPLE.includes(`${signal} ${what}`)) continue;
      it(`${signal} while a ${what} is running`, async (t) => {
        const folder = await workspaceWith(t, FILES);
        const run = start(folder, ['run', '--case', what]);
        const started = await startedIn(folder);
        run.send(signal);
        await run.ended;
        await gone(started);
      });
    }
  }

  itLong(
    'of a program that ends with its input, before anybody can ask what it had started',
    async (t) => {
      const bot = `${STUBBORN}process.stdin.on('end', () => process.exit()).resume();\n`;
      const folder = await workspaceWith(t, { ...FILES, 'bot.mjs': bot });
      const run = start(folder, ['run', '--case', 'command']);
      const started = await startedIn(folder);
      // By then, Turnlight has looked up which processes the program started.
      await setTimeout(3_000);
      run.send('SIGKILL');
      await run.ended;
      await gone(started);
    },
  );
});
