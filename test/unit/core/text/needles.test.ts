import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Needles } from '../../../../src/core/text/needles.ts';
import { assertWork } from '../../../support/work.ts';

function needlesOf(texts: Iterable<string>): Needles {
  const needles = new Needles();
  for (const text of texts) needles.add(text);
  return needles;
}

/** The matches of a RegExp with all texts as alternatives, longest first. */
function foundByRegExp(texts: Iterable<string>, text: string) {
  const longestFirst = [...texts].sort((a, b) => b.length - a.length);
  return [...text.matchAll(new RegExp(longestFirst.join('|'), 'g'))].map(([needle]) => needle);
}

describe('needles', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 8, maxLength: 12 });

  it('are found like a RegExp would find them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'c'), maxLength: 200 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 30 }), text, (words, inText) => {
        const found = [...needlesOf(words).find(inText)];
        assert.deepEqual(
          found.map(({ start, end }) => inText.slice(start, end)),
          foundByRegExp(words, inText),
        );
        for (const { needle, start, end } of found) {
          assert.equal(inText.slice(start, end), needle);
        }
      }),
    );
  });

  it('are measured if the text ends within one', () => {
    fc.assert(
      fc.property(word, fc.nat(11), (needle, length) => {
        const begun = needle.slice(0, Math.min(length, needle.length - 1));
        const overlap = needlesOf([needle]).overlap(`c${begun}`);
        assert.ok(overlap >= begun.length && needle.startsWith(`c${begun}`.slice(-overlap || 99)));
      }),
    );
  });

  it('are found by their first 256 characters, and as far as they match', () => {
    const needle = `${'a'.repeat(300)}${'b'.repeat(300)}`;
    const [found] = needlesOf([needle, `${'a'.repeat(300)}c`]).find(`x${needle.slice(0, 400)}x`);
    assert.deepEqual(found, { needle, start: 1, end: 401 });
  });

  it('take linear time if the text nearly contains them', async () => {
    const many = Array.from(
      { length: 500 },
      (_, index) => `${'a'.repeat(8 + (index % 240))}${index}`,
    );
    const needles = needlesOf([...many, 'a'.repeat(30_000)]);
    const text = `${'a'.repeat(255)}b`.repeat(250);
    await assertWork(250, () => assert.deepEqual([...needles.find(text)], []));
  });
});
