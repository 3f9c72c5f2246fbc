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

/** Scrolls 700 pixels a frame, which is half a page, 200 times. */
export const SCROLL = `new Promise((resolve) => {
  const grid = document.querySelector('.grid');
  const times = [];
  let last;
  const step = (now) => {
    if (last !== undefined) times.push(now - last);
    last = now;
    grid.scrollTop += 700;
    if (times.length < 200) return requestAnimationFrame(step);
    times.sort((a, b) => a - b);
    grid.scrollTop = 0;
    resolve({ frame: times[100], slowFrame: times[190] });
  };
  requestAnimationFrame(step);
})`;

export async function timed(action: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
