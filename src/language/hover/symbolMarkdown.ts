import { mappingOf, stringOf, valueAt } from '../../core/data/data.ts';
import { isFileKind } from '../../core/meaning.ts';
import type { Position } from '../../core/problem.ts';
import {
  escapeLine,
  escapeMarkdown,
  fencedMarkdown,
  paragraphs,
} from '../../core/text/markdown.ts';
import { linkedFile } from '../features/references.ts';
import {
  type FoundSymbol,
  type SymbolPorts,
  sameSymbols,
  symbolAt,
} from '../symbols/sameSymbol.ts';
import type { EvalSymbol } from '../symbols/symbolTable.ts';
import type { HoverPart } from './keyMarkdown.ts';

const HEAD_LINES = 12;
const HEAD_WIDTH = 160;
const MAX_VALUES = 8;

/** Describes a name's declaration, or shows the start of a file. @param path path of an eval file or a prompt */
export async function symbolHover(
  path: string,
  position: Position,
  ports: SymbolPorts,
): Promise<HoverPart | undefined> {
  const found = await symbolAt(path, position, ports);
  if (!found) return undefined;
  const { range, text } = found.occurrence;
  const markdown = isFileKind(found.symbol.kind)
    ? await headMarkdown(text, path, ports)
    : await declarationMarkdown(found, ports);
  return markdown === undefined ? undefined : { markdown, range };
}

async function headMarkdown(
  reference: string,
  from: string,
  ports: SymbolPorts,
): Promise<string | undefined> {
  const file = await linkedFile(reference, from, ports);
  if (!file) return undefined;
  const title = `**${escapeLine(reference, 120)}**`;
  if (!file.exists) return `${title} — this file does not exist yet.`;
  const text = await ports.readText(file.path);
  if (text === undefined) return undefined;
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const head = lines
    .slice(0, HEAD_LINES)
    .map((line) => (line.length > HEAD_WIDTH ? `${line.slice(0, HEAD_WIDTH - 1)}…` : line));
  const more = lines.length > HEAD_LINES ? ['…'] : [];
  return `${title}\n\n${fencedMarkdown([...head, ...more].join('\n'))}`;
}

interface DeclaredSymbol {
  readonly value: unknown;
  readonly caseId: string;
}

async function valuesOf(
  { table, symbol }: FoundSymbol,
  { documents, documentAt }: SymbolPorts,
): Promise<DeclaredSymbol[]> {
  const isKnown = documents.some(({ path }) => path === table.path);
  const yaml = isKnown ? (await documentAt(table.path))?.yaml : undefined;
  if (!yaml) return [];
  return symbol.declarations.map(({ path }) => {
    const [top, index] = path;
    const id = top === 'cases' && index !== undefined && valueAt(yaml.value, [top, index, 'id']);
    // A tool's path leads to its `name`; the path of any other symbol leads to its value.
    const at = symbol.kind === 'tool' ? path.slice(0, -1) : path;
    return { value: valueAt(yaml.value, at), caseId: typeof id === 'string' ? id : 'a case' };
  });
}

async function declarationMarkdown(
  found: FoundSymbol,
  ports: SymbolPorts,
): Promise<string | undefined> {
  const { kind, name, declarations } = found.symbol;
  const declaring = declarations.length > 0 ? [found] : await sameSymbols(found, ports);
  const values = (await Promise.all(declaring.map((one) => valuesOf(one, ports)))).flat();
  const [first] = values;
  if (!first) return undefined;
  const title = `**${escapeLine(name, 80)}**`;
  if (kind === 'variable') return variableMarkdown(title, values);
  const describe = DESCRIPTIONS[kind];
  return describe && `${title} — ${describe(first.value)}`;
}

const DESCRIPTIONS: Readonly<Partial<Record<EvalSymbol['kind'], (value: unknown) => string>>> = {
  model: modelMarkdown,
  target: targetMarkdown,
  tool: toolMarkdown,
  node: nodeMarkdown,
};

