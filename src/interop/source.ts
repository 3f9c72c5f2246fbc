import { parse } from 'csv-parse/sync';
import { isMapping, isTooDeep, jsonOrText, type Path, parseJson } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { isError } from '../core/problem.ts';
import type { Scrubber } from '../core/scrubber.ts';
import { jsonFault, type Roles, sideKey } from '../evalfile/transcript.ts';
import { looksLikeMessages } from '../messages/readMessages.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import type { ImportDocument, ImportRow, Ledger } from './importer.ts';
import { rowsAt, type Shape, withRoles } from './shape.ts';

interface Source {
  readonly rows: readonly ImportRow[];
  /** The values that a shape's path starts from: the whole document, or each line. */
  readonly roots: readonly unknown[];
}

/**
 * The rows of a file: the lines of JSON Lines and CSV, the items of a list, or the whole document; with a path, the
 * values there. They contain no secrets. Broken rows are reported in the ledger. A list of messages is a single row.
 */
export function readSource(
  path: string,
  text: string,
  scrubber: Scrubber,
  ledger: Ledger,
  shape: Shape,
): Source {
  const documents = documentsOf(path, text, ledger).map((one) => ({
    ...one,
    value: scrubber.foreign(one.value),
  }));
  const { path: pointer, roles } = shape;
  const all = documents.flatMap((one) =>
    pointer === undefined ? itemRows(one) : rowsAt(one, pointer),
  );
  const beyond = all[LIMITS.importedRows];
  if (beyond) {
    const limit = readable(LIMITS.importedRows);
    ledger.end(beyond.line, `only the first ${limit} rows are imported. Split the file.`);
  }
  const rows = all.slice(0, LIMITS.importedRows);
  const joined = joinMessages(rows, roles);
  return {
    rows: roles ? joined.map((row) => withRoles(row, roles, ledger)) : joined,
    roots: documents.map(({ value }) => value),
  };
}

function documentsOf(path: string, text: string, ledger: Ledger): ImportDocument[] {
  const plain = text.replace(/^\uFEFF/, '');
  if (hasTooManyCommas(plain)) {
    const limit = readable(LIMITS.importedCommas);
    ledger.broken(
      1,
      `The file has more than ${limit} commas, which means too many values. Split it.`,
    );
    return [];
  }
  if (/\.ya?ml$/i.test(path)) return yamlDocument(path, plain, ledger);
  if (/\.(jsonl|ndjson)$/i.test(path)) return linesOf(plain, ledger);
  if (/\.csv$/i.test(path)) return csvRows(plain, ledger);
  const first = /^.*/.exec(plain.trimStart())?.[0] ?? '';
  // Some tools write one document per line into a `.json` file.
  const several = isMapping(parseAny(first)) && parseAny(plain) === undefined;
  return several ? linesOf(plain, ledger) : jsonDocument(plain, ledger);
}

/** A comma, and its escapes in JSON and YAML strings: importers also parse the JSON in strings. */
const COMMAS = [',', '002c', '002C', 'x2c', 'x2C'];

/** Whether text has too many commas to parse. Parsed values can take up a hundred times the size of their text. */
function hasTooManyCommas(text: string): boolean {
  let count = 0;
  for (const comma of COMMAS) {
    let at = text.indexOf(comma);
    for (; at >= 0 && count <= LIMITS.importedCommas; at = text.indexOf(comma, at + 1)) count += 1;
  }
  return count > LIMITS.importedCommas;
}

/** Parses text without the usual limit on values, because an export can have millions of them. */
function parseAny(text: string): unknown {
  return parseJson(text, Number.POSITIVE_INFINITY);
}

function linesOf(text: string, ledger: Ledger): ImportRow[] {
  const rows: ImportRow[] = [];
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    if (content.trim() === '') continue;
    if (rows.length > LIMITS.importedRows) break;
    const line = index + 1;
    const value = parseAny(content);
    if (value !== undefined) rows.push({ line, value });
    else if (ledger.isFull) {
      ledger.end(line);
      break;
    } else ledger.broken(line, jsonMessage(content, 'This line'));
  }
  return rows;
}

function jsonMessage(text: string, what: string, fault = jsonFault(text, false)): string {
  if (isTooDeep(text)) return `${what} is nested deeper than ${LIMITS.depth} levels.`;
  return `${what} is not valid JSON: ${fault?.message}.`;
}

function jsonDocument(text: string, ledger: Ledger): ImportDocument[] {
  const { lines, cut, tooDeep } = scanJson(text);
  const itemLine = (index: number) => lines[index] ?? 1;
  const whole = parseAny(text);
  if (whole !== undefined) return [{ line: 1, value: whole, itemLine }];
  const kept = cut && parseAny(text.slice(0, cut.at) + cut.closers);
  const fault = jsonFault(text);
  const line = tooDeep ?? text.slice(0, fault?.offset).split('\n').length;
  const rest = kept === undefined ? '' : ' Everything before it is imported.';
  ledger.broken(line, `${jsonMessage(text, 'From here on, the file', fault)}${rest}`);
  return kept === undefined ? [] : [{ line: 1, value: kept, itemLine }];
}

