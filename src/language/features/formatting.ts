import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { edit } from '../../yaml/edits.ts';
import { formatYaml, type Piece } from '../../yaml/layOut.ts';
import { endOfLine } from '../../yaml/nodes.ts';
import { isUnreadable } from '../../yaml/parser.ts';
import { readYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/**
 * Edits of white space alone that lay the file out; comments, quotes and texts stay as they are.
 * None where the file cannot be read as a whole, or where its data would not be the same afterwards.
 */
export function* formatting({ yaml }: EvalDocument, options: FormattingOptions): Work<TextEdit[]> {
  if (yaml.value === undefined || yaml.problems.some(isUnreadable)) return [];
  const pieces = yield* formatYaml(yaml.text, stepOf(options));
  if (!pieces) return [];
  yield;
  const edits = editsOf(yaml, pieces);
  // Reading the outcome takes longest, and most files that are formatted on saving are so already.
  if (edits.length === 0) return [];
  const after = yield* readYaml(written(yaml.text, pieces), yaml.path);
  return isSame(yaml, after) ? edits : [];
}

/** The width of an indent. Editors that indent by tabs get the two blanks that YAML is written with. */
export function stepOf({ insertSpaces, tabSize }: FormattingOptions): number {
  return insertSpaces && tabSize >= 2 && tabSize <= 8 ? Math.floor(tabSize) : 2;
}

function written(text: string, pieces: readonly Piece[]): string {
  return pieces.map(({ start, end, before }) => before + text.slice(start, end)).join('');
}

function isSame(yaml: YamlDocument, after: YamlDocument): boolean {
  const data = ({ value }: YamlDocument) => JSON.stringify(value ?? null);
  const codes = ({ problems }: YamlDocument) => problems.map(({ code }) => code).join();
  return codes(after) === codes(yaml) && data(after) === data(yaml);
}

function editsOf(yaml: YamlDocument, pieces: readonly Piece[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let from = 0;
  for (const { start, end, before } of pieces) {
    const there = yaml.text.slice(from, start);
    if (there !== before) {
      const same = sameStart(there, before);
      edits.push(edit(yaml, from + same, start, before.slice(same)));
    }
    from = end;
  }
  return edits;
}

/** How many characters need no edit; a line break is never torn apart. */
function sameStart(a: string, b: string): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return a[same - 1] === '\r' ? same - 1 : same;
}

export const ON_TYPE = { first: '\n', more: [] } as const;

/** Indents a line that has just been begun, by what stands in the line above it. */
export function onTypeFormatting(
  { yaml }: EvalDocument,
  { line }: Position,
  typed: string,
  options: FormattingOptions,
): TextEdit[] {
  if (typed !== ON_TYPE.first || line === 0) return [];
  const above = lineAt(yaml, line - 1);
  const begun = lineAt(yaml, line);
  // Whoever leaves a line empty chooses the next one's indent.
  if (above.trim() === '' || /^\s*[}\]]/.test(begun)) return [];
  const wanted = insideText(yaml, line - 1, above)
    ? indentOf(above)
    : indentBelow(above, begun.trim(), stepOf(options));
  const there = indentOf(begun);
  if (wanted === undefined || wanted === there) return [];
  const range = { start: { line, character: 0 }, end: { line, character: there } };
  return [{ range, newText: ' '.repeat(wanted) }];
}

function lineAt({ text, offsetAt }: YamlDocument, line: number): string {
  const start = offsetAt({ line, character: 0 });
  return text.slice(start, endOfLine(text, start));
}

function indentOf(line: string): number {
  return /^[ \t]*/.exec(line)?.[0].length ?? 0;
}

function insideText(yaml: YamlDocument, line: number, words: string): boolean {
  const { path, onKey } = yaml.pathAt({ line, character: indentOf(words) });
  const scalar = onKey ? undefined : yaml.scalarAt(path);
  if (!scalar) return false;
  return yaml.positionAt(scalar.start).line < line && yaml.positionAt(scalar.end).line >= line;
}

/** An entry that its line ends: `key:`, or `key: |`, with what may stand after it. */
const OPEN_ENTRY =
  /^(?:"[^"]*"|'[^']*'|[^\s"'#[{&*!|>-][^#]*?)\s*:(?:\s+[&!]\S+)*(?:\s+[|>][-+\d]*)?\s*(?:#.*)?$/;
const ENTRY = /^(?:"[^"]*"|'[^']*'|[^\s"'#[{&*!|>-][^#]*?)\s*:\s/;

/** So much of a line tells what it is. */
const MOST = 500;

/** The indent below a line that is no later line of a text; undefined if any may be right. */
function indentBelow(above: string, begun: string, step: number): number | undefined {
  const [head = '', dashes = ''] = /^\s*((?:-\s+)*)/.exec(`${above} `) ?? [];
  const column = Math.min(head.length, above.length + 1);
  const words = above.slice(column, column + MOST).trim();
  const lastDash = head.lastIndexOf('-');
  // `-` alone: what it holds comes below it.
  if (words === '') return lastDash + 2;
  if (words.startsWith('#')) return undefined;
  if (OPEN_ENTRY.test(words)) return column + step;
  if (/[[{]\s*(?:#.*)?$/.test(words)) return column + step;
  const next = begun === '' || begun.startsWith('-') || begun.startsWith('#');
  if (ENTRY.test(words)) return next || ENTRY.test(`${begun} `) ? column : column + step;
  if (dashes === '') return undefined;
  // `- |`, or an item whose text was cut in two.
  if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(words) || !next) return lastDash + 2;
  return lastDash;
}
