/**
 * Does a piece of work one at a time: asked for meanwhile, it is done once more afterwards. What it found early is never
 * told after what it found late.
 *
 * @param work never rejects
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isDue = false;
  let doing: Promise<void> | undefined;
  const doAll = async () => {
    while (isDue) {
      isDue = false;
      await work();
    }
    doing = undefined;
  };
  return () => {
    isDue = true;
    doing ??= doAll();
    return doing;
  };
}
