import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldingRanges } from '../../../../src/language/features/foldingRanges.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';

/** `first-last`, counted from 1, with the kind where there is one. */
async function folds(text: string): Promise<string[]> {
  return foldingRanges(await documentOf(text)).map(
    ({ startLine, endLine, kind }) => `${startLine + 1}-${endLine + 1}${kind ? ` ${kind}` : ''}`,
  );
}

describe('foldingRanges', () => {
  it('folds maps, cases, turns and lists', async () => {
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

  it('folds texts of several lines, without the blank ones behind them', async () => {
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

  it('folds braces and leaves a closing one on its own line in sight', async () => {
    const text = 'tools: [\n  {name: a,\n   description: b},\n]\ncases: []\n';
    assert.deepEqual(await folds(text), ['1-3', '2-3']);
  });

  it('folds blocks of comments, and no lines of texts that look like them', async () => {
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

  it('folds a file with carriage returns alike', async () => {
    assert.deepEqual(await folds('# a\r\n# b\r\ncases:\r\n  - id: a\r\n    turns: [Hi]\r\n'), [
      '1-2 comment',
      '3-5',
      '4-5',
    ]);
  });

  for (const text of HARD_TEXTS) {
    it(`stays within ${JSON.stringify(text)}`, async () => {
      const last = text.split(/\r\n|\r|\n/).length - 1;
      for (const { startLine, endLine } of foldingRanges(await documentOf(text))) {
        assert.ok(startLine < endLine && endLine <= last);
      }
    });
  }
});
