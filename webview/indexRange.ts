/** The items from `first` up to but not including `end`, counted from 0. */
export interface IndexRange {
  readonly first: number;
  readonly end: number;
}

/**
 * The items of a list between two vertical positions, or the nearest one.
 *
 * @param heights heights of the items, in pixels
 * @param overscan number of additional items on both sides
 */
export function rangeBetween(
  heights: readonly number[],
  from: number,
  to: number,
  overscan: number,
): IndexRange {
  const count = heights.length;
  let first = 0;
  let bottom = heights[0] ?? 0;
  while (first < count - 1 && bottom <= from) {
    first += 1;
    bottom += heights[first] ?? 0;
  }
  let last = first;
  while (last < count - 1 && bottom < to) {
    last += 1;
    bottom += heights[last] ?? 0;
  }
  return { first: Math.max(0, first - overscan), end: Math.min(count, last + 1 + overscan) };
}

/**
 * The visible items of a list whose items have equal heights.
 *
 * @param from pixels from the first item to the top of the view
 * @param room height of the view, in pixels
 * @param size height of an item, in pixels
 * @param overscan number of additional items on both sides, so that they are drawn before scrolling reaches them
 */
export function rangeInView(
  { from, room, size, overscan }: Readonly<Record<'from' | 'room' | 'size' | 'overscan', number>>,
  count: number,
): IndexRange {
  const first = Math.max(0, Math.min(count, Math.floor(from / size) - overscan));
  const end = Math.max(first, Math.min(count, Math.ceil((from + room) / size) + overscan));
  return { first, end };
}

/** The scroll position at which an item is completely visible; unchanged if it already is. */
export function scrollOffsetFor(
  at: number,
  { from, room, size }: Readonly<Record<'from' | 'room' | 'size', number>>,
): number {
  const [start, end] = [at * size, (at + 1) * size];
  if (start < from) return start;
  return end > from + room ? end - room : from;
}
