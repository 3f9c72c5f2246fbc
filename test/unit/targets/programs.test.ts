import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Programs } from '../../../src/targets/programs/programs.ts';
import { mark } from '../../support/leftovers.ts';
import { workspaceWith } from '../../support/runs.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

async function started(t: TestContext, code: string) {
  const folder = await workspaceWith(t, { 'bot.mjs': code });
  const programs = new Programs(SILENT, new Scrubber());
  const program = programs.start({
    program: process.execPath,
    args: ['bot.mjs'],
    cwd: folder,
    env: process.env,
    stdio: 'ignore',
  });
  return { programs, program, ids: await startedIn(folder) };
}

describe('the programs of a run', { skip: process.platform === 'win32' }, () => {
  it('end with everything that they started, including its own groups', async (t) => {
    const { program, ids } = await started(t, STUBBORN);
    await program.end();
    await gone(ids);
    assert.equal(ids.length, 3);
  });

  it('may exit first: everything that they started still ends', async (t) => {
    const { program, ids } = await started(t, STUBBORN);
    await program.end(async () => {
      program.process.kill('SIGKILL');
      await program.ended;
    });
    await gone(ids);
  });

  it('end with processes that they are just starting', async (t) => {
    const { env, left } = mark();
    const busy = `const sleep = () => spawn('sleep', ['60'], { stdio: 'ignore', detached: true, env: { PATH: process.env.PATH, ...${JSON.stringify(env)} } });
const busy = setInterval(sleep, 1);
setTimeout(() => clearInterval(busy), 1000);
`;
    const all = await Promise.all(Array.from({ length: 6 }, () => started(t, STUBBORN + busy)));
    await setTimeout(100);
    await Promise.all(all.map(({ program }) => program.end()));
    assert.equal(await left(), 0);
  });

  it('end with the run if they are still running', async (t) => {
    const { programs, ids } = await started(t, STUBBORN);
    await programs.close();
    await gone(ids);
  });

  it('leave nothing in their group, even if they exited', async (t) => {
    const { program, ids } = await started(t, `${STUBBORN}far.kill('SIGKILL');\nprocess.exit();\n`);
    await program.ended;
    await program.end();
    await gone(ids);
  });
});
