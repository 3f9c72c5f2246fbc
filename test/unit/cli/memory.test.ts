import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';

const MODULE = resolve(import.meta.dirname, '../../../src/cli/memory.ts');

/** Size of V8's new space in megabytes, after creating many objects and keeping some of them for a while. */
async function spaceAfterWork(bounded: boolean): Promise<number> {
  const program = `
    import { setTimeout as wait } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { limitYoungSpace } from ${JSON.stringify(MODULE)};
    if (${bounded}) limitYoungSpace();
    const held = [];
    let most = 0;
    for (let round = 0; round < 600; round += 1) {
      for (let index = 0; index < 5_000; index += 1) held[index] = { round, text: [index] };
      most = Math.max(most, getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size);
      await wait(1);
    }
    console.log(most / 2 ** 20);
  `;
  const args = ['--input-type=module', '--eval', program];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

test("a long run doesn't grow V8's new space", async () => {
  const [bounded, unbounded] = [await spaceAfterWork(true), await spaceAfterWork(false)];
  assert.ok(bounded <= 16, `${bounded} MB`);
  assert.ok(unbounded > bounded, `${unbounded} MB`);
});
