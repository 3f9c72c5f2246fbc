import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  plainLog,
  visibleJson,
  visibleLine,
  visibleText,
} from '../../../../src/core/text/visibleText.ts';
import { HOSTILE_TEXTS, hiddenIn, NEEDED_TEXTS } from '../../../support/hostileTexts.ts';
import { timesAsMuch } from '../../../support/work.ts';

describe('visible text', () => {
  for (const [deed, text] of Object.entries(HOSTILE_TEXTS)) {
    it(`reveals a text that ${deed}`, () => {
      for (const shown of [visibleText(text), visibleLine(text), visibleJson(text)]) {
        assert.deepEqual(hiddenIn(shown), [], shown);
      }
      assert.equal(JSON.parse(visibleJson({ text })).text, text);
    });
  }

  for (const [writing, text] of Object.entries(NEEDED_TEXTS)) {
    it(`doesn't change ${writing}`, () => {
      assert.equal(visibleText(text), text);
      assert.equal(visibleLine(text), text);
      assert.equal(JSON.parse(visibleJson(text)), text);
      assert.ok(visibleJson(text).includes(text));
    });
  }

  it('shows the code point of a hidden character, as the editor does', () => {
    assert.equal(visibleText('a\u202eb\u001b[2J\u{e0041}'), 'a[U+202E]b[U+001B][2J[U+E0041]');
  });

  it('keeps lines with any line break, and replaces a tab by two spaces', () => {
    assert.equal(visibleText('a\r\n\tb\rc\u2028d\n\ne'), 'a\n  b\nc\nd\n\ne');
    assert.equal(visibleLine('  a\r\n\t b\u2029c\u00a0d '), 'a b c d');
  });

  it('converts only as much as it shows', async () => {
    const text = '\u202eé👩‍👧 \n   '.repeat(100);
    for (let length = 1; length < 300; length += 1) {
      const shown = visibleLine(text, length);
      assert.ok(visibleLine(text).startsWith(shown.slice(0, -1)), shown);
      const count = Array.from(shown).length;
      assert.ok(count <= length && count > length - 3, `${count} of ${length}: ${shown}`);
    }
    const short = 'é'.repeat(1_000);
    const long = 'é'.repeat(1_000_000);
    const many = (one: string) => () => {
      for (let count = 0; count < 100; count += 1) visibleLine(one, 24);
    };
    assert.ok((await timesAsMuch(many(short), many(long))) < 12);
  });

  it('drops nothing, not even at the ends', () => {
    assert.equal(visibleLine('\ufeffa\u200b'), '[U+FEFF]a[U+200B]');
  });

  it('shows so many hidden characters of a line by code point, and where others were left out', () => {
    const shown = visibleText('\u200b'.repeat(10_005));
    assert.equal(shown, `${'[U+200B]'.repeat(10_000)}\ufffd`);
  });

  it("doesn't mistake a hidden character for a letter before a joiner", () => {
    assert.equal(visibleText('\u180e\u200c'), '[U+180E][U+200C]');
    assert.equal(visibleText('\u180e\u180b'), '[U+180E][U+180B]');
  });

  it('contains no hidden characters, whatever the text', () => {
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

describe('JSON', () => {
  it('contains no command to a CI, and has the same value', () => {
    const text = 'a ##vso[task.complete]x ##[error]y\n::error::z';
    const json = visibleJson({ [text]: text });
    assert.equal(plainLog(json), json);
    assert.deepEqual(JSON.parse(json), { [text]: text });
  });
});

describe('a line of a log', () => {
  for (const [line, shown] of [
    ['::error file=a.ts::pwned', ': :error file=a.ts::pwned'],
    ['  ::add-mask::x', '  : :add-mask::x'],
    ['\t##[error]pwned', '\t## [error]pwned'],
    ['##vso[task.setvariable variable=a]b', '## vso[task.setvariable variable=a]b'],
    ['a ::error:: within a line', 'a ::error:: within a line'],
    ['> ##vso[task.complete]x ##[add-mask]y', '> ## vso[task.complete]x ## [add-mask]y'],
    ["##teamcity[testFailed name='a']", "## teamcity[testFailed name='a']"],
    ['###[a]', '### [a]'],
    ['a\r\n::error::b', 'a\r\n: :error::b'],
    ['a\r::error::b', 'a\r: :error::b'],
    ['# [a]', '# [a]'],
  ] as const) {
    it(`contains no command to a CI: ${JSON.stringify(line)}`, () =>
      assert.equal(plainLog(line), shown));
  }
});

describe('a text with a maximum length', () => {
  it('ends in an ellipsis if it was cut', () => {
    assert.equal(visibleLine('a\n\tb   c', 4), 'a b…');
    assert.equal(visibleLine('abcd', 4), 'abcd');
    assert.equal(visibleLine('', 4), '');
  });

  it('splits no emoji and no letter', () => {
    assert.equal(visibleLine('a👨‍👩‍👧‍👦b', 5), 'a…');
    assert.equal(visibleLine('a👨‍👩‍👧‍👦bc', 9), 'a👨‍👩‍👧‍👦…');
    assert.equal(visibleLine('e\u0301e\u0301e\u0301', 4), 'e\u0301…');
  });

  it('stays short if a letter has a thousand marks', () => {
    assert.ok(visibleLine(`a${'\u0301'.repeat(1000)}`, 20).length <= 20);
  });

  it('counts code points, not UTF-16 units', () => {
    assert.equal(visibleLine('😀'.repeat(5), 5), '😀'.repeat(5));
    assert.equal(visibleLine('😀'.repeat(6), 5), `${'😀'.repeat(4)}…`);
  });
});
