import type { Page } from 'playwright-core';

/** Milliseconds of reading after which the panels show what is known. */
export const EARLY = 150;

/** Milliseconds from an act to the frame that shows what it led to. */
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

/** What scrolls in a page of ours. */
export const GRID = "document.querySelector('.grid')";

/** Between two frames while a table is scrolled through, in milliseconds, and its 95th percentile. */
export interface Frames {
  readonly frame: number;
  readonly slowFrame: number;
}

/** Scrolls 700 pixels a frame, which is most of a page, 200 times, to and fro where it is short. @param scroller what scrolls */
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

/** What scripts of a page hold, in bytes, with the garbage collected. */
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
