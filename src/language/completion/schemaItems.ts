import type { CompletionItem } from 'vscode-languageserver-types';
import type * as z from 'zod';
import {
  groupBy,
  mappingOf,
  type Path,
  uniqueBy,
  valueAt,
  withValueAt,
} from '../../core/data/data.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import {
  defaultOf,
  defaultText,
  definition,
  documentationOf,
  isUnread,
  type KeyInfo,
  keyInfo,
  keysAt,
  schemasAt,
  unwrap,
  valuesAt,
} from '../../schema/schemaWalk.ts';
import { writeWord, type YamlScalar } from '../../yaml/quoting.ts';
import type { Cursor } from './cursor.ts';
import {
  asSnippet,
  type Choice,
  documented,
  escapeSnippet,
  KINDS,
  matches,
  sortText,
  valueItems,
} from './items.ts';

/** Items for the keys that a mapping doesn't have yet. */
export function keyItems(cursor: Cursor, snippets: boolean, schema?: z.ZodType): CompletionItem[] {
  const owner = cursor.path.slice(0, -1);
  const there = valueAt(cursor.root, owner);
  const { keys } = offerAt(cursor.root, owner, there, schema);
  return itemsOf(keys, Object.keys(Object(there)), cursor, snippets);
}

/**
 * The first keys of a new mapping, and whole mappings with their required keys:
 *
 *     assert:
 *       - |          type: contains⏎ value: …
 */
export function mappingItems(
  cursor: Cursor,
  snippets: boolean,
  schema?: z.ZodType,
): CompletionItem[] {
  if (!cursor.canStartMapping) return [];
  const { options, keys } = offerAt(cursor.root, cursor.path, {}, schema);
  const wholes = options.map(({ key, value, documentation, keys: own }, index): CompletionItem => {
    const word = writeWord(value);
    const below = snippetOf(missingKeys(own, [key]), cursor.indent.own);
    const newText = `${key}: ${snippets ? escapeSnippet(word) + below : word}`;
    return {
      label: value,
      // Doesn't use the snippet kind: the extension turns that off, because VS Code would also offer snippets in prose.
      kind: KINDS.enumMember,
      sortText: sortText(2, index),
      detail: key,
      ...documented(documentation),
      textEdit: { range: cursor.range, newText },
      ...(snippets && asSnippet()),
    };
  });
  return [...itemsOf(keys, [], cursor, snippets), ...wholes].filter(({ label }) =>
    matches(label, cursor.typed),
  );
}

export function missingKeys(keys: readonly KeyInfo[], there: readonly string[]): KeyInfo[] {
  const isKey = (wanted: string) => keys.some(({ name }) => name === wanted);
  // A judge needs either `prompt` or `instructions`, so neither is marked as required.
  const needsPrompt = isKey('prompt') && isKey('instructions') && !there.includes('instructions');
  return keys.filter(
    ({ name, required }) =>
      (required || (needsPrompt && name === 'prompt')) && !there.includes(name),
  );
}

