/**
 * Does a piece of work one at a time. Who asks while it is under way gets what comes of it once it is done again: what
 * it finds now may be older than the question, and what it found early is never told after what it found late.
 */
export function oneAtATime<Found>(work: () => Promise<Found>): () => Promise<Found> {
  let doing: Promise<Found> | undefined;
  let next: Promise<Found> | undefined;
  const begin = async () => {
    next = undefined;
    try {
      return await work();
    } finally {
      doing = next;
    }
  };
  return () => {
    if (!doing) {
      doing = begin();
      return doing;
    }
    next ??= doing.then(begin, begin);
    return next;
  };
}
