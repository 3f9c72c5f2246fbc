import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
} from '@vscode/webview-ui-toolkit';
import type { ElementCache } from '../redraw.ts';

/** Prefix for tags, to avoid conflicts with other libraries. */
const PREFIX = 'turnlight';

export function registerControls(): void {
  provideVSCodeDesignSystem()
    .withPrefix(PREFIX)
    .register(vsCodeButton(), vsCodeDropdown(), vsCodeOption());
}

interface ButtonOptions {
  readonly label: string;
  /** Replaces the label if there is little space. */
  readonly sign?: string;
  /** The keyboard shortcut. */
  readonly key?: string;
  readonly primary?: boolean;
  readonly onClick: () => void;
}

export function button({ label, sign, key, primary, onClick }: ButtonOptions): HTMLElement {
  const element = document.createElement(`${PREFIX}-button`);
  element.setAttribute('appearance', primary ? 'primary' : 'secondary');
  element.setAttribute('aria-label', label);
  if (key !== undefined) {
    element.title = `${label} (${key})`;
    const keys = key.replace('Ctrl', 'Control').replace('⌘', 'Meta+');
    element.setAttribute('aria-keyshortcuts', keys);
  }
  element.dataset.focus = `button ${label}`;
  element.textContent = sign ?? label;
  element.addEventListener('click', onClick);
  return element;
}

export interface DropdownOptions<Value> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function dropdown<Value>(given: DropdownOptions<Value>): HTMLElement {
  const { label, options, value, onChange } = given;
  const element = document.createElement(`${PREFIX}-dropdown`);
  const chosen = options.findIndex((option) => option.value === value);
  element.setAttribute('aria-label', label);
  element.setAttribute('current-value', String(chosen));
  element.dataset.focus = `dropdown ${label}`;
  for (const [index, option] of options.entries()) {
    const item = document.createElement(`${PREFIX}-option`);
    item.setAttribute('value', String(index));
    item.toggleAttribute('selected', index === chosen);
    item.textContent = option.label;
    element.append(item);
  }
  element.addEventListener('change', () => {
    const option = options[Number(Reflect.get(element, 'value'))];
    if (option && option.value !== value) onChange(option.value);
  });
  return element;
}

/**
 * A dropdown that stays on the page, even while open, until its content changes.
 *
 * @param shown everything that `onChange` uses
 */
export function cachedDropdown<Value>(
  cache: ElementCache,
  given: DropdownOptions<Value>,
  shown: unknown,
): HTMLElement {
  const { label, options, value } = given;
  return cache.get(`dropdown ${label}`, [options, value, shown], () => dropdown(given));
}
