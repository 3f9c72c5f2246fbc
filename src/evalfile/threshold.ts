import type { Problem } from '../core/problem.ts';
import { type Scale, shareOnScale } from '../core/scoring.ts';

/** A threshold on 0..1. */
interface ReadThreshold {
  /** Absent if it's out of range. */
  readonly share?: number;
  readonly problem?: Pick<Problem, 'code' | 'message' | 'severity' | 'replacement'>;
}

/**
 * Reads the threshold of an assertion or a judge prompt. A value above 1, or any value if the scale goes below 0, is
 * read on the scale:
 *
 *     scale: [1, 5]
 *     threshold: 4      # 0.75
 */
export function readThreshold(value: number, scale: Scale): ReadThreshold {
  const [low, high] = scale;
  if (value >= 0 && value <= 1 && low >= 0) {
    if (value < 1 || low >= 1 || high <= 1) return { share: value };
    const message = `Threshold 1 means full marks: ${high} on the scale ${low}..${high}. Use a value above 1 for the scale, or a share below 1.`;
    return { share: 1, problem: { code: 'ambiguous-threshold', message, severity: 'warning' } };
  }
  if (value >= low && value <= high) return { share: shareOnScale(scale, value) };
  const own = high > 1 || low < 0 ? ` and outside the scale ${low}..${high}` : '';
  const share = shareFromPercent(value);
  const hint = share === undefined ? '' : ` Did you mean ${share}?`;
  const message = `Threshold ${value} is outside 0..1${own}.${hint}`;
  return {
    problem: {
      ...{ code: 'out-of-range', message, severity: 'error' },
      ...(share !== undefined && { replacement: String(share) }),
    },
  };
}

/** The share that a percentage stands for: `90` or `90%`, but not a value that may be on a scale of 10. */
export function shareFromPercent(written: unknown): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)( ?%)?$/.exec(String(written));
  const value = Number(percent?.[1]);
  const isPercent = percent?.[2] !== undefined || (typeof written === 'number' && value > 10);
  return isPercent && value <= 100 ? Number((value / 100).toFixed(4)) : undefined;
}
