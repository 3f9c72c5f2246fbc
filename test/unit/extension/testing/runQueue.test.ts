import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunQueue } from '../../../../src/extension/testing/runQueue.ts';

describe('the queue of runs', () => {
  it('begins a second run when the first has ended, and drops none', async () => {
    const queue = new RunQueue();
    const told: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((done) => {
      open = done;
    });
    const first = queue.add(async () => {
      told.push('first begins');
      await gate;
      told.push('first ends');
    });
    const second = queue.add(async () => {
      told.push('second');
    });
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(told, ['first begins']);
    open();
    await Promise.all([first, second]);
    assert.deepEqual(told, ['first begins', 'first ends', 'second']);
  });

  it('goes on after a run that broke, and tells whoever asked for it', async () => {
    const queue = new RunQueue();
    const broken = queue.add(() => Promise.reject(new Error('no disk')));
    const next = queue.add(async () => {});
    await assert.rejects(broken, /no disk/);
    await next;
  });
});
