import { isMapping, jsonOrText, type Mapping } from '../core/data/data.ts';
import { type Tool, toolsSchema, unwrapTools } from '../core/message.ts';
import type { Ledger } from './importer.ts';

/** The first of these keys that holds a text that says something. */
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
    const value = parsed(mapping[key]);
    if (Array.isArray(value) && value.length > 0) return value;
  }
  return undefined;
}

/** What a JSON text stands for; anything else as it is. */
export function parsed(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{"]/.test(value) ? jsonOrText(value) : value;
}

/** Texts of a list, or of one text whose parts a bar separates. */
export function textsIn(value: unknown): string[] | undefined {
  const list = typeof value === 'string' ? value.split('|') : value;
  const texts = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  const saying = texts.filter((text) => text.trim() !== '');
  return saying.length > 0 ? saying : undefined;
}

/** Tool definitions of OpenAI, Anthropic, Azure, and the AI SDK as our `tools`. */
export function toolsIn(value: unknown, line: number, ledger: Ledger): Tool[] | undefined {
  const list = parsed(value);
  if (list === undefined || list === null) return undefined;
  const tools = (Array.isArray(list) ? list : [list]).flatMap((one) => {
    const tool = toolOf(parsed(one));
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

/** Says of each key that is not known that it is left out; what is null or empty says nothing. */
export function tellStrangers(
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
