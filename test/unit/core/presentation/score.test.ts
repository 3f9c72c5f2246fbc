import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  badgeScoreText,
  scoreText,
  thresholdSentence,
  thresholdText,
  valueText,
} from '../../../../src/core/presentation/score.ts';
import { badgeOf, reaches } from '../../../../src/core/scoring.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import { buildVerdict } from '../../../support/build.ts';

describe('the text of a score', () => {
  it('has two decimal places', () => {
    assert.equal(scoreText(2 / 3, 0.5), '0.67');
    assert.equal(scoreText(0, 0.5), '0.00');
    assert.equal(scoreText(1, 1), '1.00');
  });

  it('has more decimal places if two would show it at a threshold that it misses', () => {
    assert.equal(scoreText(0.997, 1), '0.997');
    assert.equal(scoreText(0.7999, 0.8), '0.7999');
    assert.equal(scoreText(0.7999), '0.80');
  });

  it('has more decimal places if two would show it below a threshold that it reaches', () => {
    assert.equal(scoreText(0.664, 0.664), '0.664');
  });

  it('is 1 only for 1, except for rounding errors', () => {
    assert.equal(scoreText(0.9996), '0.9996');
    assert.equal(scoreText(0.1 + 0.2 + 0.7 - 1e-16), '1.00');
  });

  it('is on the correct side of its threshold', () => {
    const share = fc.oneof(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000),
    );
    fc.assert(
      fc.property(share, share, (score, given) => {
        // Real thresholds don't have more digits.
        const threshold = Number(given.toFixed(6));
        const shown = Number(scoreText(score, threshold));
        assert.equal(
          reaches(shown, Number(thresholdText({ threshold }))),
          reaches(score, threshold),
          `${shown} ${threshold}`,
        );
        assert.equal(reaches(shown, 1), reaches(score, 1));
      }),
    );
  });
});

describe('a value on its own scale', () => {
  const likert: Pick<Verdict, 'threshold' | 'scale'> = { threshold: 0.75, scale: [1, 5] };

  it('has no trailing zeros', () => {
    assert.equal(valueText(4, likert), '4');
    assert.equal(valueText(3.5, likert), '3.5');
    assert.equal(thresholdText(likert), '4 of 1–5');
  });

  it('never looks like a threshold that it misses', () => {
    assert.equal(valueText(3.998, likert), '3.998');
    assert.equal(valueText(0.7996, { threshold: 0.8 }), '0.7996');
  });
});

it('a threshold has at least two decimal places', () => {
  assert.equal(thresholdText({ threshold: 0.5 }), '0.50');
  assert.equal(thresholdText({ threshold: 0.995 }), '0.995');
  assert.equal(thresholdText({ threshold: 0.1 + 0.2 }), '0.30');
});

it('a case is shown on the correct side of its threshold', () => {
  assert.equal(thresholdSentence(0.7, 0.8), 'Score 0.70 is below the threshold 0.80.');
  assert.equal(thresholdSentence(0.7996, 0.8), 'Score 0.7996 is below the threshold 0.80.');
  assert.equal(thresholdSentence(0.9, 0.8), 'Score 0.90 reaches the threshold 0.80.');
});

it("a turn's score is shown on the correct side of its verdict's threshold", () => {
  const entry = { turn: 2, status: 'fail', score: 0.7999, rationale: '' } as const;
  const verdict = buildVerdict({ status: 'fail', score: 0.7999, threshold: 0.8, turns: [entry] });
  const badge = badgeOf([{ verdict, entry }]);
  assert.equal(badge && badgeScoreText(badge), '0.7999');
});
