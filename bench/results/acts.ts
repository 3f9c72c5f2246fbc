import type { Page } from 'playwright-core';

/** Milliseconds of reading after which the panels show partial results. */
export const EARLY = 150;

/** Milliseconds from an action to the frame that shows its effect. */
export function act(action: string, done: string): string {
  return `new Promise((resolve) => {
    const began = performance.now();
    ${action};
    const look = () => requestAnimationFrame(() => {
      if (!(${done})) return look();
      setTimeout(() => resolve(performance.now() - began));
    });
    look();
  })`;
}

/** The scrolling element in our pages. */
export const GRID = "document.querySelector('.grid')";

/** Median and 95th percentile of the time between frames while scrolling a table, in milliseconds. */
export interface Frames {
  readonly frame: number;
  readonly slowFrame: number;
}

/**
 * Scrolls 200 times by 700 pixels per frame, which is most of a page, back and forth if the page is short. @param
 * scroller an expression for the scrolling element
 */
export function scrolled(page: Page, scroller: string): Promise<Frames> {
  return page.evaluate(`new Promise((resolve) => {
    const scroller = ${scroller};
    const times = [];
    let last;
    let way = 700;
    const step = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      const before = scroller.scrollTop;
      scroller.scrollTop += way;
      if (scroller.scrollTop === before) way = -way;
      if (times.length < 200) return requestAnimationFrame(step);
      times.sort((a, b) => a - b);
      scroller.scrollTop = 0;
      resolve({ frame: times[100], slowFrame: times[190] });
    };
    requestAnimationFrame(step);
  })`);
}

/** Bytes used by a page's scripts, after garbage collection. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

export function elementsOf(page: Page): Promise<number> {
  return page.evaluate("document.querySelectorAll('*').length");
}

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
