const VARIABLE = /\{\{\s*([A-Za-z_][\w-]*(?:\.[\w-]+)*)\s*\}\}/g;

/** A variable in a text: `{{ name }}`, its name and the position of its braces, in UTF-16 units. */
interface TemplateVariable {
  readonly name: string;
  readonly offset: number;
  readonly length: number;
}

export function templateVariables(text: string): TemplateVariable[] {
  return [...text.matchAll(VARIABLE)].map((match) => ({
    name: match[1] ?? '',
    offset: match.index,
    length: match[0].length,
  }));
}

/**
 * Replaces `{{name}}` by values. Values aren't expanded again.
 *
 * @throws Error on a name that `lookup` doesn't know; files are checked beforehand
 */
export function renderTemplate(text: string, lookup: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (_braces, name: string) => {
    const value = lookup(name);
    if (value === undefined) throw new Error(`The variable {{${name}}} has no value.`);
    return value;
  });
}

/** Variables of a request body, in addition to the keys of the case's context. */
export const REQUEST_VARIABLES = {
  message: 'the last user message',
  messages: "the conversation so far, in OpenAI's chat format",
  session: 'the session; null until the service has named it',
  conversation: 'an id of the conversation, another for each repetition, variant and run',
} as const;

/** Prefix for keys of the case's context. */
export const CONTEXT_PREFIX = 'context.';
