import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import type { Position } from '../../core/problem.ts';
import { messageSchema, messagesFileSchema } from '../../evalfile/schema.ts';
import type { Work } from '../../node/cooperative.ts';
import type { CompletionContext } from '../ports.ts';
import { type Cursor, cursorInText } from './cursor.ts';
import { asSnippet, KINDS, sortText } from './items.ts';
import { schemaItems } from './schemaItems.ts';

/** Completes messages. In JSON, items are quoted. @param path absolute */
export function* messageCompletion(
  text: string,
  path: string,
  position: Position,
  { snippets = false }: Pick<CompletionContext, 'snippets'> = {},
): Work<CompletionItem[]> {
  if (/\.jsonl$/i.test(path)) return yield* completeLine(text, position, snippets);
  const cursor = yield* cursorInText(text, position);
  if (!cursor || cursor.style === 'block' || cursor.variable) return [];
  if (/\.json$/i.test(path)) return jsonItems(cursor, messagesFileSchema, 1, snippets);
  if (cursor.path.length === 0) return firstItems(cursor);
  return schemaItems(cursor, messagesFileSchema, snippets);
}

/** The first message in an empty YAML file. */
function firstItems(cursor: Cursor): CompletionItem[] {
  if (!cursor.canStartMapping) return [];
  return ['user', 'assistant', 'system', 'role'].map((key, index) => ({
    label: `- ${key}`,
    kind: KINDS.property,
    sortText: sortText(0, index),
    filterText: key,
    textEdit: { range: cursor.range, newText: `- ${key}: ` },
  }));
}

/** Completes one line of a JSON Lines file, independently of the other lines. */
function* completeLine(
  text: string,
  { line, character }: Position,
  snippets: boolean,
): Work<CompletionItem[]> {
  const own = text.split(/\r?\n/)[line]?.replace(/^\uFEFF/, ' ');
  const cursor = own === undefined ? undefined : yield* cursorInText(own, { line: 0, character });
  if (!cursor || cursor.style === 'block' || cursor.variable) return [];
  const { start, end } = cursor.range;
  const range = { start: { ...start, line }, end: { ...end, line } };
  return jsonItems({ ...cursor, range }, messageSchema, 0, snippets);
}

/** @param depth length of the path to a message */
function jsonItems(
  cursor: Cursor,
  schema: z.ZodType,
  depth: number,
  snippets: boolean,
): CompletionItem[] {
  if (!cursor.onKey && cursor.path.length === depth) return wholeMessages(cursor, snippets);
  // The items add quotes if there are none yet.
  const items = schemaItems({ ...cursor, canStartMapping: false }, schema, false);
  return cursor.style === 'plain' ? items.map((item) => quoteItem(item, cursor)) : items;
}

function quoteItem(item: CompletionItem, { range, onKey, hasColon }: Cursor): CompletionItem {
  const isLiteral = !onKey && ['true', 'false', 'null'].includes(item.label);
  const word = isLiteral ? item.label : JSON.stringify(item.label);
  const { insertTextFormat: _format, insertTextMode: _mode, ...rest } = item;
  return { ...rest, textEdit: { range, newText: onKey && !hasColon ? `${word}: ` : word } };
}

function wholeMessages(cursor: Cursor, snippets: boolean): CompletionItem[] {
  if (cursor.style !== 'plain') return [];
  return ['user', 'assistant', 'system'].map((role, index) => {
    const text = `{"role": "${role}", "content": "${snippets ? '$1' : ''}"}`;
    return {
      label: role,
      kind: KINDS.snippet,
      detail: 'message',
      sortText: sortText(0, index),
      textEdit: { range: cursor.range, newText: snippets ? text.replace(/\}$/, '\\}') : text },
      ...(snippets && asSnippet()),
    };
  });
}
