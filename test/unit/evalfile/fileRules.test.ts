import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';

describe('the rules of what a file refers to', () => {
  for (const [what, text, beside, expected] of [
    [
      'a file that includes itself',
      suiteWith(TRANSCRIPT, 'include: [suite.eval.yaml]\n'),
      {},
      ['1:11 included-twice'],
    ],
    [
      'a file that is included twice',
      suiteWith(TRANSCRIPT, 'include: [a.yaml, ./a.yaml]\n'),
      { 'a.yaml': suiteWith(TRANSCRIPT).replace('one', 'two') },
      ['1:19 included-twice'],
    ],
    [
      'a file that includes further ones, and so could include itself',
      suiteWith(TRANSCRIPT, 'include: [a.yaml]\n'),
      { 'a.yaml': suiteWith(TRANSCRIPT, 'include: [suite.eval.yaml]\n').replace('one', 'two') },
      ['a.yaml:1:1 unknown-key'],
    ],
    [
      'a pattern that leaves the folder',
      suiteWith(TRANSCRIPT, 'include: ["../*.yaml"]\n'),
      {},
      ['1:11 path-outside'],
    ],
    [
      'an included file that is missing',
      suiteWith(TRANSCRIPT, 'include: [more.yaml]\n'),
      {},
      ['1:11 file-missing'],
    ],
    [
      'an included file that is no YAML',
      suiteWith(TRANSCRIPT, 'include: [a.yaml]\n'),
      { 'a.yaml': 'cases: {' },
      ['a.yaml:1:9 yaml-syntax'],
    ],
    [
      'a transcript of an unknown kind',
      suiteWith('transcript: ./a.txt\nassert: [x]'),
      { 'a.txt': 'Hi' },
      ['3:17 unknown-file-type'],
    ],
    [
      'a transcript that is no JSON',
      suiteWith('transcript: ./a.json\nassert: [x]'),
      { 'a.json': '[{"user": "Hi"},\n {user: 1}]' },
      ['a.json:2:3 json-syntax'],
    ],
    [
      'a prompt that needs what the case does not have',
      suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: a.md}]`),
      { 'a.md': '{{conversation}} {{context.city}}' },
      ['4:40 missing-context'],
    ],
    [
      'a prompt whose front matter has a key too many',
      suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: a.md}]`),
      { 'a.md': '---\nsclae: [1, 5]\n---\n{{conversation}}' },
      ['a.md:2:1 unknown-key'],
    ],
    [
      'a model of an unknown provider',
      suiteWith(`${TRANSCRIPT}\njudge: "opnai:x"`),
      {},
      ['5:12 unknown-model'],
    ],
    [
      'a model without a name',
      suiteWith(`${TRANSCRIPT}\njudge: "openai:"`),
      {},
      ['5:12 unknown-model'],
    ],
    [
      'a script that is missing',
      suiteWith(`${CHAT}assert: [{type: script, path: a.mjs}]`),
      {},
      ['4:35 file-missing'],
    ],
    ['a list as a key', 'name: x\n? [a]\n: b\n', {}, ['2:3 bad-key']],
  ] as const) {
    it(`reports ${what}`, async () => {
      assert.deepEqual(placed(await load(text, beside)), expected);
    });
  }

  it('reports only that a file is nested too deep', async () => {
    const { problems } = await load(`name: ${'['.repeat(100_000)}`);
    assert.deepEqual(new Set(problems.map(({ code }) => code)).size, 1);
  });

  it('limits the number of aliases', async () => {
    const many = (count: number) =>
      suiteWith(
        `transcript: [{user: Hi}, {assistant: x}]\nassert: [x]\ntopics: [${Array.from({ length: count }, () => '*a').join(', ')}]`,
        'name: &a Orders\n',
      );
    assert.deepEqual(placed(await load(many(90))), []);
    assert.deepEqual(placed(await load(many(200))), ['1:1 too-many-aliases']);
  });
});
