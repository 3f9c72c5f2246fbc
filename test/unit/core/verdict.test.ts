import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tryParse } from '../../../src/core/data/listOf.ts';
import { statusWithScore, turnVerdictSchema, verdictSchema } from '../../../src/core/verdict.ts';
import { buildTurnVerdict, buildVerdict } from '../../support/build.ts';

const isRead = (given: object) => tryParse(verdictSchema, given) !== undefined;

describe('a verdict', () => {
  const passed = buildVerdict({ status: 'pass', score: 1 });
  const errored = buildVerdict({ status: 'error', score: null, reason: 'cut-off' });

  it('has a score and no reason if it was decided', () => {
    assert.ok(isRead(passed));
    assert.ok(!isRead({ ...passed, score: null }));
    assert.ok(!isRead({ ...passed, reason: 'cut-off' }));
  });

  it("has a reason and no score if it wasn't decided", () => {
    assert.ok(isRead(errored));
    assert.ok(!isRead({ ...errored, score: 0 }));
    const { reason: _, ...unexplained } = errored;
    assert.ok(!isRead(unexplained));
  });

  it('requires the same for turns and nested verdicts', () => {
    const turn = buildTurnVerdict(2, 'fail', 0);
    assert.ok(turnVerdictSchema.safeParse(turn).success);
    assert.ok(!turnVerdictSchema.safeParse({ ...turn, score: null }).success);
    assert.ok(isRead({ ...passed, nested: [errored] }));
    assert.ok(!isRead({ ...passed, nested: [{ ...errored, score: 1 }] }));
  });

  it('drops a score if its status allows none', () => {
    assert.deepEqual(statusWithScore('skipped', 0.5), { status: 'skipped', score: null });
    assert.throws(() => statusWithScore('pass', null), /Internal error/);
  });
});
