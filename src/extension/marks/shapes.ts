import type { Status } from '../../core/verdict.ts';

export type Theme = 'light' | 'dark';

/** Each status has its own shape, so that color is never the only difference. */
const SHAPES: Readonly<Record<Status, string>> = {
  pass: 'M2.5 8.5 6.5 12.5 13.5 4',
  fail: 'M3.5 3.5 12.5 12.5M12.5 3.5 3.5 12.5',
  error: 'M8 2.5 14 13.5H2ZM8 6.5V9.5M8 11.2V12',
  skipped: 'M8 3.5A4.5 4.5 0 1 1 7.99 3.5Z',
};

/** The theme's test icon colors are missing in the overview ruler in high contrast. */
export const COLORS: Readonly<Record<Theme, Readonly<Record<Status, string>>>> = {
  light: { pass: '#2d7a2d', fail: '#c72e0f', error: '#8a6100', skipped: '#616161' },
  dark: { pass: '#73c991', fail: '#f88070', error: '#e2c04a', skipped: '#b0b0b0' },
};

/** An SVG gutter icon, dashed if the case has changed since its last run. */
export function markSvg(status: Status, theme: Theme, stale: boolean): string {
  const width = status === 'error' ? 1.4 : 2;
  const dashes = stale ? ' stroke-dasharray="2 1.6"' : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16"><path d="${SHAPES[status]}" fill="none" stroke="${COLORS[theme][status]}" stroke-width="${width}"${dashes}/></svg>`;
}
