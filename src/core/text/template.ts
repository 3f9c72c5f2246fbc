import { LIMITS, readable } from '../limits.ts';

const VARIABLE = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

/** The variables in text, and the positions of their braces in UTF-16 units. */
export function templateVariables(text: string) {
  const found = [...text.matchAll(VARIABLE)];
  return found.map(({ index: offset, 0: { length }, 1: name = '' }) => ({ name, offset, length }));
}

/**
 * Variables within values aren't filled in.
 *
 * @throws Error on a name that `lookup` doesn't know, or on more than `most` characters; files are checked beforehand
 */
export function renderTemplate(
  text: string,
  lookup: (name: string) => string | undefined,
  most: number = LIMITS.filled,
): string {
  const valueNamed = cacheByName((name) => {
    const value = lookup(name);
    if (value === undefined) throw new Error(`The variable {{${name}}} has no value.`);
    return value;
  });
  const length = renderedLength(text, (name) => valueNamed(name).length);
  if (length > most) throw new Error(tooLong(length, most));
  return text.replace(VARIABLE, (_braces, name: string) => valueNamed(name));
}

/** Number of characters in text once its variables are filled in. @param lengthOf called once per name */
export function renderedLength(text: string, lengthOf: (name: string) => number): number {
  const cached = cacheByName(lengthOf);
  const lengths = templateVariables(text).map(({ name, length }) => cached(name) - length);
  return lengths.reduce((sum, length) => sum + length, text.length);
}

/** Returns a function that finds the value of each name once. */
export function cacheByName<Value>(find: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, { readonly value: Value }>();
  return (name) => {
    const found = known.get(name) ?? { value: find(name) };
    known.set(name, found);
    return found.value;
  };
}

export function tooLong(length: number, most: number): string {
  return `With its variables filled in, this text has ${readable(length)} characters; the limit is ${readable(most)}. Shorten the text or the values of its variables.`;
}

/** Variables of a request body, in addition to those of the case. */
export const REQUEST_VARIABLES = {
  message: 'the last user message',
  messages: "the conversation so far, in OpenAI's chat format",
  session: 'the session id; null until the service returns one',
  conversation: 'a conversation id, different for each repetition, variant, and run',
} as const;

/** Prefix for keys of the case's context. */
export const CONTEXT_PREFIX = 'context.';
