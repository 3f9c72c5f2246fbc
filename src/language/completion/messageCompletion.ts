import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import type { Position } from '../../core/problem.ts';
import { messageSchema, messagesFileSchema } from '../../evalfile/schema.ts';
import type { Work } from '../../node/cooperative.ts';
import type { CompletionContext } from '../ports.ts';
import { type Cursor, cursorInText } from './cursor.ts';
import { asSnippet, KINDS, sortText } from './items.ts';
import { schemaItems } from './schemaItems.ts';

/**
 * Completes keys, roles, and types in a file of messages, also in an invalid one. In JSON, items are quoted.
 *
 * @param path absolute
 */
export function* messageCompletion(
  text: string,
  path: string,
  position: Position,
  { snippets = false }: Pick<CompletionContext, 'snippets'> = {},
): Work<CompletionItem[]> {
  if (/\.jsonl$/i.test(path)) return yield* completeLine(text, position, snippets);
  if (/\.json$/i.test(path)) {
    const cursor = yield* cursorInText(text, position);
    return cursor ? jsonItems(cursor, messagesFileSchema, 1, snippets) : [];
  }
  const cursor = yield* cursorInText(text, position);
  if (!cursor || cursor.style === 'block' || cursor.variable) return [];
  if (cursor.path.length === 0) return firstItems(cursor);
  return schemaItems(cursor, messagesFileSchema, snippets);
}

/** The first message of an empty YAML file. */
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
  position: Position,
  snippets: boolean,
): Work<CompletionItem[]> {
  const line = text.split(/\r?\n/)[position.line];
  if (line === undefined) return [];
  const blank = line.replace(/^\uFEFF/, ' ');
  const cursor = yield* cursorInText(blank, { line: 0, character: position.character });
  if (!cursor) return [];
  const { range } = cursor;
  const moved = {
    start: { ...range.start, line: position.line },
    end: { ...range.end, line: position.line },
  };
  return jsonItems({ ...cursor, range: moved }, messageSchema, 0, snippets);
}

/** @param depth of the path to a message */
function jsonItems(
  cursor: Cursor,
  schema: z.ZodType,
  depth: number,
  snippets: boolean,
): CompletionItem[] {
  if (cursor.style === 'block' || cursor.variable) return [];
  if (!cursor.onKey && cursor.path.length === depth) return wholeMessages(cursor, snippets);
  // Items add quotes if there are none yet.
  const items = schemaItems({ ...cursor, canStartMapping: false }, schema, false);
  return cursor.style === 'plain' ? items.map((item) => quoteItem(item, cursor)) : items;
}

function quoteItem(item: CompletionItem, { range, onKey, hasColon }: Cursor): CompletionItem {
  const isLiteral = item.label === 'true' || item.label === 'false' || item.label === 'null';
  const word = !onKey && isLiteral ? item.label : JSON.stringify(item.label);
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
