/**
 * Changes the page so that what a person reads stays in its place. The browser does that by itself, unless the very
 * element that is read is made again.
 *
 * @param change gets what is read, if there is something
 * @param covered how many pixels at the top are covered
 */
export function keepScrollPosition(
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
