/** What is in view of a long row of things of one size, and a few more to each side. */
export interface InView {
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
}

/**
 * @param from pixels from the first one to where the view begins
 * @param room pixels that the view has
 * @param size pixels of each
 * @param beyond how many are kept to each side, so that a scroll finds them drawn
 */
export function inView(
  { from, room, size, beyond }: Readonly<Record<'from' | 'room' | 'size' | 'beyond', number>>,
  count: number,
): InView {
  const first = Math.max(0, Math.min(count, Math.floor(from / size) - beyond));
  const end = Math.max(first, Math.min(count, Math.ceil((from + room) / size) + beyond));
  return { first, end };
}

/** Where the view must begin so that one of them is in it whole; where it begins, if it is. */
export function scrolledTo(
  at: number,
  { from, room, size }: Readonly<Record<'from' | 'room' | 'size', number>>,
): number {
  const [start, end] = [at * size, (at + 1) * size];
  if (start < from) return start;
  return end > from + room ? end - room : from;
}
