import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expandSuite, type LoadedSuite } from '../../../../src/evalfile/loadedSuite.ts';
import { readCsv } from '../../../../src/evalfile/variants/matrix.ts';
import { load, placed } from '../../../support/evalFiles.ts';

/** A case with live turns. Its matrix starts at line 5. */
const suite = (matrix: string, more = '') => `target: {type: module, path: bot.mjs}
cases:
  - id: one
    turns: ["I am {{mood}}."]
    matrix: ${matrix}
    assert: [{type: contains, value: "{{mood}}"}]
${more}`;

const withFile = (path: string) => suite(path);

async function variantsOf(text: string, beside: Readonly<Record<string, string>> = {}) {
  const loaded: LoadedSuite = await expandSuite(await load(text, beside));
  const found = [];
  for (const { variant, open } of loaded.suite?.cases ?? []) {
    const { suiteCase, problems } = (await open?.()) ?? { problems: [] };
    const { origin } = suiteCase ?? {};
    const said = origin?.kind === 'turns' ? origin.turns[0]?.user : problems[0]?.code;
    found.push([variant, said]);
  }
  return found;
}

describe('the combinations of a matrix', () => {
  it('pair each value with each other one, and are named after the values', async () => {
    assert.deepEqual(await variantsOf(suite('{mood: [calm, angry], times: [1, 2]}')), [
      ['calm, 1', 'I am calm.'],
      ['calm, 2', 'I am calm.'],
      ['angry, 1', 'I am angry.'],
      ['angry, 2', 'I am angry.'],
    ]);
  });

  it('are named by ids if values have them, and by position if values are long', async () => {
    const long = 'w'.repeat(50);
    const matrix = `{mood: {a: calm, b: "${long}"}, person: [{id: kim, age: 3}, {age: 4}]}`;
    assert.deepEqual(
      (await variantsOf(suite(matrix))).map(([name]) => name),
      ['a, kim', 'a, person-2', 'b, kim', 'b, person-2'],
    );
  });

  it('are the rows of a CSV file, with quotes and semicolons as spreadsheets write them', async () => {
    const csv = 'id;mood\r\nx;"so ""very"" calm"\r\n\r\n;angry\r\n';
    assert.deepEqual(await variantsOf(withFile('moods.csv'), { 'moods.csv': csv }), [
      ['x', 'I am so "very" calm.'],
      ['line-4', 'I am angry.'],
    ]);
  });

  it('are the lines of a JSONL file', async () => {
    const lines = '{"mood": "calm", "n": 1}\n{"n": 2, "mood": "angry"}\n';
    assert.deepEqual(await variantsOf(withFile('moods.jsonl'), { 'moods.jsonl': lines }), [
      ['calm, 1', 'I am calm.'],
      ['2, angry', 'I am angry.'],
    ]);
  });

  it('go with recorded conversations, one or many', async () => {
    const talk = JSON.stringify([{ user: 'Hi' }, { assistant: 'Hello' }]);
    const text = (key: string) =>
      `cases:\n  - id: one\n    ${key}\n    matrix: {word: [Hello, Bye]}\n    assert: [{type: contains, value: "{{word}}"}]\n`;
    const names = async (key: string) => {
      const { suite: found } = await expandSuite(await load(text(key), { 'talk.json': talk }));
      const opened = await Promise.all((found?.cases ?? []).map(async ({ open }) => open?.()));
      return opened.map((one) => [
        one?.suiteCase?.variant,
        one?.suiteCase?.assertions[0]?.params.value,
      ]);
    };
    assert.deepEqual(await names('transcript: talk.json'), [
      ['Hello', 'Hello'],
      ['Bye', 'Bye'],
    ]);
    assert.deepEqual(await names('transcripts: "*.json"'), [
      ['talk/Hello', 'Hello'],
      ['talk/Bye', 'Bye'],
    ]);
  });
});

