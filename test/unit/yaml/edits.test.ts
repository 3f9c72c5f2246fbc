import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Path, withValueAt } from '../../../src/core/data/data.ts';
import { addKeys, replaceEntry, replaceText, replaceValue } from '../../../src/yaml/edits.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { edited } from '../../support/language/codeActions.ts';
import { tries } from '../../support/long.ts';

const SEED = 20_261_121;

const TEXT = `# first
one: 1 # why one
two: # why two
  - a # why a
  - { b: [x, "y"] } # why b
  -   |- # why c
    line

    line
  - key: >- # why d
      folded
      text
    other:
three: {four: 'it''s', five: }
six:
  # why six
  seven: "a
    b" # why seven
  eight:
    word # why eight
nine: |
  last
`;

const PATHS: readonly Path[] = [
  ['one'],
  ['two'],
  ['two', 0],
  ['two', 1],
  ['two', 1, 'b'],
  ['two', 1, 'b', 0],
  ['two', 2],
  ['two', 3],
  ['two', 3, 'key'],
  ['two', 3, 'other'],
  ['three'],
  ['three', 'four'],
  ['three', 'five'],
  ['six'],
  ['six', 'seven'],
  ['six', 'eight'],
  ['nine'],
];

const VALUES: readonly unknown[] = [
  'word',
  'true',
  'a, b: {c} #d',
  '',
  ' two\n\n  lines\n',
  'two\nlines',
  null,
  0.5,
  [],
  {},
  ['a', 'b\nc'],
  { x: 'y', z: { list: [1, ['on']] } },
];

const value = fc.constantFrom(...VALUES);
const path = fc.constantFrom(...PATHS);

describe('an edit of a YAML text', () => {
  for (const [form, text] of [
    ['as it is', TEXT],
    ['with other line ends', TEXT.replaceAll('\n', '\r\n')],
    ['without a line end at its end', TEXT.trimEnd()],
  ] as const) {
    const yaml = parseYaml(text, '/x.yaml');

    it(`replaces any value with any other, ${form}`, () => {
      fc.assert(
        fc.property(path, value, (at, data) => {
          const after = edited(text, replaceValue(yaml, at, data));
          assert.deepEqual(
            parseYaml(after, '').value,
            withValueAt(yaml.value, at, () => data),
            after,
          );
        }),
        { seed: SEED, numRuns: tries(500, 60) },
      );
    });

    it(`replaces any entry with any other, ${form}`, () => {
      fc.assert(
        fc.property(path, value, (at, data) => {
          const last = at.at(-1);
          if (typeof last !== 'string') return;
          const after = edited(text, replaceEntry(yaml, at, 'on', data));
          const expected = withValueAt(yaml.value, at.slice(0, -1), (owner) =>
            Object.fromEntries(
              Object.entries(Object(owner)).map(([key, one]) =>
                key === last ? ['on', data] : [key, one],
              ),
            ),
          );
          assert.deepEqual(parseYaml(after, '').value, expected, after);
        }),
        { seed: SEED, numRuns: tries(500, 60) },
      );
    });

    it(`adds any key to any mapping, ${form}`, () => {
      const mappings: readonly Path[] = [[], ['two', 1], ['two', 3], ['three'], ['six']];
      fc.assert(
        fc.property(fc.constantFrom(...mappings), value, (at, data) => {
          const added = addKeys(yaml, at, { 'no, yes': data });
          const after = edited(text, added ? [added] : []);
          const expected = withValueAt(yaml.value, [...at, 'no, yes'], () => data);
          assert.deepEqual(parseYaml(after, '').value, expected, after);
        }),
        { seed: SEED, numRuns: tries(200, 30) },
      );
    });
  }

  it('keeps the comments next to a replaced value', () => {
    const yaml = parseYaml(TEXT, '/x.yaml');
    for (const at of [['one'], ['two', 0], ['two', 1], ['two', 2], ['two', 3, 'key']] as Path[]) {
      const after = edited(TEXT, replaceValue(yaml, at, { new: 'two\nlines' }));
      const comments = (text: string) => text.match(/# why .*/g);
      assert.deepEqual(comments(after), comments(TEXT), after);
    }
  });

  it('keeps the quotes of a text, or adds the ones it needs', () => {
    for (const [before, text, after] of [
      ['a: x', 'true', 'a: "true"'],
      ['a: [x, y]', 'a, b', 'a: ["a, b", y]'],
      ['a: "x"', 'say "hi"', 'a: "say \\"hi\\""'],
      ["a: 'x'", "it's", "a: 'it''s'"],
      ["a: 'x'", 'one\ntwo', 'a: "one\\ntwo"'],
      ['a: |\n  x\nb: 1', 'z', 'a: z\nb: 1'],
    ] as const) {
      const yaml = parseYaml(before, '/x.yaml');
      const place = before.includes('[') ? ['a', 0] : ['a'];
      const edits = [replaceText(yaml, yaml.rangeOf(place), text)];
      assert.equal(edited(before, edits), after);
    }
  });

  it('leaves values behind aliases and values with anchors unchanged', () => {
    const yaml = parseYaml('a: &x\n  - b\nc: *x\n{d}: 1\n', '/x.yaml');
    assert.deepEqual(replaceValue(yaml, ['a'], 'y'), []);
    assert.deepEqual(replaceValue(yaml, ['c', 0], 'y'), []);
    assert.deepEqual(replaceValue(yaml, ['nothing'], 'y'), []);
  });
});
