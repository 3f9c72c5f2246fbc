import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import type { Work } from '../../node/cooperative.ts';
import { edit } from '../../yaml/edits.ts';
import { formatYaml, type Piece } from '../../yaml/formatYaml.ts';
import { endOfLine } from '../../yaml/nodes.ts';
import { isUnreadable } from '../../yaml/parser.ts';
import { readYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/**
 * Edits only white space; comments, quotes, and text stay the same. Returns no edits if the file can't be parsed, or if
 * the edits would change its data.
 */
export function* formatting({ yaml }: EvalDocument, options: FormattingOptions): Work<TextEdit[]> {
  if (yaml.value === undefined || yaml.problems.some(isUnreadable)) return [];
  const pieces = yield* formatYaml(yaml.text, indentWidth(options));
  if (!pieces) return [];
  yield;
  const edits = editsOf(yaml, pieces);
  // Most files that are formatted on save need no edits, so skip the expensive check for them.
  if (edits.length === 0) return [];
  const after = yield* readYaml(written(yaml.text, pieces), yaml.path);
  return isSame(yaml, after) ? edits : [];
}

/** Number of spaces per level. YAML can't be indented with tabs, so two spaces replace a tab. */
export function indentWidth({ insertSpaces, tabSize }: FormattingOptions): number {
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

/** Number of equal characters at the start of both texts; never splits a line break. */
function sameStart(a: string, b: string): number {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same += 1;
  return a[same - 1] === '\r' ? same - 1 : same;
}

export const ON_TYPE = { first: '\n', more: [] } as const;

/** Indents a new line based on the line above it. */
export function onTypeFormatting(
  { yaml }: EvalDocument,
  { line }: Position,
  typed: string,
  options: FormattingOptions,
): TextEdit[] {
  if (typed !== ON_TYPE.first || line === 0) return [];
  const above = lineAt(yaml, line - 1);
  const current = lineAt(yaml, line);
  // After an empty line, the user chooses the indentation.
  if (above.trim() === '' || /^\s*[}\]]/.test(current)) return [];
  const wanted = insideText(yaml, line - 1, above)
    ? indentOf(above)
    : indentBelow(above, current.trim().slice(0, MAX_LINE), indentWidth(options));
  const there = indentOf(current);
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

/** Matches an entry whose value starts on the next line: `key:` or `key: |`. */
const OPEN_ENTRY =
  /^(?:"[^"]*"|'[^']*'|[^\s"'#[{&*!|>-][^#]*?)\s*:(?:\s+[&!]\S+)*(?:\s+[|>][-+\d]*)?\s*(?:#.*)?$/;
const ENTRY = /^(?:"[^"]*"|'[^']*'|[^\s"'#[{&*!|>-][^#]*?)\s*:\s/;

/** Longer lines are truncated. */
const MAX_LINE = 500;

/** The indentation below a line that isn't part of multi-line text; undefined if there are several possibilities. */
function indentBelow(above: string, current: string, step: number): number | undefined {
  const [head = '', dashes = ''] = /^\s*((?:-\s+)*)/.exec(`${above} `) ?? [];
  const column = Math.min(head.length, above.length + 1);
  const words = above.slice(column, column + MAX_LINE).trim();
  const lastDash = head.lastIndexOf('-');
  // `-` alone: the item's value is on the lines below.
  if (words === '') return lastDash + 2;
  if (words.startsWith('#')) return undefined;
  if (OPEN_ENTRY.test(words) || /[[{]\s*(?:#.*)?$/.test(words)) return column + step;
  const next = current === '' || current.startsWith('-') || current.startsWith('#');
  if (ENTRY.test(words)) return next || ENTRY.test(`${current} `) ? column : column + step;
  if (dashes === '') return undefined;
  // `- |`, or an item whose text is split across lines.
  if (/^[|>][-+\d]*\s*(?:#.*)?$/.test(words) || !next) return lastDash + 2;
  return lastDash;
}
