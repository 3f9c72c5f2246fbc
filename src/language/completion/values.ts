import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import { mappingOf, type Path, valueAt } from '../../core/data/data.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import { definition, schemasAt, valuesAt } from '../../schema/schemaWalk.ts';
import type { YamlScalar } from '../../yaml/quoting.ts';
import type { Cursor } from './cursor.ts';
import { type Choice, KINDS, matches, valueItems } from './items.ts';
import { keyItems, mappingItems, missingKeys, offerAt, snippetOf } from './keys.ts';

export function enumerated(cursor: Cursor, schema: z.ZodType = evalFileSchema): Choice[] {
  const options = optionChoices(cursor, schema);
  if (options.length > 0) return options;
  const { root, path } = cursor;
  const taken = Array.isArray(valueAt(root, path.slice(0, -1))) ? path.slice(0, -1) : undefined;
  const words = unquotedWords(root, path, schema);
  return valuesAt(schema, root, path)
    .filter(({ value }) => !words.has(value) || cursor.style === 'plain')
    .filter(({ value }) => taken === undefined || !textsAt(root, taken).includes(value))
    .map(({ value, documentation }) => ({
      label: value,
      value: words.get(value) ?? value,
      kind: KINDS.enumMember,
      documentation,
      ...(path.at(-1) === 'language' && { detail: languageName(value) }),
    }));
}

export function textsAt(root: unknown, path: Path): string[] {
  const list = valueAt(root, path);
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Values that must not be quoted, such as `true` and numbers, by their text. */
function unquotedWords(root: unknown, path: Path, schema: z.ZodType): Map<string, YamlScalar> {
  const words = schemasAt(schema, root, path).flatMap((one): YamlScalar[] => {
    const { type, values = [] } = definition(one);
    return type === 'boolean' ? [true, false] : values.filter(isUnquotedWord);
  });
  return new Map(words.map((word) => [String(word), word]));
}

function isUnquotedWord(value: unknown): value is YamlScalar {
  return typeof value === 'number' || typeof value === 'boolean' || value === null;
}

/** Types, providers, and roles, each with its missing required keys. */
function optionChoices({ root, path, inFlow, indent }: Cursor, schema: z.ZodType): Choice[] {
  const owner = path.slice(0, -1);
  const key = path.at(-1);
  const there = Object.keys(mappingOf(valueAt(root, owner)));
  return offerAt(root, owner, {}, schema)
    .options.filter((option) => option.key === key)
    .map(({ value, documentation, keys }): Choice => {
      const missing = missingKeys({ keys }, there);
      const allowed = there.every((one) => keys.some(({ name }) => name === one));
      return {
        label: value,
        kind: KINDS.enumMember,
        documentation,
        // Options that allow all existing keys come first.
        rank: allowed ? 4 : 6,
        below: snippetOf(missing, inFlow ? undefined : indent.key),
      };
    });
}

let languages: Intl.DisplayNames | undefined;

function languageName(code: string): string | undefined {
  languages ??= new Intl.DisplayNames(['en'], { type: 'language' });
  return languages.of(code);
}

/** Completes by a schema. @param more values besides the schema's own */
export function schemaItems(
  cursor: Cursor,
  schema: z.ZodType,
  snippets: boolean,
  more: readonly Choice[] = [],
): CompletionItem[] {
  if (cursor.onKey) return keyItems(cursor, snippets, schema);
  const choices = [...enumerated(cursor, schema), ...more].filter(({ label }) =>
    matches(label, cursor.typed),
  );
  return [...mappingItems(cursor, snippets, schema), ...valueItems(choices, cursor, snippets)];
}
