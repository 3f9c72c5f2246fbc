import assert from 'node:assert/strict';
import type { Range } from '../../../src/core/problem.ts';

/** Texts that an answer can refer to, by URI. A missing text counts as empty, since an answer can create a file. */
export type TextsByUri = Readonly<Record<string, string>>;

/**
 * Checks that every range in an answer, at any depth, is inside its file's text and doesn't end before it starts.
 * Ranges without a URI refer to `uri`.
 */
export function assertPlaces(answer: unknown, uri: string, texts: TextsByUri): void {
  if (Array.isArray(answer)) {
    for (const one of answer) assertPlaces(one, uri, texts);
    return;
  }
  if (typeof answer !== 'object' || answer === null) return;
  if (isRange(answer)) {
    assertRange(answer, linesOf(texts[uri] ?? ''));
    return;
  }
  const own = addressIn(answer) ?? uri;
  for (const [key, inner] of Object.entries(answer)) {
    if (key === 'changes') {
      for (const [file, edits] of Object.entries(Object(inner))) assertPlaces(edits, file, texts);
    } else assertPlaces(inner, own, texts);
  }
}

/** Checks folding ranges, which consist of whole lines. */
export function assertFolds(
  folds: readonly { readonly startLine: number; readonly endLine: number }[],
  text: string,
): void {
  const count = linesOf(text).length;
  for (const { startLine, endLine } of folds) {
    assert.ok(startLine >= 0 && startLine < endLine && endLine < count, 'a fold is in the text');
  }
}

/** Checks semantic tokens: five numbers each, in order, and each on a single line. */
export function assertTokens(data: readonly number[], text: string): void {
  const lines = linesOf(text);
  let line = 0;
  let character = 0;
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, right = 0, length = 0] = data.slice(at, at + 3);
    assert.ok(down >= 0 && right >= 0 && length > 0, 'tokens stand in their order');
    character = down === 0 ? character + right : right;
    line += down;
    assert.ok(character + length <= (lines[line]?.length ?? -1), 'a token is in the text');
  }
}

function isRange(value: object): value is Range {
  return (
    'start' in value &&
    'end' in value &&
    typeof Reflect.get(Object(value.start), 'line') === 'number'
  );
}

function assertRange({ start, end }: Range, lines: readonly string[]): void {
  const where = `${start.line}:${start.character} to ${end.line}:${end.character}`;
  for (const { line, character } of [start, end]) {
    const length = lines[line]?.length;
    assert.ok(
      length !== undefined && character >= 0 && character <= length,
      `${where} is in the text`,
    );
  }
  assert.ok(
    start.line < end.line || (start.line === end.line && start.character <= end.character),
    `${where} does not go backwards`,
  );
}

function addressIn(answer: object): string | undefined {
  const found: unknown =
    Reflect.get(answer, 'uri') ??
    Reflect.get(answer, 'targetUri') ??
    Reflect.get(Object(Reflect.get(answer, 'textDocument')), 'uri');
  return typeof found === 'string' ? found : undefined;
}

const LINES = new Map<string, readonly string[]>();

/** The lines of a text. Caches recent texts, since a thousand ranges need the same lines. */
function linesOf(text: string): readonly string[] {
  const known = LINES.get(text) ?? text.split('\n');
  if (LINES.size > 100) LINES.clear();
  LINES.set(text, known);
  return known;
}
