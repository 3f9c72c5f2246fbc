import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Programs } from '../../../src/targets/programs/programs.ts';
import { workspaceWith } from '../../support/runs.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

async function started(t: TestContext, code: string) {
  const folder = await workspaceWith(t, { 'bot.mjs': code });
  const programs = new Programs(SILENT);
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
  it('end with all that they started, groups of their own included', async (t) => {
    const { program, ids } = await started(t, STUBBORN);
    await program.end();
    await gone(ids);
    assert.equal(ids.length, 3);
  });

  it('may end by themselves first: what they started ends all the same', async (t) => {
    const { program, ids } = await started(t, STUBBORN);
    await program.end(async () => {
      program.process.kill('SIGKILL');
      await program.ended;
    });
    await gone(ids);
  });

  it('end with the run where they were left running', async (t) => {
    const { programs, ids } = await started(t, STUBBORN);
    await programs.close();
    await gone(ids);
  });

  it('leave nothing in their group, also where they ended by themselves', async (t) => {
    const { program, ids } = await started(t, `${STUBBORN}far.kill('SIGKILL');\nprocess.exit();\n`);
    await program.ended;
    await program.end();
    await gone(ids);
  });
});
