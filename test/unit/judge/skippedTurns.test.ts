import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { concludedVerdict } from '../../../src/judge/verdicts.ts';
import { buildAssertion } from '../../support/judging.ts';

describe('an assertion that is skipped', () => {
  it('gives its turns no score', () => {
    const turn = { turn: 2, status: 'fail' as const, score: 0, rationale: 'Missing.' };
    const { status, turns } = concludedVerdict(buildAssertion('criterion'), {
      kind: 'skipped',
      reason: 'not-applicable',
      rationale: 'No intention.',
      turns: [turn],
    });
    assert.equal(status, 'skipped');
    assert.deepEqual(turns, [{ ...turn, status: 'skipped', score: null }]);
  });
});
