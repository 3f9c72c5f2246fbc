import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import { valueAt } from '../../core/data/data.ts';
import {
  defaultOf,
  defaultText,
  definition,
  type KeyInfo,
  unwrap,
} from '../../schema/schemaWalk.ts';
import { writeWord } from '../../yaml/quoting.ts';
import type { Cursor } from './cursor.ts';
import { asSnippet, documented, fits, KINDS, plainSnippet, sortText } from './items.ts';
import { type Option, offerAt } from './options.ts';

/** The keys that a mapping can still have. */
export function keyItems(cursor: Cursor, snippets: boolean, schema?: z.ZodType): CompletionItem[] {
  const owner = cursor.path.slice(0, -1);
  const there = valueAt(cursor.root, owner);
  const { keys } = offerAt(cursor.root, owner, there, schema);
  return itemsOf(keys, Object.keys(Object(there)), cursor, snippets);
}

/**
 * Where a mapping has not begun yet, its first keys and whole mappings with all that they need:
 *
 *     assert:
 *       - |          type: contains⏎ value: …
 */
export function beginItems(
  cursor: Cursor,
  snippets: boolean,
  schema?: z.ZodType,
): CompletionItem[] {
  if (!cursor.begins) return [];
  const { options, keys } = offerAt(cursor.root, cursor.path, {}, schema);
  const wholes = options.map(({ key, value, documentation, keys: own }, index): CompletionItem => {
    const needed = neededKeys({ keys: own }, [key]);
    const below = snippetOf(needed, cursor.indent.own);
    return {
      label: value,
      // The extension turns off what is of the kind snippet, which VS Code offers in prose as well.
      kind: KINDS.enumMember,
      sortText: sortText(2, index),
      detail: key,
      ...documented(documentation),
      textEdit: {
        range: cursor.range,
        newText: snippets
          ? `${key}: ${plainSnippet(writeWord(value))}${below}`
          : `${key}: ${writeWord(value)}`,
      },
      ...(snippets && asSnippet()),
    };
  });
  return [...itemsOf(keys, [], cursor, snippets), ...wholes].filter(({ label }) =>
    fits(label, cursor.typed),
  );
}

/** The keys that an option cannot do without. */
export function neededKeys({ keys }: Pick<Option, 'keys'>, there: readonly string[]): KeyInfo[] {
  const isKey = (wanted: string) => keys.some(({ name }) => name === wanted);
  // A judge prompt is a file or stands in `instructions`: neither is required, one is needed.
  const either = isKey('prompt') && isKey('instructions') && !there.includes('instructions');
  return keys.filter(
    ({ name, required }) => (required || (either && name === 'prompt')) && !there.includes(name),
  );
}

/** @param indent columns from the first word of the line to the keys; within braces without it */
export function snippetOf(keys: readonly KeyInfo[], indent: number | undefined): string {
  const before = indent === undefined ? ', ' : `\n${marginOf(indent)}`;
  return keys
    .map(({ name, schema }, index) => before + name + entryOf(formOf(schema), index + 1, indent))
    .join('');
}

function itemsOf(
  keys: readonly KeyInfo[],
  there: readonly string[],
  cursor: Cursor,
  snippets: boolean,
): CompletionItem[] {
  return keys
    .map((info, index) => ({ info, index }))
    .filter(({ info: { name } }) => !there.includes(name))
    .map(({ info: { name, required, documentation, schema }, index }) => {
      const plain = cursor.style === 'plain' && !cursor.hasColon;
      const form = plain && snippets ? formOf(schema) : 'scalar';
      const indent = cursor.inFlow ? undefined : cursor.indent.own;
      const rest = form === 'scalar' ? ': ' : entryOf(form, 1, indent);
      const about = [documentation, defaultText(defaultOf(schema))].filter((text) => text);
      return {
        label: name,
        kind: KINDS.property,
        detail: required ? 'required' : 'optional',
        sortText: sortText(required ? 0 : 1, index),
        ...documented(about.join(' ')),
        textEdit: { range: cursor.range, newText: plain ? name + rest : name },
        ...(form !== 'scalar' && asSnippet()),
        ...(plain && snippets && hasChoices(schema) && { command: SUGGEST }),
      };
    });
}

/** Opens the list of what can be written where the cursor is then; other editors pass it over. */
const SUGGEST = { title: 'Suggest', command: 'editor.action.triggerSuggest' };

/** Whether something can be chosen for a value, or for the first item or key in it. */
function hasChoices(schema: KeyInfo['schema']): boolean {
  const { type, options, element, shape } = definition(unwrap(schema));
  const inner = options ?? (element ? [element] : []);
  return inner.some(hasChoices) || shape !== undefined || ['enum', 'literal'].includes(type);
}

/** What follows a key, with a place for what is typed next. */
function entryOf(form: Form, number: number, indent: number | undefined): string {
  const margin = marginOf(indent);
  const bodies =
    indent === undefined
      ? { scalar: ` $${number}`, list: ` [$${number}]`, mapping: ` {$${number}\\}` }
      : {
          scalar: ` $${number}`,
          list: `\n${margin}  - $${number}`,
          mapping: `\n${margin}  $${number}`,
        };
  return `:${bodies[form]}`;
}

function marginOf(indent = 0): string {
  return ' '.repeat(Math.max(0, indent));
}

type Form = 'scalar' | 'list' | 'mapping';

/** How a value is written; the simplest way, where there are several. */
function formOf(schema: KeyInfo['schema']): Form {
  const plain = unwrap(schema);
  const { type, options } = definition(plain);
  if (options) {
    const forms = options.map(formOf);
    return forms.find((form) => form === 'scalar') ?? forms[0] ?? 'scalar';
  }
  if (type === 'array') return 'list';
  return type === 'object' || type === 'record' ? 'mapping' : 'scalar';
}
