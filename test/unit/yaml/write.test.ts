import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import {
  indented,
  write,
  writeEntry,
  writeInline,
  writeWithin,
  writeWord,
} from '../../../src/yaml/quoting.ts';
import { tries } from '../../support/long.ts';

const SEED = 20_261_121;

/** Text fragments with a meaning in YAML, in any order. */
const PIECES = [
  ...['a', 'b', ' ', '\t', '\n', '\r', ':', '#', ' #', ': ', ',', '[', ']', '{', '}', '{{x}}'],
  ...['-', '- ', '?', '? ', '!', '&', '*', '|', '>', '%', '@', '`', "'", '"', '\\', '=', '<<', '~'],
  ...['---', '...', 'true', 'no', 'null', '1', '.5', '0x1', '1_0', '12:30', '2020-01-01', '.inf'],
  ...['é', '😀', 'ש', '\u2028', '\u0085', '\u202e', '\ufeff', '\0', '\ud800', '__proto__'],
];

const text = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 6 })
  .map((pieces) => pieces.join(''));

const { data } = fc.letrec<{ data: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(text, fc.constantFrom<unknown>(null, true, false, 0, -1.5, 1e21)),
  data: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('data'), { maxLength: 3 }),
    fc
      .array(fc.tuple(text, tie('data')), { maxLength: 3 })
      .map((entries) => Object.fromEntries(entries.filter(([key]) => key !== '__proto__'))),
  ),
}));

describe('a text written into YAML', () => {
  for (const [word, written] of [
    ['plain words', 'plain words'],
    ['It is "fine".', 'It is "fine".'],
    ['openai:gpt-5-mini', 'openai:gpt-5-mini'],
    ['./judges/tone.md', './judges/tone.md'],
    ['', '""'],
    ['true', '"true"'],
    ['null', '"null"'],
    ['.5', '".5"'],
    ['1e3', '"1e3"'],
    ['on', '"on"'],
    ['No', '"No"'],
    ['y', '"y"'],
    ['1_000', '"1_000"'],
    ['12:30', '"12:30"'],
    ['2026-11-21', '"2026-11-21"'],
    ['a #b', '"a #b"'],
    ['a: b', '"a: b"'],
    ['- a', '"- a"'],
    ['{{name}}', '"{{name}}"'],
    ['say "hi": now', `'say "hi": now'`],
    [' a', '" a"'],
    ['a\nb', '"a\\nb"'],
    ['a\u2028b', '"a\\u2028b"'],
  ] as const) {
    it(`is ${written} for ${JSON.stringify(word)}`, () => assert.equal(writeWord(word), written));
  }

  it('is quoted in brackets if it contains special characters', () => {
    for (const word of ['a, b', 'a]', '{a', '{{name}}', '?a', ':a']) {
      assert.equal(writeWord(word, true), `"${word}"`);
    }
    assert.equal(writeWord('a "b", c', true), `'a "b", c'`);
    assert.equal(writeWord('openai:gpt-5-mini', true), 'openai:gpt-5-mini');
  });

  it('is read unchanged as a value or key, in a block or in brackets', () => {
    fc.assert(
      fc.property(text, (word) => {
        for (const version of ['1.2', '1.1'] as const) {
          const options = { version, merge: false } as const;
          const block = writeWord(word);
          assert.deepEqual(parse(`k: ${block}\n`, options), { k: word });
          assert.deepEqual(Object.keys(parse(`${block}: 1\n`, options)), [word]);
          const flow = writeWord(word, true);
          assert.deepEqual(parse(`[${flow}, {k: ${flow}}]`, options), [word, { k: word }]);
          assert.deepEqual(Object.keys(parse(`{${flow}: 1, k: 2}`, options))[0], word);
        }
      }),
      { seed: SEED, numRuns: tries(3_000, 300) },
    );
  });

  it('is read unchanged from one line, however long it is', () => {
    for (const text of ['a'.repeat(2_000), '"'.repeat(600), "it's ".repeat(400)]) {
      assert.deepEqual(parse(`k: ${writeWord(text)}\n`), { k: text });
      assert.deepEqual(parse(`[${writeWord(text, true)}]\n`), [text]);
    }
  });

  it('is read unchanged from existing quotes', () => {
    fc.assert(
      fc.property(text, (word) => {
        assert.equal(parse(`"${writeWithin(word, 'double')}"`), word);
        const single = writeWithin(word, 'single');
        if (single !== undefined) assert.equal(parse(`'${single}'`), word);
        else assert.match(word, /[\p{Cc}\u2028\u2029\ufeff]/u);
      }),
      { seed: SEED, numRuns: tries(3_000, 300) },
    );
  });
});

describe('data written into YAML', () => {
  it('is read unchanged from one line or several, at any place', () => {
    fc.assert(
      fc.property(data, fc.nat(5), (value, column) => {
        assert.deepEqual(parse(`k: ${writeInline(value)}\n`), { k: value });
        assert.deepEqual(parse(`[${writeInline(value, true)}, 1]`), [value, 1]);
        assert.ok(!writeInline(value).includes('\n'));
        const entry = writeEntry('k', write(value));
        const text = indented(`a:\n${indented(entry, 2)}\n  z: 1`, column);
        assert.deepEqual(parse(`${text}\n`), { a: { k: value, z: 1 } });
      }),
      { seed: SEED, numRuns: tries(2_000, 200) },
    );
  });

  it('has multi-line texts as blocks, and short lists in brackets', () => {
    assert.equal(writeEntry('user', write('one\n\ntwo')), 'user: |-\n  one\n\n  two');
    assert.equal(writeInline([{ user: 'Hi' }, []]), '[{ user: Hi }, []]');
    assert.equal(writeEntry('tags', write(['a', 'b'])), 'tags:\n  - a\n  - b');
    assert.equal(writeEntry('tags', write([])), 'tags: []');
  });
});
