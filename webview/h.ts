import { visibleLine, visibleText } from '../src/core/text/visibleText.ts';

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Attributes that contain visible or spoken text. */
const TEXT_ATTRIBUTES: readonly string[] = ['aria-label', 'title', 'placeholder'];

/** Creates an element. Strings always become text nodes, with hidden characters made visible. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  ...parts: readonly (Attributes | Child)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const part of parts) {
    if (typeof part === 'string') element.append(visibleText(part));
    else if (part instanceof Node) element.append(part);
    else if (part) setAttributes(element, part);
  }
  return element;
}

function setAttributes(element: HTMLElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') {
      element.setAttribute(name, TEXT_ATTRIBUTES.includes(name) ? visibleLine(value) : value);
    }
  }
}

/** A link to another place in this view or in a file. @param name a unique name that contains the visible words */
export function link(words: string, name: string, onFollow: () => void): HTMLElement {
  const attributes = { class: 'link', role: 'link', 'aria-label': name };
  return plainButton({ ...attributes, 'data-focus': `link ${name}` }, onFollow, words);
}

/** A button in the page's own style. For buttons in VS Code's style, see `ui/controls.ts`. */
export function plainButton(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const element = h('button', { type: 'button', ...attributes }, ...children);
  element.addEventListener('click', onClick);
  return element;
}

/** Warnings and problems. */
export function notices(problems: readonly string[]): HTMLElement[] {
  return problems.map((words) => h('p', { class: 'notice' }, `⚠ ${words}`));
}

/**
 * A link to a line, or its position if no file can be opened.
 *
 * @param what what the line contains, such as `turn 3`
 * @param line from 1
 */
export function lineLink(
  what: string,
  path: string,
  line: number,
  onOpen: (() => void) | undefined,
): HTMLElement {
  if (onOpen) return link('Go to line', `Go to line of ${what}`, onOpen);
  return h('span', { class: 'muted' }, `${path}:${line}`);
}

interface TableRow {
  readonly cells: readonly Child[];
  readonly chosen?: boolean;
}

interface TableOptions {
  readonly class?: string;
  /** The table's name for screen readers. */
  readonly label?: string;
  /** Index of the column that names its row; default: the first. */
  readonly heading?: number;
  /** Index of the first column with numbers; default: none. */
  readonly figures?: number;
}

/** @param heads titles of the columns; an empty title creates no heading */
export function renderTable(
  heads: readonly string[],
  rows: readonly TableRow[],
  { class: style, label, heading = 0, figures = heads.length }: TableOptions,
): HTMLElement {
  const figure = (at: number) => ({ class: at < figures ? undefined : 'figure' });
  const titles = heads.map((words, at) =>
    words === '' ? h('td') : h('th', { scope: 'col', ...figure(at) }, words),
  );
  const body = rows.map(({ cells, chosen }) => {
    const children = cells.map((cell, at) =>
      at === heading ? h('th', { scope: 'row', ...figure(at) }, cell) : h('td', figure(at), cell),
    );
    return h('tr', { class: chosen ? 'chosen' : undefined }, ...children);
  });
  const attributes = { class: style, 'aria-label': label };
  return h('table', attributes, h('thead', h('tr', ...titles)), h('tbody', ...body));
}
