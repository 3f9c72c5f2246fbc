import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { isLocked, tryLock, withLock } from '../../../src/disk/lock.ts';
import { workspaceWith } from '../../support/runs.ts';

const MODULE = new URL('../../../src/disk/lock.ts', import.meta.url).href;

/** Runs a program in a process of its own. */
function run(program: string) {
  const script = `import { tryLock, withLock } from '${MODULE}';\n${program}`;
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
}

describe('A lock', () => {
  it('is held by one process at a time, also if all find the lock of a killed one', async (t) => {
    const folder = await workspaceWith(t, {});
    const [lock, counter] = [join(folder, 'a.lock'), join(folder, 'counter')];
    await writeFile(lock, '2147483646\n');
    await writeFile(counter, '0');
    const add = `
      import { readFile, writeFile } from 'node:fs/promises';
      for (let i = 0; i < 20; i += 1) {
        await withLock(${JSON.stringify(lock)}, async () => {
          const before = Number(await readFile(${JSON.stringify(counter)}));
          await writeFile(${JSON.stringify(counter)}, String(before + 1));
        }, 60_000);
      }`;
    await Promise.all([run(add), run(add), run(add), run(add)]);
    assert.equal(await readFile(counter, 'utf8'), '80');
    assert.deepEqual(await readdir(folder), ['counter']);
  });

  it('is held once in a process', async (t) => {
    const lock = join(await workspaceWith(t, {}), 'a.lock');
    const [first, second] = await Promise.all([tryLock(lock), tryLock(lock)]);
    assert.ok('release' in first);
    assert.deepEqual(second, { holder: process.pid });
    assert.equal(await isLocked(lock), true);
    await assert.rejects(
      withLock(lock, async () => {}, 50),
      /holds .*a\.lock/,
    );
    await first.release();
    assert.equal(await isLocked(lock), false);
    assert.equal(await withLock(lock, async () => 'done'), 'done');
  });

  it("names the process that holds it, and isn't taken from it", async (t) => {
    const lock = join(await workspaceWith(t, {}), 'a.lock');
    const held = await tryLock(lock);
    assert.ok('release' in held);
    const { stdout } = await run(`console.log(await tryLock(${JSON.stringify(lock)}))`);
    assert.equal(stdout.trim(), `{ holder: ${process.pid} }`);
  });

  it('of a killed process is taken over, also if that process had the same id or wrote nothing', async (t) => {
    const folder = await workspaceWith(t, {});
    for (const text of ['2147483646\n', `${process.pid}\n`, '', 'x']) {
      const lock = join(folder, 'a.lock');
      await writeFile(lock, text);
      const held = await tryLock(lock);
      assert.ok('release' in held, text);
      await held.release();
    }
  });
});
