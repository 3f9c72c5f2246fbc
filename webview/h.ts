import { visibleLine, visibleText } from '../src/core/text/visibleText.ts';

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Attributes that are read out or shown. */
const WORDED: readonly string[] = ['aria-label', 'title', 'placeholder'];

/** Makes an element. Texts become text nodes, whatever they hold, and hide nothing. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') {
      element.setAttribute(name, WORDED.includes(name) ? visibleLine(value) : value);
    }
  }
  for (const child of children) {
    if (typeof child === 'string') element.append(visibleText(child));
    else if (child) element.append(child);
  }
  return element;
}

/** Words that are read out and not shown. */
export function spoken(words: string): HTMLElement {
  return h('span', { class: 'hidden' }, words);
}

/**
 * Leads to another place, in this view or in a file.
 *
 * @param name of its own, for a list of links; holds the words that are shown
 */
export function link(words: string, name: string, onFollow: () => void): HTMLElement {
  const attributes = { class: 'link', role: 'link', 'aria-label': name };
  return plainButton({ ...attributes, 'data-focus': `link ${name}` }, onFollow, words);
}

/** A button of the page's own; those that look like VS Code's are in `ui/controls.ts`. */
export function plainButton(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

/** What could not be read, or what a person should know. */
export function notices(problems: readonly string[]): HTMLElement[] {
  return problems.map((words) => h('p', { class: 'notice' }, `⚠ ${words}`));
}

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
