import { h } from '../h.ts';

export const FIND_KEY = navigator.userAgent.includes('Mac') ? '⌘F' : 'Ctrl+F';

type Keys = readonly (readonly [keys: readonly string[], what: string])[];

const VIEW_KEYS: Keys = [
  [['j', 'k'], 'next and previous turn'],
  [['n', 'p'], 'next and previous failure'],
  [['Shift+N', 'Shift+P'], 'next and previous failing case, or changed case of two runs'],
  [['v', 'Shift+V'], 'next and previous verdict'],
  [['r', 'w'], 'the verdict is right, or wrong'],
  [['Delete', 'u'], 'remove your label, and undo'],
  [[FIND_KEY], 'find'],
];

export const RESULTS_KEYS: Keys = [
  [['n', 'p'], 'next and previous failing case, or changed case of two runs'],
  [['/', FIND_KEY], 'filter by text'],
];

/** What the keyboard does here, folded. */
export function renderKeys(list = VIEW_KEYS): HTMLElement {
  return h(
    'details',
    { class: 'keys', 'data-key': 'keys' },
    h('summary', { 'data-focus': 'keys' }, 'Keyboard'),
    ...list.map(([keys, what]) =>
      h('div', {}, ...keys.flatMap((key) => [h('kbd', {}, key), ' ']), what),
    ),
  );
}
