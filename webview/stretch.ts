/** Items `first` to `last`, both included, from 0; `last` is below `first` where there are none. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
}

/**
 * Which of the items under each other stand between two heights; where all are above or below, the
 * nearest one.
 *
 * @param heights of the items, in pixels
 * @param beside how many more on both sides
 */
export function stretchBetween(
  heights: readonly number[],
  from: number,
  to: number,
  beside: number,
): Stretch {
  const count = heights.length;
  let first = 0;
  let end = heights[0] ?? 0;
  while (first < count - 1 && end <= from) {
    first += 1;
    end += heights[first] ?? 0;
  }
  let last = first;
  while (last < count - 1 && end < to) {
    last += 1;
    end += heights[last] ?? 0;
  }
  return { first: Math.max(0, first - beside), last: Math.min(count - 1, last + beside) };
}
