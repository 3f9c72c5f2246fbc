import { h } from '../h.ts';

export const FIND_KEY = navigator.userAgent.includes('Mac') ? '⌘F' : 'Ctrl+F';

const KEYS = [
  [['j', 'k'], 'next and previous turn'],
  [['n', 'p'], 'next and previous failure'],
  [['Shift+N', 'Shift+P'], 'next and previous failing case, or changed case of two runs'],
  [['v', 'Shift+V'], 'next and previous verdict'],
  [['r', 'w'], 'the verdict is right, or wrong'],
  [['Delete', 'u'], 'remove your label, and undo'],
  [[FIND_KEY], 'find'],
] as const;

/** What the keyboard does here, folded. */
export function renderKeys(): HTMLElement {
  return h(
    'details',
    { class: 'keys', 'data-key': 'keys' },
    h('summary', { 'data-focus': 'keys' }, 'Keyboard'),
    ...KEYS.map(([keys, what]) =>
      h('div', {}, ...keys.flatMap((key) => [h('kbd', {}, key), ' ']), what),
    ),
  );
}
