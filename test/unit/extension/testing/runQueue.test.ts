import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RunQueue } from '../../../../src/extension/testing/runQueue.ts';

describe('the queue of runs', () => {
  it('starts a second run when the first one ends, and drops none', async () => {
    const queue = new RunQueue();
    const events: string[] = [];
    let open = () => {};
    const gate = new Promise<void>((done) => {
      open = done;
    });
    const first = queue.add(async () => {
      events.push('first begins');
      await gate;
      events.push('first ends');
    });
    const second = queue.add(async () => {
      events.push('second');
    });
    await new Promise((done) => setImmediate(done));
    assert.deepEqual(events, ['first begins']);
    open();
    await Promise.all([first, second]);
    assert.deepEqual(events, ['first begins', 'first ends', 'second']);
  });

  it('continues after a run that throws, and rejects for its caller', async () => {
    const queue = new RunQueue();
    const broken = queue.add(() => Promise.reject(new Error('no disk')));
    const next = queue.add(async () => {});
    await assert.rejects(broken, /no disk/);
    await next;
  });
});