/** @param indent number of columns from the line's first word to the keys; undefined within braces */
export function snippetOf(keys: readonly KeyInfo[], indent: number | undefined): string {
  const before = indent === undefined ? ', ' : `\n${marginOf(indent)}`;
  const entries = keys.map(
    ({ name, schema }, index) => before + name + entrySnippet(formOf(schema), index + 1, indent),
  );
  return entries.join('');
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
      const rest = form === 'scalar' ? ': ' : entrySnippet(form, 1, indent);
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

/** Opens the suggestions at the new cursor position. Other editors ignore this command. */
const SUGGEST = { title: 'Suggest', command: 'editor.action.triggerSuggest' };

/** Whether there are completions for the value, or for its first item or key. */
function hasChoices(schema: KeyInfo['schema']): boolean {
  const { type, options, element, shape } = definition(unwrap(schema));
  const inner = options ?? (element ? [element] : []);
  return inner.some(hasChoices) || shape !== undefined || ['enum', 'literal'].includes(type);
}

/** The text after a key, with a tab stop. */
function entrySnippet(form: Form, number: number, indent: number | undefined): string {
  const stop = `$${number}`;
  if (form === 'scalar') return `: ${stop}`;
  if (indent === undefined) return form === 'list' ? `: [${stop}]` : `: {${stop}\\}`;
  return `:\n${marginOf(indent)}  ${form === 'list' ? '- ' : ''}${stop}`;
}

function marginOf(indent: number): string {
  return ' '.repeat(Math.max(0, indent));
}

type Form = 'scalar' | 'list' | 'mapping';

/** The simplest form of a value. */
function formOf(schema: KeyInfo['schema']): Form {
  const { type, options } = definition(unwrap(schema));
  if (options) {
    const forms = options.map(formOf);
    return forms.find((form) => form === 'scalar') ?? forms[0] ?? 'scalar';
  }
  if (type === 'array') return 'list';
  return type === 'object' || type === 'record' ? 'mapping' : 'scalar';
}

/** One of several possible mappings, distinguished by the value of one key. */
export interface Option {
  readonly key: string;
  readonly value: string;
  readonly documentation: string | undefined;
  readonly keys: readonly KeyInfo[];
}

/** Everything that is valid at a location, regardless of its current value. */
interface Offer {
  readonly options: readonly Option[];
  /** The keys that are valid before an option is chosen. */
  readonly keys: readonly KeyInfo[];
}

/** @param value replaces the value at the path */
export function offerAt(
  root: unknown,
  path: Path,
  value: unknown,
  schema: z.ZodType = evalFileSchema,
): Offer {
  const changed = withValueAt(root, path, () => value);
  const mappings = schemasAt(schema, changed, path).flatMap((one) => {
    const { shape } = definition(one);
    if (!shape) return [];
    const offered = Object.entries(shape).filter(([, field]) => !isUnread(field));
    const keys = offered.map(([name, field]) => keyInfo(name, field));
    return [{ keys, ...discriminatorOf(shape) }];
  });
  const options = mappings.flatMap(({ key, value: tag, documentation, keys }) =>
    key !== undefined && tag !== undefined ? [{ key, value: tag, documentation, keys }] : [],
  );
  const keys = [...groupBy(options, ({ key }) => key).values()].flatMap((own) => {
    const isUndecided = own.some((option) => option.value !== own[0].value);
    return isUndecided ? sharedKeys(own) : own.flatMap((option) => option.keys);
  });
  const free = mappings.filter(({ key }) => key === undefined).flatMap((one) => one.keys);
  return {
    // Several options may have the same value: a role, for example, is in all dialects. The first option is the
    // simplest.
    options: uniqueBy(options, ({ key, value: tag }) => `${key} ${tag}`),
    keys: uniqueBy([...keys, ...free], ({ name }) => name),
  };
}

type Shape = NonNullable<ReturnType<typeof definition>['shape']>;

/** The key in the mapping that has only one possible value. */
function discriminatorOf(shape: Shape) {
  for (const [key, field] of Object.entries(shape)) {
    const { type, values } = definition(unwrap(field));
    const [value] = values ?? [];
    if (type !== 'literal' || typeof value !== 'string' || field._zod.optin !== undefined) continue;
    return { key, value, documentation: documentationOf(field) };
  }
  return {};
}

function sharedKeys(options: readonly Option[]): KeyInfo[] {
  const [first, ...others] = options;
  return (first?.keys ?? []).flatMap((info) => {
    const same = others.every(({ keys }) => keys.some(({ name }) => name === info.name));
    if (!same) return [];
    const documentation = 'The type, which decides which other keys are allowed.';
    return [info.name === first?.key ? { ...info, documentation } : info];
  });
}

/** Whether the schema defines the last key of the path. */
export function isKnownKey(root: unknown, path: Path): boolean {
  return keysAt(evalFileSchema, root, path.slice(0, -1)).some(({ name }) => name === path.at(-1));
}

export function enumerated(cursor: Cursor, schema: z.ZodType = evalFileSchema): Choice[] {
  const options = optionChoices(cursor, schema);
  if (options.length > 0) return options;
  const { root, path } = cursor;
  const listed = textsAt(root, path.slice(0, -1));
  const words = unquotedWords(root, path, schema);
  return valuesAt(schema, root, path)
    .filter(({ value }) => !words.has(value) || cursor.style === 'plain')
    .filter(({ value }) => !listed.includes(value))
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
      const missing = missingKeys(keys, there);
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

/** @param more values to offer in addition to the schema's */
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
