import { h } from './h.ts';

export const FIND_KEY = navigator.userAgent.includes('Mac') ? '⌘F' : 'Ctrl+F';

/** What keys do, as the help lists it. */
export type KeyHelp = readonly (readonly [keys: readonly string[], what: string])[];

/** What the keyboard does here, folded. */
export function renderKeys(list: KeyHelp): HTMLElement {
  return h(
    'details',
    { class: 'keys', 'data-key': 'keys' },
    h('summary', { 'data-focus': 'keys' }, 'Keyboard'),
    ...list.map(([keys, what]) =>
      h('div', {}, ...keys.flatMap((key) => [h('kbd', {}, key), ' ']), what),
    ),
  );
}

/**
 * Listens for keys while a page is shown.
 *
 * @param press gets each key, which is `FIND_KEY` wherever find is pressed, and where it was pressed; what is typed into
 * a control is the control's own. @returns whether the key did something
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
