import { assertionTypes } from '../assertions/registry.ts';
import { isMapping, type Mapping, parseJsonText, stringOf } from '../core/data/data.ts';
import { type Tool, toolsSchema, unwrapTools } from '../core/message.ts';
import { assertionSchema } from '../evalfile/assertion/assertionSchema.ts';
import { foreignNames } from '../evalfile/foreignNames.ts';
import { keysAt } from '../schema/schemaWalk.ts';
import type { Say } from './importer.ts';

/** A list, or the JSON text of one; undefined for anything else and for an empty list. */
export function listIn(mapping: Mapping, ...keys: readonly string[]): unknown[] | undefined {
  for (const key of keys) {
    const value = parseJsonText(mapping[key]);
    if (Array.isArray(value) && value.length > 0) return value;
  }
  return undefined;
}

/** The strings in a list, or in one string separated by `|`. */
export function textsIn(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split('|') : value;
  const texts = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  const written = texts.filter((text) => text.trim() !== '');
  return written.length > 0 ? written : undefined;
}

/** Tool definitions from OpenAI, Anthropic, Azure, and the AI SDK as our `tools`. */
export function toolsIn(value: unknown, say: Say): Tool[] | undefined {
  const list = parseJsonText(value);
  if (list === undefined || list === null) return undefined;
  const tools = (Array.isArray(list) ? list : [list]).flatMap((one) => {
    const tool = toolOf(parseJsonText(one));
    if (!tool) say('A tool definition without a name was left out.');
    return tool ? [tool] : [];
  });
  return tools.length > 0 ? tools : undefined;
}

function toolOf(value: unknown): Tool | undefined {
  if (!isMapping(value)) return undefined;
  const given = isMapping(value.function) ? value.function : value;
  const { name, description } = given;
  const parameters = given.parameters ?? given.input_schema ?? given.inputSchema;
  const tool = {
    name,
    ...(typeof description === 'string' && { description }),
    ...(isMapping(parameters) && { parameters }),
  };
  const read = toolsSchema.safeParse([tool]);
  return read.success ? unwrapTools(read.data)[0] : undefined;
}

/** Reports unknown keys that have a value. */
export function reportUnknownKeys(mapping: Mapping, known: readonly string[], say: Say): void {
  for (const [key, value] of Object.entries(mapping)) {
    const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (!empty && !known.includes(key)) say(`\`${key}\` has no Turnlight equivalent.`);
  }
}

const OUR_TYPES = assertionTypes.map(({ type }) => type);

/** Types that run a function or a program. */
const CODE_TYPES: readonly unknown[] = assertionTypes
  .filter(({ params }) => Object.hasOwn(params.shape, 'pass_env'))
  .map(({ type }) => type);

/** Whether an assertion, or a nested one, would run code. Data from another tool must not contain code to run. */
function runsCode(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    (isMapping(value) && CODE_TYPES.includes(value.type)) || Object.values(value).some(runsCode)
  );
}

/**
 * Maps a check using the table of other tools' names, which the editor also uses.
 *
 * @param given contains its type under `type`, and keys with our names or the other tool's
 * @returns the assertion, or an empty list if there is no counterpart
 */
export function mapAssertion(given: Mapping, say: Say): Mapping[] {
  const { type: written, ...rest } = given;
  const name = stringOf(written);
  const foreign = foreignNames.ofValue(name, 'type', OUR_TYPES);
  const type = foreign?.meant ?? name;
  if (!OUR_TYPES.includes(type)) {
    say(`"${name}" has no Turnlight equivalent.`);
    return [];
  }
  const lost: string[] = [];
  const assertion: Record<string, unknown> = { type, ...foreign?.beside };
  const known = keysAt(assertionSchema, { type }, []);
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue;
    const free = known.map((one) => one.name).filter((one) => !Object.hasOwn(given, one));
    const meant = known.some((one) => one.name === key)
      ? undefined
      : foreignNames.ofKey(key, free, { [key]: value });
    if (meant?.instead) Object.assign(assertion, meant.instead);
    else if (meant) assertion[meant.meant] = value;
    else if (known.some((one) => one.name === key)) assertion[key] = value;
    else {
      const missing = known.filter((one) => one.required && !Object.hasOwn(assertion, one.name));
      const [only] = missing.filter((one) => !Object.hasOwn(given, one.name));
      // If there is only one unknown key and one missing key, the unknown one replaces the missing one: `value` of a
      // `regex`.
      if (key === 'value' && only) assertion[only.name] = value;
      else lost.push(`\`${key}\` of "${name}" has no Turnlight equivalent.`);
    }
  }
  if (runsCode(assertion)) {
    say(`"${name}" would run a program, which is never imported. Write the assertion yourself.`);
    return [];
  }
  const { error } = assertionSchema.safeParse(assertion);
  if (error) {
    const [issue] = error.issues;
    const path = issue?.path.map(String).join('.');
    const reason = `${path ? `\`${path}\`: ` : ''}${issue?.message ?? 'it is not valid'}`;
    say(`"${name}" cannot be written as \`${type}\`: ${reason}.`);
    return [];
  }
  for (const message of lost) say(message);
  return [assertion];
}

/** Maps each check in a list. Strings are criteria. */
export function mapAssertions(
  list: unknown,
  map: (written: Mapping) => readonly unknown[],
): unknown[] {
  return (Array.isArray(list) ? list : []).flatMap((written): readonly unknown[] => {
    if (typeof written === 'string') return written.trim() === '' ? [] : [written];
    return isMapping(written) ? map(written) : [];
  });
}
