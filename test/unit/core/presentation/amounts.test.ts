import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareText } from '../../../../src/core/presentation/amounts.ts';

describe('a share', () => {
  it('is rounded, and reads as all or none only if it is', () => {
    const texts = [2 / 3, 1 / 3, 199.5 / 200, 1, 1 / 300, 0].map(shareText);
    assert.deepEqual(texts, ['67 %', '33 %', '99 %', '100 %', '1 %', '0 %']);
  });
});
