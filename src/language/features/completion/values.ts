import type * as z from 'zod';
import { type Path, valueAt } from '../../../core/data.ts';
import { evalFileSchema } from '../../../evalfile/schema.ts';
import { definition, schemasAt, valuesAt } from '../../../schema/schemaWalk.ts';
import type { Word } from '../../../yaml/write.ts';
import { type Choice, KINDS } from './items.ts';
import { flowSnippetOf, neededKeys, snippetOf } from './keys.ts';
import { offerAt } from './options.ts';
import type { Place } from './place.ts';

/** The values that the schema enumerates. */
export function enumerated(place: Place, schema: z.ZodType = evalFileSchema): Choice[] {
  const options = optionChoices(place, schema);
  if (options.length > 0) return options;
  const { root, path } = place;
  const taken = Array.isArray(valueAt(root, path.slice(0, -1))) ? path.slice(0, -1) : undefined;
  const words = otherWords(root, path, schema);
  return valuesAt(schema, root, path)
    .filter(({ value }) => !words.has(value) || place.style === 'plain')
    .filter(({ value }) => taken === undefined || !listed(root, taken).includes(value))
    .map(({ value, documentation }) => ({
      label: value,
      value: words.get(value) ?? value,
      kind: KINDS.enumMember,
      documentation,
      ...(path.at(-1) === 'language' && { detail: languageName(value) }),
    }));
}

/** The texts in a list. */
export function listed(root: unknown, path: Path): string[] {
  const list = valueAt(root, path);
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** `true` and numbers by their text: quotes would make a text of them. */
function otherWords(root: unknown, path: Path, schema: z.ZodType): Map<string, Word> {
  const words = schemasAt(schema, root, path).flatMap((one): Word[] => {
    const { type, values = [] } = definition(one);
    return type === 'boolean' ? [true, false] : values.filter(isOtherWord);
  });
  return new Map(words.map((word) => [String(word), word]));
}

function isOtherWord(value: unknown): value is Word {
  return typeof value === 'number' || typeof value === 'boolean' || value === null;
}

/** Types, providers and roles, each with the keys that it needs and that are not there yet. */
function optionChoices({ root, path, inFlow, indent }: Place, schema: z.ZodType): Choice[] {
  const owner = path.slice(0, -1);
  const key = path.at(-1);
  const there = Object.keys(Object(valueAt(root, owner)));
  return offerAt(root, owner, {}, schema)
    .options.filter((option) => option.key === key)
    .map(({ value, documentation, keys }): Choice => {
      const needed = neededKeys({ keys }, there);
      const known = there.every((one) => keys.some(({ name }) => name === one));
      return {
        label: value,
        kind: KINDS.enumMember,
        documentation,
        // Those first that can keep what stands beside them.
        rank: known ? 4 : 6,
        below: inFlow ? flowSnippetOf(needed) : snippetOf(needed, indent.key),
      };
    });
}

const languages = new Intl.DisplayNames(['en'], { type: 'language' });

function languageName(code: string): string | undefined {
  return languages.of(code);
}
