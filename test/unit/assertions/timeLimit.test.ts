import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withinTime } from '../../../src/assertions/shared/timeLimit.ts';
import { TookTooLong } from '../../../src/core/errors.ts';

describe('work within a time limit', () => {
  it('gives what it comes to', () => {
    assert.equal(
      withinTime(1000, () => 'done'),
      'done',
    );
  });

  it('fails with what it throws', () => {
    assert.throws(
      () =>
        withinTime(1000, () => {
          throw new RangeError('out of range');
        }),
      { name: 'RangeError', message: 'out of range' },
    );
  });

  it('is ended where it would never end', () => {
    assert.throws(
      () =>
        withinTime(50, () => {
          for (;;);
        }),
      TookTooLong,
    );
  });

  it('is ended as well where the machine never gives it time', () => {
    let begun = 0;
    const asleep = () => {
      begun += 1;
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    };
    assert.throws(() => withinTime(50, asleep), TookTooLong);
    assert.equal(begun, 4);
  });

  it('is not ended where the machine was busy with something else at first', () => {
    let begun = 0;
    const late = () => {
      begun += 1;
      if (begun < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
      return 'done';
    };
    assert.equal(withinTime(50, late), 'done');
    assert.equal(begun, 3);
  });

  it('may hold work within a time limit of its own', () => {
    const endless = () => {
      for (;;);
    };
    const inner = () => {
      assert.throws(() => withinTime(50, endless), TookTooLong);
      return 'done';
    };
    assert.equal(withinTime(60_000, inner), 'done');
    assert.throws(() => withinTime(50, () => withinTime(60_000, endless)), TookTooLong);
  });
});
