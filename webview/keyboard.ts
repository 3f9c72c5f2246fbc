import { h } from './h.ts';

export const FIND_KEY = navigator.userAgent.includes('Mac') ? '⌘F' : 'Ctrl+F';

/** Keyboard shortcuts and what they do. */
export type KeyHelp = readonly (readonly [keys: readonly string[], what: string])[];

/** Collapsible help on keyboard shortcuts. */
export function renderKeys(list: KeyHelp): HTMLElement {
  return h(
    'details',
    { class: 'keys', 'data-key': 'keys' },
    h('summary', { 'data-focus': 'keys' }, 'Keyboard'),
    ...list.map(([keys, what]) => h('div', ...keys.flatMap((key) => [h('kbd', key), ' ']), what)),
  );
}

/**
 * Handles keys while a page is visible.
 *
 * @param press gets each key and its target; the find shortcut is `FIND_KEY`, and keys typed into a control are
 * ignored.
 * @returns whether it handled the key
 */
export function listenForKeys(
  root: HTMLElement,
  press: (key: string, at: Element | null) => boolean,
): void {
  document.addEventListener('keydown', (event) => {
    if (root.hidden) return;
    const { key, target, altKey, shiftKey } = event;
    const at = target instanceof Element ? target : null;
    const command = event.ctrlKey || event.metaKey;
    const isFind = command && !altKey && !shiftKey && key.toLowerCase() === 'f';
    if (!isFind && (command || altKey || at?.matches(CONTROLS))) return;
    if (press(isFind ? FIND_KEY : key, at)) event.preventDefault();
  });
}

const CONTROLS = 'input, textarea, select, turnlight-dropdown, turnlight-option';
