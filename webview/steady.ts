/**
 * Runs a change of the page so that what a person reads stays in its place. The browser sees to that
 * by itself, but not where the very element that is read is made anew.
 *
 * @param change gets what is read, where there is something
 * @param covered how many pixels at the top are covered
 */
export function steadily(
  places: () => readonly HTMLElement[],
  covered: number,
  change: (read: HTMLElement | undefined) => void,
): void {
  const read = window.scrollY > 0 ? places().find((one) => endOf(one) > covered) : undefined;
  const top = read?.getBoundingClientRect().top ?? 0;
  change(read);
  if (!read || read.isConnected) return;
  afterDrawing(() => {
    const again = places().find((one) => one.dataset.focus === read.dataset.focus);
    if (again) window.scrollBy({ top: again.getBoundingClientRect().top - top });
  });
}

/** Now and again once what came into view is drawn, and is higher or lower than it was taken to be. */
export function afterDrawing(action: () => void): void {
  action();
  requestAnimationFrame(() => {
    action();
    requestAnimationFrame(action);
  });
}

function endOf(element: HTMLElement): number {
  return element.getBoundingClientRect().bottom;
}
