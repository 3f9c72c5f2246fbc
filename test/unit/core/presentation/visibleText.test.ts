import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  visibleJson,
  visibleLine,
  visibleText,
} from '../../../../src/core/presentation/visibleText.ts';
import { HOSTILE_TEXTS, hiddenIn, NEEDED_TEXTS } from '../../../support/hostileTexts.ts';

describe('text that can be seen', () => {
  for (const [deed, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`shows a text that ${deed}`, () => {
      for (const shown of [visibleText(text), visibleLine(text), visibleJson(text)]) {
        assert.deepEqual(hiddenIn(shown), [], shown);
      }
      assert.equal(JSON.parse(visibleJson({ text })).text, text);
    });
  }

  for (const [writing, text] of Object.entries(NEEDED_TEXTS)) {
    it(`leaves ${writing} as it is`, () => {
      assert.equal(visibleText(text), text);
      assert.equal(visibleLine(text), text);
      assert.equal(JSON.parse(visibleJson(text)), text);
      assert.ok(visibleJson(text).includes(text));
    });
  }

  it('writes the number of what is hidden, as the editor does', () => {
    assert.equal(visibleText('a\u202eb\u001b[2J\u{e0041}'), 'a[U+202E]b[U+001B][2J[U+E0041]');
  });

  it('keeps lines, whatever ends them, and gives a tab two columns', () => {
    assert.equal(visibleText('a\r\n\tb\rc\u2028d\n\ne'), 'a\n  b\nc\nd\n\ne');
    assert.equal(visibleLine('  a\r\n\t b\u2029c\u00a0d '), 'a b c d');
  });

  it('drops nothing, at the ends neither', () => {
    assert.equal(visibleLine('\ufeffa\u200b'), '[U+FEFF]a[U+200B]');
  });

  it('hides nothing, whatever the text', () => {
    const character = fc
      .integer({ min: 0, max: 0x10ffff })
      .map((code) => String.fromCodePoint(code));
    const odd = fc.constantFrom(...Object.values(HOSTILE_TEXTS).flatMap((text) => [...text]));
    fc.assert(
      fc.property(fc.array(fc.oneof(character, odd)), (letters) => {
        const text = letters.join('');
        assert.equal(visibleText(visibleText(text)), visibleText(text));
        assert.deepEqual(JSON.parse(visibleJson({ text })), { text });
      }),
    );
  });
});

describe('a line of at most so many characters', () => {
  it('is cut with a sign that it goes on', () => {
    assert.equal(visibleLine('a\n\tb   c', 4), 'a b…');
    assert.equal(visibleLine('abcd', 4), 'abcd');
    assert.equal(visibleLine('', 4), '');
  });

  it('cuts no emoji and no letter in two', () => {
    assert.equal(visibleLine('a👨‍👩‍👧‍👦b', 5), 'a…');
    assert.equal(visibleLine('a👨‍👩‍👧‍👦bc', 9), 'a👨‍👩‍👧‍👦…');
    assert.equal(visibleLine('e\u0301e\u0301e\u0301', 4), 'e\u0301…');
  });

  it('stays that short where a letter carries a thousand marks', () => {
    assert.ok(visibleLine(`a${'\u0301'.repeat(1000)}`, 20).length <= 20);
  });

  it('counts characters, not halves of them', () => {
    assert.equal(visibleLine('😀'.repeat(5), 5), '😀'.repeat(5));
    assert.equal(visibleLine('😀'.repeat(6), 5), `${'😀'.repeat(4)}…`);
  });
});
