import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SelectionRange } from 'vscode-languageserver-types';
import { foldingRanges, selectionRanges } from '../../../../src/language/features/ranges.ts';
import { cursor } from '../../../support/language/cursor.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

/** Folding ranges as `first-last`, counted from 1, with their kind if they have one. */
async function folds(text: string): Promise<string[]> {
  return foldingRanges(await documentOf(text)).map(
    ({ startLine, endLine, kind }) => `${startLine + 1}-${endLine + 1}${kind ? ` ${kind}` : ''}`,
  );
}

describe('foldingRanges', () => {
  it('folds mappings, cases, turns, and lists', async () => {
    const text = `models:
  judge:
    provider: openai
    model: m
cases:
  - id: one
    turns:
      - Hi
      - user: Bye
        expected: A farewell.

  # The next one.
  - id: two
    transcript: long.json
`;
    assert.deepEqual(await folds(text), ['1-4', '2-4', '5-14', '6-10', '7-10', '9-10', '13-14']);
  });

  it('folds multi-line texts, without trailing empty lines', async () => {
    const text = `cases:
  - turns:
      - |
        Hello
        there


      - user: >-
          Bye
      - "two
        lines"
`;
    assert.deepEqual(await folds(text), ['1-11', '2-11', '3-5', '8-9', '10-11']);
  });

  it('folds braces, and keeps a closing brace on its own line visible', async () => {
    const text = 'tools: [\n  {name: a,\n   description: b},\n]\ncases: []\n';
    assert.deepEqual(await folds(text), ['1-3', '2-3']);
  });

  it('folds blocks of comments, but not lines of texts that look like comments', async () => {
    const text = `# One
# two
name: x # three
# four
description: |
  # five
  # six
  #seven
`;
    assert.deepEqual(await folds(text), ['1-2 comment', '5-8']);
  });

  it('folds a file with carriage returns the same way', async () => {
    assert.deepEqual(await folds('# a\r\n# b\r\ncases:\r\n  - id: a\r\n    turns: [Hi]\r\n'), [
      '1-2 comment',
      '3-5',
      '4-5',
    ]);
  });

  for (const text of HARD_TEXTS) {
    it(`returns no range outside of ${JSON.stringify(text)}`, async () => {
      const last = text.split(/\r\n|\r|\n/).length - 1;
      for (const { startLine, endLine } of foldingRanges(await documentOf(text))) {
        assert.ok(startLine < endLine && endLine <= last);
      }
    });
  }
});

/** The selected texts, from the innermost to the outermost range. */
async function selected(marked: string): Promise<string[]> {
  const { text, position } = cursor(marked);
  const [first] = selectionRanges(await documentOf(text), [position]);
  const found: string[] = [];
  for (let one: SelectionRange | undefined = first; one; one = one.parent) {
    found.push(textIn(text, one.range));
  }
  return found;
}

describe('selectionRanges', () => {
  it('grows from the word over text, entry, item, case, and list to the file', async () => {
    const text = `name: x
cases:
  - id: one
    turns:
      - user: Hello th|ere
        expected: Yes
  - id: two
`;
    const all = text.replace('|', '');
    assert.deepEqual(await selected(text), [
      'there',
      'Hello there',
      'user: Hello there',
      'user: Hello there\n        expected: Yes',
      '- user: Hello there\n        expected: Yes',
      'turns:\n      - user: Hello there\n        expected: Yes',
      'id: one\n    turns:\n      - user: Hello there\n        expected: Yes',
      '- id: one\n    turns:\n      - user: Hello there\n        expected: Yes',
      all.slice(all.indexOf('- id: one')).trimEnd(),
      all.slice(all.indexOf('cases:')).trimEnd(),
      all.trimEnd(),
      all,
    ]);
  });

  it('selects the text between quotes before the quotes', async () => {
    // The text contains an emoji, which takes up two characters.
    const [word, inner, outer] = await selected("description: 'A 😀 f|ace'\n");
    assert.deepEqual([word, inner, outer], ['face', 'A 😀 face', "'A 😀 face'"]);
  });

  it('selects a line of a text before the text', async () => {
    const found = await selected('description: >\n  One li|ne.\n  Two lines.\nname: x\n');
    assert.deepEqual(found.slice(0, 4), [
      'line',
      'One line.',
      'One line.\n  Two lines.',
      '>\n  One line.\n  Two lines.',
    ]);
  });

  it('selects the key, then its entry', async () => {
    assert.deepEqual((await selected('name: x\nde|scription: y\n')).slice(0, 2), [
      'description',
      'description: y',
    ]);
  });

  it('returns a result for each position, in order', async () => {
    const document = await documentOf('name: one\n');
    const places = [0, 6, 9].map((character) => ({ line: 0, character }));
    const found = selectionRanges(document, places);
    assert.deepEqual(
      found.map(({ range }) => textIn('name: one\n', range)),
      ['name', 'one', 'one'],
    );
  });

  for (const text of HARD_TEXTS) {
    it(`returns no range outside of ${JSON.stringify(text)}`, async () => {
      const document = await documentOf(text);
      const places = text
        .split('\n')
        .flatMap((line, index) =>
          Array.from({ length: line.length + 1 }, (_, character) => ({ line: index, character })),
        );
      for (const first of selectionRanges(document, places)) {
        for (let one = first; one.parent; one = one.parent) {
          assert.ok(textIn(text, one.parent.range).includes(textIn(text, one.range)));
        }
      }
    });
  }
});
