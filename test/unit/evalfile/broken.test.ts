import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeLenses } from '../../../src/language/features/codeLens.ts';
import { inlayHints } from '../../../src/language/features/inlayHints.ts';
import { documentSymbols } from '../../../src/language/features/symbols.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { load, placed, SUITE, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';
import { documentOf } from '../../support/language/evalDocument.ts';

/** Three cases. The first and the last have their own problem. */
const textWith = (second: string) => `judge: openai:x
cases:
  - id: one
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, valu: x}]
  - id: two
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [It is kind.]
${second}
  - id: three
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: x, at: 9}]
  - id: four
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [It is kind.]
`;

const BROKEN: readonly (readonly [what: string, line: string, told: string])[] = [
  ['a key that is half written', '    thr', '9:5 yaml-syntax'],
  ['a quote that is left open', '    description: "Being wri', '9:18 yaml-syntax'],
  ['a list that is left open', '    tags: [a, b', '9:11 yaml-syntax'],
  ['a tab', '\tskip: true', '9:1 tab-indent'],
  ['a variable that is not quoted', '    description: {{name}}', '9:18 bad-key'],
  ['an alias of nothing', '    description: *nobody', '9:18 unknown-alias'],
  ['a line that stands too far left', '   x: y', '9:1 yaml-syntax'],
];

describe('a syntax error in one case', () => {
  for (const [what, line, told] of BROKEN) {
    it(`hides nothing in other cases: ${what}`, async () => {
      const loaded = await load(textWith(line));
      const [first, ...rest] = placed(loaded);
      assert.deepEqual([first, rest[0], rest.at(-1)], ['5:31 unknown-key', told, '12:45 bad-at']);
      assert.ok(rest.slice(0, -1).every((one) => one.startsWith('9:')));
      assert.deepEqual(
        loaded.outline.map(({ id }) => id),
        ['one', 'two', 'three', 'four'],
      );
      assert.deepEqual(
        loaded.suite?.cases.map(({ id }) => id),
        ['four'],
      );
    });

    it(`keeps lenses, outline, and hints in place: ${what}`, async () => {
      const document = await documentOf(textWith(line));
      // Only the last case can run, so only it has an estimate.
      assert.equal(codeLenses(document, 'file:///x').length, 10);
      assert.deepEqual(
        documentSymbols(document).map(({ name }) => name),
        ['one', 'two', 'three', 'four'],
      );
      const all = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
      const settings = { turnNumbers: true, scores: true };
      const hints = await inlayHints(document, all, { lastRuns: async () => [] }, settings);
      assert.equal(hints.length, 8);
    });
  }

  for (const [what, line] of BROKEN.filter(
    ([what]) => !what.startsWith('a tab') && !what.startsWith('a line'),
  )) {
    it(`hides no certain problem of its own case: ${what}`, async () => {
      const text = textWith(line)
        .replace('id: two\n', 'id: one\n')
        .replace(
          'assert: [It is kind.]',
          'assert: [{type: contains, value: x, at: 7}, {type: topic-adherence}]',
        );
      const loaded = await load(text);
      assert.deepEqual(
        placed(loaded).filter((one) => /^[6-9]:/.test(one)),
        [
          '6:9 duplicate-id',
          '8:45 bad-at',
          ...placed(await load(textWith(line))).filter((one) => one.startsWith('9:')),
        ],
      );
    });
  }

  it('hides problems after it only if the text may be misread', async () => {
    const after = (line: string) =>
      textWith(`${line}\n    threshold: 7\n    repeat: 0`).replace('judge: openai:x\n', '');
    const seen = async (line: string) =>
      placed(await load(after(line))).filter((one) => /^(8|9|10):/.test(one));
    assert.deepEqual(await seen('    thr'), ['8:5 yaml-syntax', '10:13 out-of-range']);
    assert.deepEqual(
      (await seen('    tags: [a, b')).filter((one) => !one.includes('syntax')),
      [],
    );
  });

  it('is reported once in an included file, and hides nothing in other cases', async () => {
    const more = textWith('    thr').replace(/^judge.*\n/, '');
    const loaded = await load(
      'include: [more.yaml]\njudge: openai:x\ncases:\n  - {id: own, transcript: [{user: a}, {assistant: b}], assert: [x]}\n',
      { 'more.yaml': more },
    );
    assert.deepEqual(placed(loaded), [
      'more.yaml:4:31 unknown-key',
      'more.yaml:8:5 yaml-syntax',
      'more.yaml:11:45 bad-at',
    ]);
    assert.deepEqual(
      loaded.suite?.cases.map(({ id }) => id),
      ['own', 'four'],
    );
  });

  it('keeps the unchanged cases while the user types', () => {
    const sound = parseYaml(textWith(''), SUITE);
    const cases = (yaml: typeof sound) => (yaml.value as { cases: unknown[] }).cases;
    const first = cases(sound);
    const typed = parseYaml(textWith('    t'), SUITE, sound);
    const more = parseYaml(textWith('    th'), SUITE, typed);
    for (const index of [0, 2, 3]) assert.equal(cases(more)[index], first[index]);
  });
});

