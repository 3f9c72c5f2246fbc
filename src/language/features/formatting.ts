import type { FormattingOptions, TextEdit } from 'vscode-languageserver-types';
import type { Work } from '../../core/steps.ts';
import { edit } from '../../yaml/edits.ts';
import type { Piece } from '../../yaml/gaps.ts';
import { layOut } from '../../yaml/layOut.ts';
import { isUnreadable } from '../../yaml/parser.ts';
import { readYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';

/**
 * Edits of white space alone that lay the file out; comments, quotes and texts stay as they are.
 * None where the file cannot be read as a whole, or where its data would not be the same afterwards.
 */
export function* formatting({ yaml }: EvalDocument, options: FormattingOptions): Work<TextEdit[]> {
  if (yaml.value === undefined || yaml.problems.some(isUnreadable)) return [];
  const pieces = yield* layOut(yaml.text, stepOf(options));
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
