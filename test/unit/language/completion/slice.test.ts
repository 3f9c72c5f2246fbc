import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sliceAt } from '../../../../src/language/completion/slice.ts';
import { labelsAt } from '../../../support/language/completing.ts';
import { cursor } from '../../../support/language/cursor.ts';

/** The part of a text that is read for a cursor at `|`, including the cursor. */
function sliced(marked: string): string {
  const { text, position } = cursor(marked);
  const slice = sliceAt(text, position);
  if (!slice) return 'nothing';
  return `${slice.text.slice(0, slice.offset)}|${slice.text.slice(slice.offset)}`;
}

describe('the part of a file that completion reads', () => {
  it('is the case at the cursor, and everything outside of the cases', () => {
    const marked =
      'name: x\ncases:\n  - id: a\n    tags: []\n  - id: b\n    |\n  - id: c\njudge: openai:a\n';
    assert.equal(sliced(marked), 'name: x\ncases:\n  - id: b\n    |\njudge: openai:a\n');
  });

  it('contains no case for the keys of the file', () => {
    assert.equal(sliced('na|\ncases:\n- id: a\n- id: b\n'), 'na|\ncases:');
    assert.equal(sliced('cases:\n- id: a\nrole: x\njudge: |\n'), 'cases:\nrole: x\njudge: |\n');
  });

  it('continues after a line that is being typed without indentation', async () => {
    const marked = 'cases:\n  - id: a\nna|\n  - id: b\n    tags: []\n';
    assert.equal(sliced(marked), 'cases:\n  - id: a\nna|');
    assert.ok((await labelsAt(marked)).includes('name'));
  });

  it("isn't affected by texts that look like cases", () => {
    const marked =
      'cases:\n  - id: a\n    turns:\n      - >\n        - id: no\n\n        cases:\n    th|\n  - id: b\n';
    assert.equal(sliced(marked).includes('- id: no'), true);
    assert.equal(sliced(marked).includes('- id: b'), false);
  });

  it('is everything if the cases are written in braces', () => {
    const marked = 'cases: [{id: a}, {id: b, |}]\n';
    assert.equal(sliced(marked), marked);
  });

  it('leaves out the other turns of a long case', () => {
    const turns = '      - user: Hi\n        expected: Hello\n'.repeat(200);
    const marked = `cases:\n  - id: a\n    turns:\n${turns}    assert:\n      - type: |\n`;
    assert.equal(sliced(marked), 'cases:\n  - id: a\n    turns:\n    assert:\n      - type: |\n');
    const within = `cases:\n  - id: a\n    turns:\n${turns}      - |\n${turns}    assert: [x]\n`;
    assert.equal(sliced(within), 'cases:\n  - id: a\n    turns:\n      - |\n    assert: [x]\n');
  });

  it('is everything if an alias refers to another case', async () => {
    // The assertion's type is defined in the first case.
    const marked =
      'cases:\n  - id: a\n    assert:\n      - {type: &kind tool-called, name: x}\n  - id: b\n    assert:\n      - {type: *kind , |}\n';
    const labels = await labelsAt(marked);
    assert.ok(labels.includes('times') && !labels.includes('judge'), labels.join());
  });
});
