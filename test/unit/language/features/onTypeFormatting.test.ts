import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onTypeFormatting } from '../../../../src/language/features/onTypeFormatting.ts';
import { cursor } from '../../../support/language/cursor.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

const TWO = { insertSpaces: true, tabSize: 2 };

/** The line with the cursor, as it is after Enter. */
async function after(marked: string, options = TWO): Promise<string> {
  const { text, position } = cursor(marked);
  const [edit] = onTypeFormatting(await documentOf(text), position, '\n', options);
  const line = text.split('\n')[position.line] ?? '';
  if (!edit) return line;
  assert.equal(edit.range.start.line, position.line);
  return edit.newText + line.slice(edit.range.end.character);
}

describe('onTypeFormatting', () => {
  it('indents below a key without a value', async () => {
    assert.equal(await after('cases:\n|'), '  ');
    assert.equal(await after('cases:\n  - id: a\n    assert: # what\n|'), '      ');
    assert.equal(await after('cases:\n  - assert:\n  |\n'), '      ');
  });

  it('stands below the first key of an item', async () => {
    assert.equal(await after('cases:\n  - id: a\n|'), '    ');
    assert.equal(await after('cases:\n  -   id: "a"\n  |'), '      ');
    assert.equal(await after('cases:\n  - id: a\n    description: x # y\n  |'), '    ');
  });

  it('begins the next item below a text', async () => {
    assert.equal(await after('turns:\n  - Hi there\n|'), '  ');
    assert.equal(await after('turns:\n  - "Hi: there"\n    |'), '  ');
  });

  it('indents what a dash alone holds', async () => {
    assert.equal(await after('cases:\n  -\n|'), '    ');
    assert.equal(await after('cases:\n  - \n|'), '    ');
  });

  it('indents a text below its header and goes on as the text does', async () => {
    assert.equal(await after('cases:\n  - description: >\n|'), '      ');
    assert.equal(await after('turns:\n  - >-\n|'), '    ');
    // Inside of a text, what looks like an entry is none.
    assert.equal(
      await after('cases:\n  - description: >-\n      Note:\n  |\n    id: a\n'),
      '      ',
    );
  });

  it('keeps a text together that is cut in two', async () => {
    assert.equal(await after('turns:\n  - Hi\n|there\n'), '    there');
    assert.equal(await after('description: One\n|two\n'), '  two');
    assert.equal(await after('cases:\n  - id: a\n|turns: [Hi]\n'), '    turns: [Hi]');
  });

  it('leaves a line alone below an empty one, a comment, and before a bracket', async () => {
    assert.equal(await after('cases:\n  - id: a\n\n|'), '');
    assert.equal(await after('cases:\n  # Why:\n |'), ' ');
    assert.equal(await after('tools: [\n|]'), ']');
  });

  it('indents by as many blanks as the editor says', async () => {
    assert.equal(await after('cases:\n|', { insertSpaces: true, tabSize: 4 }), '    ');
  });

  it('is right in a file with carriage returns', async () => {
    assert.equal(await after('cases:\r\n  - id: a\r\n|\r\n'), '    \r');
  });

  it('answers to nothing else that is typed', async () => {
    const document = await documentOf('cases:\n');
    assert.deepEqual(onTypeFormatting(document, { line: 1, character: 0 }, ':', TWO), []);
  });

  for (const text of HARD_TEXTS) {
    it(`stays within ${JSON.stringify(text)}`, async () => {
      const document = await documentOf(text);
      for (const [line] of text.split('\n').entries()) {
        for (const { range } of onTypeFormatting(document, { line, character: 0 }, '\n', TWO)) {
          assert.match(textIn(text, range), /^[ \t]*$/);
        }
      }
    });
  }
});
