import { visibleText } from '../src/core/presentation/visibleText.ts';

type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Makes an element. Texts become text nodes, whatever they hold, and hide nothing. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string') element.setAttribute(name, value);
  }
  for (const child of children) {
    if (typeof child === 'string') element.append(visibleText(child));
    else if (child) element.append(child);
  }
  return element;
}
