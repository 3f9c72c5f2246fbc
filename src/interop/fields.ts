import { assertionTypes } from '../assertions/registry.ts';
import { isMapping, jsonOrText, type Mapping } from '../core/data/data.ts';
import { type Tool, toolsSchema, unwrapTools } from '../core/message.ts';
import { assertionSchema } from '../evalfile/assertion/assertionSchema.ts';
import { foreignNames } from '../evalfile/foreignNames.ts';
import { keysAt } from '../schema/schemaWalk.ts';
import type { Ledger } from './importer.ts';

/** The first of these keys with text that isn't blank. */
export function textIn(mapping: Mapping, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = mapping[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** A list, or the JSON text of one; undefined for anything else and for an empty list. */
export function listIn(mapping: Mapping, ...keys: readonly string[]): unknown[] | undefined {
  for (const key of keys) {
    const value = parseJsonText(mapping[key]);
    if (Array.isArray(value) && value.length > 0) return value;
  }
  return undefined;
}

/** The value of JSON text; anything else as it is. */
export function parseJsonText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{"]/.test(value) ? jsonOrText(value) : value;
}

/** The texts of a list, or of one text separated by bars. */
export function textsIn(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split('|') : value;
  const texts = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  const saying = texts.filter((text) => text.trim() !== '');
  return saying.length > 0 ? saying : undefined;
}

/** Tool definitions of OpenAI, Anthropic, Azure, and the AI SDK as our `tools`. */
export function toolsIn(value: unknown, line: number, ledger: Ledger): Tool[] | undefined {
  const list = parseJsonText(value);
  if (list === undefined || list === null) return undefined;
  const tools = (Array.isArray(list) ? list : [list]).flatMap((one) => {
    const tool = toolOf(parseJsonText(one));
    if (!tool) ledger.lost(line, 'A tool definition without a name is left out.');
    return tool ? [tool] : [];
  });
  return tools.length > 0 ? tools : undefined;
}

function toolOf(value: unknown): Tool | undefined {
  if (!isMapping(value)) return undefined;
  const given = isMapping(value.function) ? value.function : value;
  const { name, description } = given;
  const parameters = given.parameters ?? given.input_schema ?? given.inputSchema;
  const read = toolsSchema.safeParse([
    {
      name,
      ...(typeof description === 'string' && { description }),
      ...(isMapping(parameters) && { parameters }),
    },
  ]);
  return read.success ? unwrapTools(read.data)[0] : undefined;
}

/** Reports unknown keys with a value as lost. */
export function reportUnknownKeys(
  mapping: Mapping,
  known: readonly string[],
  line: number,
  ledger: Ledger,
): void {
  for (const [key, value] of Object.entries(mapping)) {
    const empty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (!empty && !known.includes(key)) ledger.lost(line, `\`${key}\` has no counterpart.`);
  }
}

const OUR_TYPES = assertionTypes.map(({ type }) => type);

/** Reports what was lost. */
export type Say = (message: string) => void;

/** Another tool's check as an assertion, and what was lost. */
export interface MappedAssertion {
  /** Absent if there is no counterpart. */
  readonly assertion?: Mapping;
  /** Sentences, such as `` `windowSize` of "conversation-relevance" has no counterpart. `` */
  readonly lost: readonly string[];
}

/**
 * Maps a check by the table of other tools' names, which the editor also uses.
 *
 * @param given with the type under `type`, and keys that are ours or the other tool's
 */
export function mapAssertion(given: Mapping): MappedAssertion {
  const { type: written, ...rest } = given;
  const name = String(written);
  const foreign = foreignNames.ofValue(name, 'type', OUR_TYPES);
  const type = foreign?.meant ?? name;
  if (!OUR_TYPES.includes(type)) return { lost: [`"${name}" has no counterpart.`] };
  const lost: string[] = [];
  const assertion: Record<string, unknown> = { type, ...foreign?.beside };
  const known = keysAt(assertionSchema, { type }, []);
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined || value === null) continue;
    const free = known.map((one) => one.name).filter((one) => !Object.hasOwn(given, one));
    const meant = known.some((one) => one.name === key)
      ? undefined
      : foreignNames.ofKey(key, free, value);
    if (meant?.instead) Object.assign(assertion, meant.instead);
    else if (meant) assertion[meant.meant] = value;
    else if (known.some((one) => one.name === key)) assertion[key] = value;
    else {
      const missing = known.filter((one) => one.required && !Object.hasOwn(assertion, one.name));
      const [only] = missing.filter((one) => !Object.hasOwn(given, one.name));
      // Such as `value` of a `regex`: the only unknown key becomes the only missing one.
      if (key === 'value' && only) assertion[only.name] = value;
      else lost.push(`\`${key}\` of "${name}" has no counterpart.`);
    }
  }
  return assertionSchema.safeParse(assertion).success
    ? { assertion, lost }
    : { lost: [`"${name}" cannot be written as \`${type}\`: ${reasonOf(assertion)}`] };
}

function reasonOf(assertion: Mapping): string {
  const { error } = assertionSchema.safeParse(assertion);
  const issue = error?.issues[0];
  const path = issue?.path.map(String).join('.');
  return `${path ? `\`${path}\`: ` : ''}${issue?.message ?? 'it is not valid'}.`;
}

/** Maps every check of a list; `say` reports what was lost. */
export function mapAssertions(
  list: readonly unknown[],
  map: (written: Mapping) => MappedAssertion | readonly unknown[],
  say: Say,
): unknown[] {
  return list.flatMap((written): readonly unknown[] => {
    if (typeof written === 'string') return written.trim() === '' ? [] : [written];
    if (!isMapping(written)) return [];
    const mapped = map(written);
    return 'lost' in mapped ? reportLost(mapped, say) : mapped;
  });
}

/** The assertion in a list, or an empty list; `say` reports what was lost. */
export function reportLost({ assertion, lost }: MappedAssertion, say: Say): Mapping[] {
  for (const message of lost) say(message);
  return assertion ? [assertion] : [];
}
