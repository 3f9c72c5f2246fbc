import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Edit, shiftSource } from '../../../../src/extension/testing/edits.ts';

/** An edit of whole lines, counted from 0. */
const edit = (from: number, to: number, text: string, path = '/a.eval.yaml'): Edit => ({
  path,
  range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
  text,
});

function lineAfter(...edits: readonly Edit[]): number {
  const position = { line: 5, character: 4 };
  const source = { path: '/a.eval.yaml', range: { start: position, end: position } };
  return shiftSource(source, edits).range.start.line;
}

describe('the line of a message', () => {
  it('moves when lines are added or removed above it', () => {
    assert.equal(lineAfter(edit(0, 0, '# one\n# two\n')), 7);
    assert.equal(lineAfter(edit(1, 3, '')), 3);
    assert.equal(lineAfter(edit(0, 0, '\n\n'), edit(6, 6, '\n'), edit(9, 9, '\n')), 8);
    assert.equal(lineAfter(edit(5, 5, '\n')), 6);
  });

  it('stays if something else changes', () => {
    assert.equal(lineAfter(edit(6, 6, '\n')), 5);
    assert.equal(lineAfter(edit(2, 2, 'words')), 5);
    assert.equal(lineAfter(edit(0, 0, '\n', '/b.eval.yaml')), 5);
  });
});