describe('a schema error in a case', () => {
  const TOP = `targets: {agent: {type: module, path: ./bot.mjs}}\njudge: openai:x\n`;

  for (const [what, wrong, told] of [
    ['an unknown key', 'foo: 1', '13:5 unknown-key'],
    ['a value of the wrong kind', 'repeat: [1]', '13:13 wrong-type'],
    ['a key that is missing', 'repeat: {pass: all}', '13:5 missing-key'],
    ['a number out of range', 'threshold: 7', '13:16 out-of-range'],
    ['a misspelled key', 'descriptoin: x', '13:5 unknown-key'],
  ] as const) {
    it(`hides nothing else in it: ${what}`, async () => {
      const text = `${TOP}cases:
  - id: one
    target: agnt
    role: A waiter
    turns: [Hi, "I am {{nam}}"]
    assert:
      - { type: topic-adherence }
      - { type: contains, value: x, at: 9 }
      - { type: llm-judge, prompt: nobody.md }
      - It is kind.
    ${wrong}
`;
      assert.deepEqual(placed(await load(text)), [
        '5:13 unknown-name',
        '7:23 unknown-variable',
        '9:11 missing-need',
        '10:41 bad-at',
        '11:36 file-missing',
        told,
      ]);
    });
  }

  it('hides nothing in its other assertions and turns', async () => {
    const text = `${TOP}target: agent
cases:
  - id: one
    turns:
      - { user: 5, assert: [{ type: contains, value: x, at: 1 }] }
      - { user: "{{nobody}}", expected: [] }
    assert:
      - { type: contains }
      - { type: contains, value: x, at: 9 }
      - { type: turn-contextual-recall }
`;
    assert.deepEqual(placed(await load(text)), [
      '7:17 wrong-type',
      '7:61 bad-at',
      '8:18 unknown-variable',
      '8:41 wrong-type',
      '10:11 missing-key',
      '11:41 bad-at',
    ]);
  });

  for (const [what, wrong, rest, told] of [
    ['a target', 'target: 5', 'turns: [Hi]\nassert: [x]', '5:13 wrong-type'],
    ['turns', 'turns: 5', 'assert: [x]', '5:12 wrong-type'],
    ['assertions', 'assert: 5', TRANSCRIPT.split('\n')[0] ?? '', '5:13 wrong-type'],
    [
      'context',
      'context: 5',
      'transcript: [{user: Hi}, {assistant: x}]\nassert: ["It knows {{name}}."]',
      '5:14 wrong-type',
    ],
    [
      'topics',
      'topics: 5',
      'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: topic-adherence}]',
      '5:13 wrong-type',
    ],
  ] as const) {
    it(`causes no further problem: ${what}`, async () => {
      assert.deepEqual(placed(await load(suiteWith(`${wrong}\n${rest}`, TOP))), [told]);
    });
  }

  it('keeps only its case from running', async () => {
    const text = suiteWith(`${TRANSCRIPT}\nthreshold: 7`);
    const two = `${text}${suiteWith(TRANSCRIPT).replace('cases:\n', '').replace('one', 'two')}`;
    assert.deepEqual(
      (await load(two)).suite?.cases.map(({ id }) => id),
      ['two'],
    );
  });
});
