import { h, link } from '../h.ts';

/**
 * Leads to a line, or says which one it is where no file can be opened.
 *
 * @param what stands there: `turn 3`
 * @param line from 1
 */
export function toLine(
  what: string,
  path: string,
  line: number,
  onOpen: (() => void) | undefined,
): HTMLElement {
  if (onOpen) return link('Go to line', `Go to line of ${what}`, onOpen);
  return h('span', { class: 'muted' }, `${path}:${line}`);
}