describe('problems of a matrix are reported while it is written', () => {
  for (const [what, text, expected] of [
    ['a list without values', suite('{mood: []}'), ['5:14 empty-matrix']],
    ['no names', suite('{}'), ['5:13 empty-matrix']],
    ['a value twice', suite('{mood: [calm, calm]}'), ['5:27 duplicate-value']],
    ['a name that is no list', suite('{mood: calm}'), ['5:20 wrong-type']],
    [
      'a name that context has',
      suite('{mood: [a]}', '    context: {mood: b}\n'),
      ['5:14 matrix-collision'],
    ],
    [
      'too many combinations',
      suite(
        `{mood: [${Array.from({ length: 101 }, (_, index) => index)}], n: [${Array.from({ length: 100 }, (_, index) => index)}]}`,
      ),
      ['5:13 too-many-variants'],
    ],
    [
      'a variable that it does not have',
      suite('{moods: [calm]}'),
      ['4:19 unknown-variable', '6:39 unknown-variable'],
    ],
    ['a file that is not there', suite('none.csv'), ['5:13 file-missing']],
    ['a file of another kind', suite('list.txt'), ['5:13 unknown-file-type']],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  for (const [what, file, text, expected] of [
    ['a row of another length', 'm.csv', 'mood,n\na,1\nb\n', ['m.csv:3:1 wrong-row']],
    ['a quote that is left open', 'm.csv', 'mood\n"a\n', ['m.csv:2:1 csv-syntax']],
    ['a column twice', 'm.csv', 'mood,mood\na,b\n', ['m.csv:1:1 wrong-header']],
    ['a file without rows', 'm.csv', 'mood\n', ['m.csv:1:1 empty-matrix']],
    ['a line that is not JSON', 'm.jsonl', '{"mood": "a"}\n{"mood"\n', ['m.jsonl:2:8 json-syntax']],
    [
      'a line with other names',
      'm.jsonl',
      '{"mood": "a"}\n{"moods": "b"}\n',
      ['m.jsonl:2:1 wrong-row'],
    ],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(placed(await load(suite(file), { [file]: text })), expected);
    });
  }

  it('too many combinations in all matrices of a suite, from a file or not', async () => {
    const axes = ['mood', 'a', 'b'].map((name) => `${name}: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]`);
    const thousand = `{${axes.join(', ')}}`;
    const rows = `mood\n${'x\n'.repeat(1000)}`;
    const wordy = '    turns: ["{{mood}}{{a}}{{b}}"]\n';
    const cases = Array.from({ length: 101 }, (_, index) =>
      index === 50
        ? `  - id: c${index}\n    turns: ["{{mood}}"]\n    matrix: m.csv\n`
        : `  - id: c${index}\n${wordy}    matrix: ${thousand}\n`,
    );
    const text = `target: {type: module, path: bot.mjs}
defaults: {assert: [{type: contains, value: x}]}
cases:
${cases.join('')}`;
    assert.deepEqual(placed(await load(text, { 'm.csv': rows })), ['306:13 too-many-variants']);
  });

  it('an unused name in a case with a recorded conversation', async () => {
    const text = `cases:
  - id: one
    transcript: [{user: Hi}, {assistant: Hello}]
    matrix: {word: [Hello], other: [a]}
    assert: [{type: contains, value: "{{word}}"}]
`;
    assert.deepEqual(placed(await load(text)), ['4:29 unused-name']);
  });
});

describe('a CSV text', () => {
  for (const [what, text, cells] of [
    [
      'with line breaks in quotes',
      'a,b\n"1\n2",3\n',
      [
        ['a', 'b'],
        ['1\n2', '3'],
      ],
    ],
    [
      'without a last line break',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'with empty cells',
      'a,b\n,\n',
      [
        ['a', 'b'],
        ['', ''],
      ],
    ],
    ['with a byte order mark', '\uFEFFa\n1\n', [['a'], ['1']]],
    ['that is empty', '', []],
  ] as const) {
    it(`is read ${what}`, () => {
      assert.deepEqual(
        readCsv(text).map((row) => row.cells),
        cells,
      );
    });
  }

  it('returns the line in which each row ends', () => {
    assert.deepEqual(
      readCsv('a\n"1\n2"\n\n3\n').map(({ line }) => line),
      [0, 2, 4],
    );
  });
});
