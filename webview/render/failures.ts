import { counted } from '../../src/core/presentation/amounts.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { button } from '../ui/controls.ts';

export interface FailuresControl {
  readonly element: HTMLElement;
  /** @param at which of them is looked at, from 1 */
  show(found: { readonly count: number; readonly at: number | undefined }): void;
}

/** `↑ 2 of 5 ↓`: leads from failure to failure. */
export function failuresControl(onStep: (step: 1 | -1) => void): FailuresControl {
  const position = h('span', { class: 'position', 'aria-live': 'polite' });
  const steps = [
    button({ label: 'Previous failure', sign: '↑', key: 'p', onClick: () => onStep(-1) }),
    button({ label: 'Next failure', sign: '↓', key: 'n', onClick: () => onStep(1) }),
  ] as const;
  const [previous, next] = steps;
  return {
    element: h('div', { class: 'failures' }, previous, position, next),
    show({ count, at }) {
      const words = count === 0 ? 'No failures' : counted(count, 'failure');
      const text = at === undefined ? words : `${at} of ${count}`;
      if (position.textContent !== text) position.textContent = text;
      for (const step of steps) step.toggleAttribute('disabled', count === 0);
    },
  };
}

/** `⇤ failing case 2 of 5 ⇥`: leads to the other cases of the run that failed, or of two runs that changed. */
export function otherCases(
  what: 'failing case' | 'changed case',
  { count, at }: NonNullable<Snapshot['failing']>,
  onStep: (step: 1 | -1) => void,
): HTMLElement {
  const words = at === undefined ? counted(count, what) : `${what} ${at} of ${count}`;
  const step = (label: string, sign: string, key: string, by: 1 | -1) =>
    button({ label, sign, key, onClick: () => onStep(by) });
  return h(
    'div',
    { class: 'failures' },
    step(`Previous ${what}`, '⇤', 'Shift+P', -1),
    h('span', { class: 'position' }, words),
    step(`Next ${what}`, '⇥', 'Shift+N', 1),
  );
}
