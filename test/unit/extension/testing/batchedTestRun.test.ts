import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type * as vscode from 'vscode';
import { BatchedTestRun, MAX_TIMED } from '../../../../src/extension/testing/batchedTestRun.ts';

function paced() {
  const told: string[] = [];
  const run: Pick<vscode.TestRun, 'started' | 'passed' | 'appendOutput'> = {
    started: ({ id }) => told.push(`${id} started`),
    passed: ({ id }, duration) => told.push(`${id} passed ${duration}`),
    appendOutput: (text, _location, item) => told.push(`${item?.id} ${text}`),
  };
  return { told, run: new BatchedTestRun(run as vscode.TestRun) };
}

const item = (id: string) => ({ id }) as vscode.TestItem;

describe('a batched test run', () => {
  it('sends nothing before the batch, and then everything in order', () => {
    const { told, run } = paced();
    const [long, short] = [item('long'), item('short')];
    run.started(long);
    run.started(short);
    run.output(short, 'said');
    run.ended(short, 3, (one, of, duration) => one.passed(of, duration));
    assert.deepEqual(told, []);
    run.flush();
    assert.deepEqual(told, ['long started', 'short said', 'short passed 3']);
    run.flush();
    assert.equal(told.length, 3);
  });

  it('sends a batch after the interval', async () => {
    const { told, run } = paced();
    run.started(item('one'));
    await new Promise((done) => setTimeout(done, 200));
    assert.deepEqual(told, ['one started']);
  });

  it('omits durations if many cases end at once', () => {
    const { told, run } = paced();
    for (let count = 0; count <= MAX_TIMED; count += 1) {
      run.ended(item('one'), 3, (to, of, duration) => to.passed(of, duration));
    }
    run.flush();
    assert.equal(told.length, MAX_TIMED + 1);
    assert.ok(told.every((one) => one === 'one passed undefined'));
  });
});