function yamlDocument(path: string, text: string, ledger: Ledger): ImportDocument[] {
  const document = parseYaml(text, path);
  for (const { message, range } of document.problems.filter(isError)) {
    ledger.broken(range.start.line + 1, message);
  }
  const { value } = document;
  if (value === undefined || value === null) return [];
  const lineOf = (path: Path) => document.rangeOf(path).start.line + 1;
  return [{ line: 1, value, lineOf, itemLine: (index) => lineOf([index]) }];
}

/** Each is a key of each row. */
const MAX_COLUMNS = 10_000;

function csvRows(text: string, ledger: Ledger): ImportRow[] {
  if ((/^.*/.exec(text)?.[0] ?? '').split(',').length > MAX_COLUMNS) {
    ledger.broken(1, `The file has more than ${readable(MAX_COLUMNS)} columns.`);
    return [];
  }
  try {
    return rowsOfCsv(text, (line, message) => {
      if (ledger.isFull) throw new LineError(line);
      ledger.broken(line, `This row is invalid: ${message}.`);
    });
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    ledger.end(error.line);
    return rowsOfCsv(text, () => {}, error.line - 1);
  }
}

/** Thrown at a line where reading the file stops. */
class LineError extends Error {
  override readonly name = 'LineError';
  readonly line: number;

  constructor(line: number) {
    super();
    this.line = line;
  }
}

/** @param end the last line to read */
function rowsOfCsv(
  text: string,
  onBroken: (line: number, message: string | undefined) => void,
  end?: number,
): ImportRow[] {
  const rows: { readonly record: Record<string, string>; readonly info: { lines: number } }[] =
    parse(text, {
      columns: true,
      bom: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: LIMITS.recordLine,
      to: LIMITS.importedRows + 1,
      ...(end !== undefined && { to_line: end }),
      on_skip(error) {
        onBroken(Number(error?.lines ?? 1), error?.message);
        return undefined;
      },
    });
  return rows.map(({ record, info }) => ({
    line: info.lines,
    value: Object.fromEntries(Object.entries(record).map(([key, cell]) => [key, cellOf(cell)])),
  }));
}

/** The value of a CSV cell; a list or mapping is parsed as JSON. */
function cellOf(cell: string): unknown {
  return /^\s*[[{]/.test(cell) ? jsonOrText(cell) : cell;
}

function itemRows({ itemLine, ...row }: ImportDocument): ImportRow[] {
  const { value } = row;
  if (!itemLine || !Array.isArray(value)) return [row];
  return value.map((item: unknown, index) => ({ line: itemLine(index), value: item }));
}

/** Joins rows that are all messages into one conversation. */
function joinMessages(rows: readonly ImportRow[], roles: Roles | undefined): readonly ImportRow[] {
  const list = rows.map(({ value }) => value);
  const [first] = rows;
  const isOne = looksLikeMessages(list) || (roles && sideKey(list, roles) !== undefined);
  return first && isOne ? [{ line: first.line, value: list }] : rows;
}

interface ScannedJson {
  /** The lines on which the items of the outermost list start, from 1. */
  readonly lines: readonly number[];
  /** The line at which the nesting becomes too deep; scanning stops there. */
  readonly tooDeep?: number;
  /**
   * For truncated text: where to cut it, and how to close it. The cut comes after the last complete item of the
   * outermost list that has a complete item, because half a conversation is useless.
   */
  readonly cut?: { readonly at: number; readonly closers: string };
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Scans the brackets of JSON text in one pass. */
function scanJson(text: string): ScannedJson {
  const lines: number[] = [];
  const open: string[] = [];
  const cuts = new Map<number, number>();
  let line = 1;
  let inText = false;
  let awaitsItem = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (inText) {
      if (character === '\\') at += 1;
      else if (character === '"') inText = false;
      continue;
    }
    if (character === '\n') line += 1;
    if (character.trim() === '') continue;
    if (awaitsItem && character !== ']') lines.push(line);
    awaitsItem = false;
    if (character === '"') inText = true;
    else if (character === '[' || character === '{') {
      open.push(character);
      if (open.length > LIMITS.depth) break;
      awaitsItem = open.length === 1 && character === '[';
    } else if (character === ']' || character === '}') {
      if (CLOSERS[open.at(-1) ?? ''] !== character) break;
      cuts.delete(open.length);
      open.pop();
      if (open.at(-1) === '[') cuts.set(open.length, at + 1);
    } else if (character === ',' && open.at(-1) === '[') {
      cuts.set(open.length, at);
      awaitsItem = open.length === 1;
    }
  }
  const depth = Math.min(...cuts.keys());
  const at = cuts.get(depth);
  const deep = open.length > LIMITS.depth && { tooDeep: line };
  if (at === undefined || open.length === 0) return { lines, ...deep };
  const around = open.slice(0, depth).reverse();
  return { lines, ...deep, cut: { at, closers: around.map((one) => CLOSERS[one]).join('') } };
}
