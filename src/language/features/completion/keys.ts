import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import { valueAt } from '../../../core/data.ts';
import { visibleLine } from '../../../core/presentation/visibleText.ts';
import { definition, type KeyInfo, unwrap } from '../../../schema/schemaWalk.ts';
import { writeWord } from '../../../yaml/write.ts';
import { asSnippet, fits, KINDS, LONGEST, plainSnippet, sortText } from './items.ts';
import { type Offer, type Option, offerAt } from './options.ts';
import type { Place } from './place.ts';

/** The keys that a mapping can still have. */
export function keyItems(place: Place, snippets: boolean, offer?: Offer): CompletionItem[] {
  const owner = place.path.slice(0, -1);
  const there = valueAt(place.root, owner);
  const { keys } = offer ?? offerAt(place.root, owner, there);
  return itemsOf(keys, Object.keys(Object(there)), place, snippets);
}

/**
 * Where a mapping has not begun yet, its first keys and whole mappings with all that they need:
 *
 *     assert:
 *       - |          type: contains⏎ value: …
 */
export function beginItems(place: Place, snippets: boolean, schema?: z.ZodType): CompletionItem[] {
  if (!place.begins) return [];
  const { options, keys } = offerAt(place.root, place.path, {}, schema);
  const wholes = options.map(({ key, value, documentation, keys: own }, index): CompletionItem => {
    const needed = neededKeys({ keys: own }, [key]);
    const below = snippetOf(needed, place.indent.own);
    return {
      label: value,
      kind: KINDS.snippet,
      sortText: sortText(2, index),
      detail: key,
      ...(documentation !== undefined && { documentation: visibleLine(documentation, LONGEST) }),
      textEdit: {
        range: place.range,
        newText: snippets
          ? `${key}: ${plainSnippet(writeWord(value))}${below}`
          : `${key}: ${writeWord(value)}`,
      },
      ...(snippets && asSnippet()),
    };
  });
  return [...itemsOf(keys, [], place, snippets), ...wholes].filter(({ label }) =>
    fits(label, place.typed),
  );
}

/** The first keys of a text that has none yet. */
export function rootItems(place: Place, snippets: boolean, { keys }: Offer): CompletionItem[] {
  return place.begins ? itemsOf(keys, [], place, snippets) : [];
}

/** The keys that an option cannot do without. */
export function neededKeys({ keys }: Pick<Option, 'keys'>, there: readonly string[]): KeyInfo[] {
  const has = (list: readonly string[], name: string) => list.includes(name);
  const names = keys.map(({ name }) => name);
  // A judge prompt is a file or stands in `instructions`: neither is required, one is needed.
  const either = has(names, 'prompt') && has(names, 'instructions') && !has(there, 'instructions');
  return keys.filter(
    ({ name, required }) => (required || (either && name === 'prompt')) && !has(there, name),
  );
}

/** @param indent columns from the first word of the line to the keys */
export function snippetOf(keys: readonly KeyInfo[], indent: number): string {
  const margin = ' '.repeat(Math.max(0, indent));
  return keys
    .map(
      ({ name, schema }, index) => `\n${margin}${name}:${bodyOf(schema, `$${index + 1}`, margin)}`,
    )
    .join('');
}

/** As `snippetOf`, within braces. */
export function flowSnippetOf(keys: readonly KeyInfo[]): string {
  const bodies = { scalar: '$', list: '[$]', mapping: '{$}' };
  return keys
    .map(({ name, schema }, index) => {
      const body = bodies[formOf(schema)].replace('$', `$$${index + 1}`);
      return `, ${name}: ${body.replace('}', '\\}')}`;
    })
    .join('');
}

function itemsOf(
  keys: readonly KeyInfo[],
  there: readonly string[],
  place: Place,
  snippets: boolean,
): CompletionItem[] {
  return keys
    .map((info, index) => ({ info, index }))
    .filter(({ info: { name } }) => !there.includes(name))
    .map(({ info: { name, required, documentation, schema }, index }) => {
      const plain = place.style === 'plain' && !place.hasColon;
      const form = plain && snippets ? formOf(schema) : 'scalar';
      const margin = ' '.repeat(Math.max(0, place.indent.own));
      const body = place.inFlow
        ? { scalar: ' ', list: ' [$1]', mapping: ' {$1\\}' }[form]
        : undefined;
      const rest = body ?? (form === 'scalar' ? ' ' : bodyOf(schema, '$1', margin));
      return {
        label: name,
        kind: KINDS.property,
        detail: required ? 'required' : 'optional',
        sortText: sortText(required ? 0 : 1, index),
        ...(documentation !== undefined && { documentation: visibleLine(documentation, 300) }),
        textEdit: { range: place.range, newText: plain ? `${name}:${rest}` : name },
        ...(form !== 'scalar' && asSnippet()),
      };
    });
}

/** What follows the colon of a key in a block. */
function bodyOf(schema: KeyInfo['schema'], tabStop: string, margin: string): string {
  const below = {
    scalar: ` ${tabStop}`,
    list: `\n${margin}  - ${tabStop}`,
    mapping: `\n${margin}  ${tabStop}`,
  };
  return below[formOf(schema)];
}

/** How a value is written; the simplest way, where there are several. */
function formOf(schema: KeyInfo['schema']): 'scalar' | 'list' | 'mapping' {
  const plain = unwrap(schema);
  const { type, options } = definition(plain);
  if (options) {
    const forms = options.map(formOf);
    return forms.find((form) => form === 'scalar') ?? forms[0] ?? 'scalar';
  }
  if (type === 'array') return 'list';
  return type === 'object' || type === 'record' ? 'mapping' : 'scalar';
}
