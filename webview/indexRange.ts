/** Items `first` to `end`, without `end`, from 0. */
export interface IndexRange {
  readonly first: number;
  readonly end: number;
}

/**
 * Which of the items under each other are between two heights; if all are above or below, the
 * nearest one.
 *
 * @param heights of the items, in pixels
 * @param beyond how many more on both sides
 */
export function rangeBetween(
  heights: readonly number[],
  from: number,
  to: number,
  beyond: number,
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
  return { first: Math.max(0, first - beyond), end: Math.min(count, last + 1 + beyond) };
}

/**
 * Which of many items of one size are in view.
 *
 * @param from pixels from the first item to where the view begins
 * @param room pixels that the view has
 * @param size pixels of each item
 * @param beyond how many more on both sides, so that a scroll finds them drawn
 */
export function rangeInView(
  { from, room, size, beyond }: Readonly<Record<'from' | 'room' | 'size' | 'beyond', number>>,
  count: number,
): IndexRange {
  const first = Math.max(0, Math.min(count, Math.floor(from / size) - beyond));
  const end = Math.max(first, Math.min(count, Math.ceil((from + room) / size) + beyond));
  return { first, end };
}

/** Where the view must begin to show all of an item; where it begins, if it does. */
export function scrolledTo(
  at: number,
  { from, room, size }: Readonly<Record<'from' | 'room' | 'size', number>>,
): number {
  const [start, end] = [at * size, (at + 1) * size];
  if (start < from) return start;
  return end > from + room ? end - room : from;
}
