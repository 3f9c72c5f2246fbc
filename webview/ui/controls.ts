import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeDropdown,
  vsCodeOption,
} from '@vscode/webview-ui-toolkit';

/** A prefix of our own, so that no other library's tags clash with these. */
const PREFIX = 'turnlight';

export function registerControls(): void {
  provideVSCodeDesignSystem()
    .withPrefix(PREFIX)
    .register(vsCodeButton(), vsCodeDropdown(), vsCodeOption());
}

export interface ButtonOptions {
  readonly label: string;
  /** Shown in place of the label where there is little room. */
  readonly sign?: string;
  /** The key that does the same. */
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
    element.setAttribute('aria-keyshortcuts', ariaKeys(key));
  }
  element.dataset.focus = `button ${label}`;
  element.textContent = sign ?? label;
  element.addEventListener('click', onClick);
  return element;
}

/** `Control+F` of `Ctrl+F`, `Meta+F` of `⌘F`. */
function ariaKeys(key: string): string {
  return key.replace('Ctrl', 'Control').replace('⌘', 'Meta+');
}

export interface DropdownOptions {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function dropdown({ label, options, value, onChange }: DropdownOptions): HTMLElement {
  const element = document.createElement(`${PREFIX}-dropdown`);
  element.setAttribute('aria-label', label);
  element.setAttribute('current-value', value);
  element.dataset.focus = `dropdown ${label}`;
  for (const option of options) {
    const item = document.createElement(`${PREFIX}-option`);
    item.setAttribute('value', option.value);
    item.toggleAttribute('selected', option.value === value);
    item.textContent = option.label;
    element.append(item);
  }
  element.addEventListener('change', () => {
    const chosen: unknown = Reflect.get(element, 'value');
    if (typeof chosen === 'string' && chosen !== value) onChange(chosen);
  });
  return element;
}
