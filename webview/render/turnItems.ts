import type { SystemText, Turn, TurnItem } from '../../src/core/conversation.ts';
import { parseJson } from '../../src/core/data/data.ts';
import { unreachable } from '../../src/core/errors.ts';
import { counted } from '../../src/core/text/format.ts';
import { h } from '../h.ts';
import { renderMarkdown } from '../markdown.ts';

/** A longer system text is folded: it is rarely what one looks for. */
const SHORT = 280;

export interface ItemOptions {
  readonly rendered: boolean;
  /** The tools whose calls are open. */
  readonly openTools: ReadonlySet<string>;
}

/** What was said and done in a turn, and what was retrieved for it. */
export function renderItems(
  { number, items, retrievalContext }: Turn,
  options: ItemOptions,
): HTMLElement {
  return h(
    'div',
    { class: 'body' },
    ...items.map((item, index) => renderItem(item, `${number}.${index}`, options)),
    retrievalContext &&
      h(
        'details',
        { class: 'tool', 'data-key': `context ${number}` },
        label('summary', `Retrieved context: ${counted(retrievalContext.length, 'text')}`),
        ...retrievalContext.map((text) => h('pre', {}, text)),
      ),
  );
}

function renderItem(
  item: TurnItem,
  key: string,
  { rendered, openTools }: ItemOptions,
): HTMLElement {
  switch (item.kind) {
    case 'text':
      return rendered
        ? h('div', { class: 'said' }, renderMarkdown(item.text))
        : h('div', { class: 'said source' }, item.text);
    case 'system':
      return renderSystem(item, key);
    case 'tool-call': {
      const { call, result } = item;
      return h(
        'details',
        { class: 'tool', 'data-key': `tool ${key}`, open: openTools.has(call.name) },
        h('summary', {}, label('span', 'Tool call '), h('code', {}, call.name)),
        h('pre', {}, JSON.stringify(call.arguments, null, 2) ?? ''),
        label('div', result === undefined ? 'No result' : 'Result'),
        result !== undefined && h('pre', {}, spacedJson(result)),
      );
    }
    default:
      return unreachable(item);
  }
}

export function renderSystem({ role, text }: SystemText, key: string): HTMLElement {
  return h(
    'details',
    { class: 'system', 'data-key': `system ${key}`, open: text.length <= SHORT },
    label('summary', `${role === 'system' ? 'System' : 'Developer'} text`),
    h('div', { class: 'source' }, text),
  );
}

/** Words of ours: no quote is looked for in them. */
function label(tag: 'div' | 'span' | 'summary', words: string): HTMLElement {
  return h(tag, { class: 'label' }, words);
}

/** JSON on lines of its own, where nothing but its spaces changes: `12345678901234567890` would. */
function spacedJson(text: string): string {
  const spaced = JSON.stringify(parseJson(text), null, 2) ?? text;
  return withoutSpaces(spaced) === withoutSpaces(text) ? spaced : text;
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}
