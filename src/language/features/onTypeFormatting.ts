import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import { endOfLine } from '../../yaml/lines.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';
import { stepOf } from './formatting.ts';

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