/** Shows neither headers nor keys in the URL, because they may be secret. */
function modelMarkdown(value: unknown): string {
  if (typeof value === 'string') return `model ${escapeLine(value, 120)}`;
  const { provider, model, base_url: address, path, price } = mappingOf(value);
  const { input, output } = mappingOf(price);
  const base_url = typeof address === 'string' ? withoutSecrets(address) : undefined;
  const isPriced = input !== undefined || output !== undefined;
  const prices = `${stringOf(input)} per million input tokens, ${stringOf(output)} per million output tokens`;
  const facts = { provider, model, base_url, path, price: isPriced ? prices : undefined };
  return factList('model', facts);
}

/** Removes secrets from an address: `https://key:secret@host/v1?token=x` becomes `https://host/v1`. */
function withoutSecrets(address: string): string {
  return address.replace(/^([a-z]+:)?\/\/[^/]*@/i, '$1//').replace(/[?#].*$/s, '');
}

/** Shows only a command's program, because its arguments and variables may contain keys. */
function targetMarkdown(value: unknown): string {
  const { type, model, path, export: exported, command, cwd, timeout } = mappingOf(value);
  const program: unknown = Array.isArray(command) ? command[0] : undefined;
  const { provider, model: inline } = mappingOf(model);
  const own = inline && `${stringOf(provider)}:${stringOf(inline)}`;
  const limit = timeout === undefined ? undefined : `${stringOf(timeout)} ms`;
  const shown = { type, model: typeof model === 'string' ? model : own, path, export: exported };
  return factList('target', { ...shown, program, cwd, timeout: limit });
}

function factList(kind: string, facts: Readonly<Record<string, unknown>>): string {
  return paragraphs(kind, factLines(Object.entries(facts), ': ', 120));
}

/** Skips values that are neither strings nor numbers. */
function factLines(entries: readonly [string, unknown][], between: string, length: number): string {
  const written = entries.flatMap(([key, value]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [`- ${escapeLine(key, 80)}${between}${escapeLine(stringOf(value), length)}`]
      : [],
  );
  return written.join('\n');
}

function toolMarkdown(value: unknown): string {
  const { description, parameters } = mappingOf(value);
  const { properties, required } = mappingOf(parameters);
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const lines = Object.entries(mappingOf(properties)).map(([name, schema]) => {
    const { type, description: about } = mappingOf(schema);
    const kind =
      type === undefined ? [] : [Array.isArray(type) ? type.join(' or ') : stringOf(type)];
    const notes = [...kind, ...(needed.includes(name) ? ['required'] : [])];
    const noted = notes.length > 0 ? ` (${escapeLine(notes.join(', '), 80)})` : '';
    const more = typeof about === 'string' ? `: ${escapeLine(about, 160)}` : '';
    return `- ${escapeLine(name, 80)}${noted}${more}`;
  });
  const purpose = typeof description === 'string' ? escapeMarkdown(description) : undefined;
  return paragraphs('tool', purpose, limitLines(lines));
}

/** The question of a node in a decision graph, and the next node for each answer. */
function nodeMarkdown(value: unknown): string {
  const { type, question, instructions, next, if_yes, if_no, choices, score, assert } =
    mappingOf(value);
  const asked = question ?? instructions;
  const ways: [string, unknown][] = [
    ['then', next],
    ['yes', if_yes],
    ['no', if_no],
    ...Object.entries(mappingOf(choices)),
    ['score', score],
    ['decided by', typeof assert === 'string' ? assert : mappingOf(assert).type],
  ];
  return paragraphs(
    `node${typeof type === 'string' ? `, ${escapeLine(type, 40)}` : ''}`,
    typeof asked === 'string' ? escapeMarkdown(asked) : undefined,
    factLines(ways, ' → ', 80),
  );
}

/** A variable's value, or its value in each case if there are several. */
function variableMarkdown(title: string, values: readonly DeclaredSymbol[]): string {
  const shown = (value: unknown) =>
    escapeLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), 400);
  const [first, ...others] = values;
  if (first && others.length === 0) return `${title} — ${shown(first.value)}`;
  const list = values.map(({ caseId, value }) => `- ${escapeLine(caseId, 80)}: ${shown(value)}`);
  return paragraphs(title, limitLines(list));
}

function limitLines(lines: readonly string[]): string {
  const more = lines.length > MAX_VALUES ? [`- … and ${lines.length - MAX_VALUES} more`] : [];
  return [...lines.slice(0, MAX_VALUES), ...more].join('\n');
}
