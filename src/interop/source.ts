import { parse } from 'csv-parse/sync';
import { isMapping, isTooDeep, jsonOrText, type Path, parseJson } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import { isError } from '../core/problem.ts';
import { jsonFault } from '../evalfile/transcript.ts';
import { looksLikeMessages } from '../messages/readMessages.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import type { Ledger, Row } from './importer.ts';

/**
 * The rows of a file: the lines of JSON Lines and CSV, the items of a list, or the whole document.
 * Broken rows go into the ledger. A list of messages is one row.
 */
export function rowsOf(path: string, text: string, ledger: Ledger): Row[] {
  const plain = text.replace(/^\uFEFF/, '');
  if (/\.ya?ml$/i.test(path)) return yamlRows(path, plain, ledger);
  if (hasTooManyCommas(plain)) {
    const limit = readable(LIMITS.importedCommas);
    ledger.broken(1, `The file has more than ${limit} commas, so too many values. Split it.`);
    return [];
  }
  if (/\.(jsonl|ndjson)$/i.test(path)) return joinMessages(linesOf(plain, ledger));
  if (/\.csv$/i.test(path)) return csvRows(plain, ledger);
  const first = /^.*/.exec(plain.trimStart())?.[0] ?? '';
  // Some tools write a document on each line of a `.json`.
  const several = isMapping(parseAny(first)) && parseAny(plain) === undefined;
  return several ? joinMessages(linesOf(plain, ledger)) : jsonRows(plain, ledger);
}

/**
 * Checked before parsing, because parsed values take up to a hundred times the size of their text. YAML has its own
 * limit.
 */
function hasTooManyCommas(text: string): boolean {
  let count = 0;
  let at = text.indexOf(',');
  for (; at >= 0 && count <= LIMITS.importedCommas; at = text.indexOf(',', at + 1)) count += 1;
  return count > LIMITS.importedCommas;
}

/** An export can have millions of values. */
function parseAny(text: string): unknown {
  return parseJson(text, Number.POSITIVE_INFINITY);
}

function linesOf(text: string, ledger: Ledger): Row[] {
  return text.split(/\r?\n/).flatMap((content, index) => {
    if (content.trim() === '') return [];
    const line = index + 1;
    const value = parseAny(content);
    if (value !== undefined) return [{ line, value }];
    ledger.broken(line, jsonMessage(content, 'This line'));
    return [];
  });
}

function jsonMessage(text: string, what: string): string {
  if (isTooDeep(text)) return `${what} is nested deeper than ${LIMITS.depth} levels.`;
  return `${what} is not valid JSON: ${jsonFault(text)?.message}.`;
}

function jsonRows(text: string, ledger: Ledger): Row[] {
  const { lines, cut, tooDeep } = scanJson(text);
  const lineOf = (index: number) => lines[index] ?? 1;
  const whole = parseAny(text);
  if (whole !== undefined) return itemRows(whole, lineOf);
  const kept = cut && parseAny(text.slice(0, cut.at) + cut.closers);
  const line = tooDeep ?? text.slice(0, jsonFault(text)?.offset).split('\n').length;
  const rest = kept === undefined ? '' : ' Everything before it is imported.';
  ledger.broken(line, `${jsonMessage(text, 'From here on, the file')}${rest}`);
  return kept === undefined ? [] : itemRows(kept, lineOf);
}

function yamlRows(path: string, text: string, ledger: Ledger): Row[] {
  const document = parseYaml(text, path);
  for (const { message, range } of document.problems.filter(isError)) {
    ledger.broken(range.start.line + 1, message);
  }
  const { value } = document;
  if (value === undefined || value === null) return [];
  const lineOf = (path: Path) => document.rangeOf(path).start.line + 1;
  return itemRows(value, (index) => lineOf([index])).map((row) =>
    Array.isArray(value) ? row : { ...row, lineOf },
  );
}

function csvRows(text: string, ledger: Ledger): Row[] {
  const rows: { readonly record: Record<string, string>; readonly info: { lines: number } }[] =
    parse(text, {
      columns: true,
      bom: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_error: true,
      max_record_size: LIMITS.recordLine,
      on_skip(error) {
        ledger.broken(Number(error?.lines ?? 1), `This row is invalid: ${error?.message}.`);
        return undefined;
      },
    });
  return rows.map(({ record, info }) => ({
    line: info.lines,
    value: Object.fromEntries(Object.entries(record).map(([key, cell]) => [key, cellOf(cell)])),
  }));
}

/** A list or mapping in a cell is JSON. */
function cellOf(cell: string): unknown {
  return /^\s*[[{]/.test(cell) ? jsonOrText(cell) : cell;
}

function itemRows(value: unknown, lineOf: (index: number) => number): Row[] {
  if (!Array.isArray(value)) return [{ line: 1, value }];
  return joinMessages(value.map((item: unknown, index) => ({ line: lineOf(index), value: item })));
}

/** If all rows are messages, they are one conversation. */
function joinMessages(rows: Row[]): Row[] {
  const list = rows.map(({ value }) => value);
  const [first] = rows;
  return first && looksLikeMessages(list) ? [{ line: first.line, value: list }] : rows;
}

interface ScannedJson {
  /** The lines where the items of the outermost list start, from 1. */
  readonly lines: readonly number[];
  /** The line on which the text is nested too deep; it is not scanned further. */
  readonly tooDeep?: number;
  /**
   * For truncated text: where to cut it, and how to close it. The cut comes after the last complete item of the
   * outermost list that has one, because half a conversation is useless.
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
