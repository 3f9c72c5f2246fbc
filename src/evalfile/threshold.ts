import { stringOf } from '../core/data/data.ts';
import type { Problem } from '../core/problem.ts';
import { type Scale, shareOnScale } from '../core/scoring.ts';

/** A threshold converted to 0..1. */
interface ReadThreshold {
  /** Absent if the threshold is out of range. */
  readonly share?: number;
  readonly problem?: Pick<Problem, 'code' | 'message' | 'severity' | 'replacement'>;
}

/**
 * Reads the threshold of an assertion or a judge prompt. A value above 1, or any value if the scale goes below 0, is
 * interpreted on that scale:
 *
 * scale: [1, 5] threshold: 4      # 0.75
 */
export function readThreshold(value: number, scale: Scale): ReadThreshold {
  const [low, high] = scale;
  if (value >= 0 && value <= 1 && low >= 0) {
    if (value < 1 || low >= 1 || high <= 1) return { share: value };
    const message = `A threshold of 1 means the full score, ${high} on the scale ${low}..${high}. For a value on the scale, write a number above 1; for a fraction of the full score, write one below 1.`;
    return { share: 1, problem: { code: 'ambiguous-threshold', message, severity: 'warning' } };
  }
  if (value >= low && value <= high) return { share: shareOnScale(scale, value) };
  const own = high > 1 || low < 0 ? ` and outside the scale ${low}..${high}` : '';
  const share = shareFromPercent(value);
  const hint = share === undefined ? '' : ` Did you mean ${share}?`;
  const message = `Threshold ${value} is outside the range 0..1${own}.${hint}`;
  return {
    problem: {
      ...{ code: 'out-of-range', message, severity: 'error' },
      ...(share !== undefined && { replacement: stringOf(share) }),
    },
  };
}

/** The share that a percentage means: `90` or `90%`, but not a value that may be on a scale up to 10. */
export function shareFromPercent(written: unknown): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)( ?%)?$/.exec(stringOf(written));
  const value = Number(percent?.[1]);
  const isPercent = percent?.[2] !== undefined || (typeof written === 'number' && value > 10);
  return isPercent && value <= 100 ? Number((value / 100).toFixed(4)) : undefined;
}
