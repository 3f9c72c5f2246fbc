import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import { valueAt } from '../../core/data.ts';
import type { Position } from '../../core/problem.ts';
import { messageSchema, messagesFileSchema } from '../../evalfile/messagesSchema.ts';
import { asSnippet, fits, KINDS, sortText, valueItems } from './completion/items.ts';
import { beginItems, keyItems } from './completion/keys.ts';
import { offerAt } from './completion/options.ts';
import { markedPlace, type Place } from './completion/place.ts';
import { enumerated } from './completion/values.ts';

/** What the client understands. */
export interface MessageContext {
  readonly snippets?: boolean;
}

/**
 * What can be written at a place of a file of messages, be it half-written: keys, roles, types of
 * parts and items. In JSON all of it in quotes, and nothing within texts.
 *
 * @param path absolute
 */
export function messageCompletion(
  text: string,
  path: string,
  position: Position,
  { snippets = false }: MessageContext = {},
): CompletionItem[] {
  if (/\.jsonl$/i.test(path)) return inLine(text, position, snippets);
  if (/\.json$/i.test(path)) {
    const place = markedPlace(text, position);
    return place ? jsonItems(place, messagesFileSchema, 1, snippets) : [];
  }
  const place = markedPlace(text, position);
  if (!place || place.style === 'block' || place.variable) return [];
  if (place.path.length === 0) return firstItems(place);
  return itemsAt(place, messagesFileSchema, snippets);
}

function itemsAt(place: Place, schema: z.ZodType, snippets: boolean): CompletionItem[] {
  const { root, path } = place;
  if (place.onKey) {
    const owner = path.slice(0, -1);
    const offer = offerAt(root, owner, valueAt(root, owner), schema);
    return keyItems(place, snippets, offer);
  }
  const choices = enumerated(place, schema).filter(({ label }) => fits(label, place.typed));
  return [...beginItems(place, snippets, schema), ...valueItems(choices, place, snippets)];
}

/** The first message of an empty YAML file. */
function firstItems(place: Place): CompletionItem[] {
  if (!place.begins) return [];
  return ['user', 'assistant', 'system', 'role'].map((key, index) => ({
    label: `- ${key}`,
    kind: KINDS.property,
    sortText: sortText(0, index),
    filterText: key,
    textEdit: { range: place.range, newText: `- ${key}: ` },
  }));
}

/** A line of JSON lines is a message by itself, whatever stands in the others. */
function inLine(text: string, position: Position, snippets: boolean): CompletionItem[] {
  const line = text.split(/\r?\n/)[position.line];
  if (line === undefined) return [];
  const blank = line.replace(/^\uFEFF/, ' ');
  const place = markedPlace(blank, { line: 0, character: position.character });
  if (!place) return [];
  const { range } = place;
  const moved = {
    start: { ...range.start, line: position.line },
    end: { ...range.end, line: position.line },
  };
  return jsonItems({ ...place, range: moved }, messageSchema, 0, snippets);
}

/** @param depth of the path to a message */
function jsonItems(
  place: Place,
  schema: z.ZodType,
  depth: number,
  snippets: boolean,
): CompletionItem[] {
  if (place.style === 'block' || place.variable) return [];
  if (!place.onKey && place.path.length === depth) return wholeMessages(place, snippets);
  // Within quotes, items are written as they are; else they bring theirs.
  const items = itemsAt({ ...place, begins: false }, schema, false);
  return place.style === 'plain' ? items.map((item) => quoted(item, place)) : items;
}

function quoted(item: CompletionItem, { range, onKey, hasColon }: Place): CompletionItem {
  const bare = item.label === 'true' || item.label === 'false' || item.label === 'null';
  const word = !onKey && bare ? item.label : JSON.stringify(item.label);
  const { insertTextFormat: _format, insertTextMode: _mode, ...rest } = item;
  return { ...rest, textEdit: { range, newText: onKey && !hasColon ? `${word}: ` : word } };
}

function wholeMessages(place: Place, snippets: boolean): CompletionItem[] {
  if (place.style !== 'plain') return [];
  return ['user', 'assistant', 'system'].map((role, index) => {
    const text = `{"role": "${role}", "content": "${snippets ? '$1' : ''}"}`;
    return {
      label: role,
      kind: KINDS.snippet,
      detail: 'message',
      sortText: sortText(0, index),
      textEdit: { range: place.range, newText: snippets ? text.replace(/\}$/, '\\}') : text },
      ...(snippets && asSnippet()),
    };
  });
}
