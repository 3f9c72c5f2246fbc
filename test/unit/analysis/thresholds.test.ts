import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agreementOf } from '../../../src/analysis/agreement.ts';
import { ComparisonData } from '../../../src/analysis/comparisonData.ts';
import { type Thresholds, thresholdsOf } from '../../../src/analysis/thresholds.ts';
import type { PlacedLabel } from '../../../src/core/record/label.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { buildVerdict, judgedLine } from '../../support/comparing.ts';

type Pair = readonly [score: number, people: 'pass' | 'fail'];

/** Analyzes conversations with the given scores and labels. The verdicts' threshold is 0.5. */
function found(pairs: readonly Pair[]): Thresholds[] {
  const data = new ComparisonData();
  const labels = pairs.map(([score, status], id): PlacedLabel => {
    const line = judgedLine(`case-${id}`, [buildVerdict(score)], { said: `Reply ${id}` });
    data.add(line);
    return {
      case: line.id,
      assertion: 'Kind',
      conversation_hash: conversationHash(line.conversation),
      status,
      at: '2026-01-01T00:00:00.000Z',
      person: 'ann',
      path: '/work/suite.labels/ann.jsonl',
      line: 1,
    };
  });
  return thresholdsOf(agreementOf(labels, data).items);
}

function times(count: number, ...pair: Pair): Pair[] {
  return Array.from({ length: count }, () => pair);
}

describe('the threshold of an assertion', () => {
  it('agrees best with people, and is a short number between two scores', () => {
    const pairs = [...times(4, 0.25, 'fail'), ...times(3, 0.6, 'fail'), ...times(5, 0.8, 'pass')];
    const [one] = found(pairs);
    assert.deepEqual([one?.current, one?.best, one?.compared, one?.heldOut], [0.5, 0.7, 12, 1]);
    assert.deepEqual(
      one?.rows.map(({ threshold, kappa, confusion }) => [
        threshold,
        kappa?.toFixed(2),
        confusion.failFail,
        confusion.passFail,
      ]),
      [
        [0.25, '0.00', 0, 7],
        [0.5, '0.53', 4, 3],
        [0.7, '1.00', 7, 0],
      ],
    );
  });

  it('stays the current one if no other agrees better', () => {
    const [one] = found([...times(5, 0.2, 'fail'), ...times(5, 0.9, 'pass')]);
    assert.deepEqual([one?.current, one?.best], [0.5, 0.5]);
  });

  it('counts as `reaches` does at every score, whatever the scores', () => {
    const pairs = Array.from({ length: 40 }, (_, index): Pair => {
      const score = ((index * 37) % 11) / 10;
      return [Math.min(1, score), (index * 7) % 3 === 0 ? 'fail' : 'pass'];
    });
    const [one] = found(pairs);
    assert.equal(one?.rows.length, 11);
    for (const { threshold, confusion } of one?.rows ?? []) {
      const failed = pairs.filter(([score]) => score < threshold - 1e-9);
      const { failFail, failPass, passFail, passPass } = confusion;
      assert.equal(failFail, failed.filter(([, people]) => people === 'fail').length);
      assert.equal(failPass, failed.filter(([, people]) => people === 'pass').length);
      assert.equal(failFail + failPass + passFail + passPass, pairs.length);
    }
  });

  it('tells of the best one on conversations that were left out', () => {
    // The best threshold depends on one label. If that label is held out, its verdict is wrong.
    const pairs = [...times(4, 0.2, 'fail'), ...times(1, 0.6, 'fail'), ...times(4, 0.9, 'pass')];
    const [one] = found(pairs);
    const best = one?.rows.find(({ threshold }) => threshold === one.best);
    assert.equal(best?.accuracy, 1);
    assert.equal(one?.heldOut, 8 / 9);
  });

  it('is not told where a judge gives one score, or of thousands of scores in long', () => {
    assert.deepEqual(found(times(5, 1, 'pass')), []);
    const many = Array.from(
      { length: 3_000 },
      (_, index): Pair => [index / 3_000, index < 1_200 ? 'fail' : 'pass'],
    );
    assert.equal(found(many)[0]?.best, 0.4);
  });
});
