import assert from 'node:assert/strict';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Range } from '../../src/core/problem.ts';

/** The text in a range. Fails if any part of the range is outside of the text. */
export function textIn(text: string, range: Range): string {
  const document = TextDocument.create('file:///suite', 'yaml', 1, text);
  const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  assert.deepEqual(document.positionAt(start), range.start, 'it is in the text');
  assert.deepEqual(document.positionAt(end), range.end, 'it is in the text');
  assert.ok(start <= end, 'a range ends behind its start');
  return text.slice(start, end);
}
