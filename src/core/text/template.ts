const VARIABLE = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

/** The variables in a text, and the positions of their braces in UTF-16 units. */
export function templateVariables(text: string) {
  const found = [...text.matchAll(VARIABLE)];
  return found.map(({ index: offset, 0: { length }, 1: name = '' }) => ({ name, offset, length }));
}

/** Values aren't expanded again. @throws Error on a name that `lookup` doesn't know; files are checked beforehand */
export function renderTemplate(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (_braces, name: string) => {
    const value = lookup(name);
    if (value === undefined) throw new Error(`The variable {{${name}}} has no value.`);
    return value;
  });
}

/** Variables of a request body, in addition to those of the case. */
export const REQUEST_VARIABLES = {
  message: 'the last user message',
  messages: "the conversation so far, in OpenAI's chat format",
  session: 'the session; null until the service has named it',
  conversation: 'an id of the conversation, another for each repetition, variant and run',
} as const;

/** Prefix for keys of the case's context. */
export const CONTEXT_PREFIX = 'context.';
