import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

const BOT = 'targets:\n  bot: {type: module, path: ./bot.mjs}\n';
const JUDGE = '{provider: openai, model: x}';
const LIVE = 'turns: [Hi]\nassert: [x]';

describe('a misspelt key', () => {
  for (const [what, text, expected] of [
    ['the cases', suiteWith(TRANSCRIPT).replace('cases', 'cases2'), ['1:1 unknown-key']],
    [
      'the models that cases name',
      suiteWith(`${TRANSCRIPT}\njudge: a`, `modles: {a: ${JUDGE}}\n`),
      ['1:1 unknown-key'],
    ],
    [
      'the targets that cases name',
      suiteWith(LIVE, `${BOT.replace('targets', 'tragets')}target: bot\n`),
      ['1:1 unknown-key'],
    ],
    ['the target of all cases', suiteWith(LIVE, `${BOT}tarhet: bot\n`), ['3:1 unknown-key']],
    [
      'the assertions of the defaults',
      suiteWith('transcript: [{user: Hi}, {assistant: x}]', 'defaults: {asert: [x]}\n'),
      ['1:12 unknown-key'],
    ],
    [
      'the type of an assertion, and below it another key',
      suiteWith(`${TRANSCRIPT.replace('[It is friendly.]', '[{typ: contains, valu: x}]')}`),
      ['4:15 unknown-key', '4:30 unknown-key'],
    ],
    [
      'the provider of a model in use',
      suiteWith(`${TRANSCRIPT}\njudge: a`, `models: {a: {provder: openai, model: x}}\n`),
      ['1:14 unknown-key'],
    ],
  ] as const) {
    it(`is told once: ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  it('does not hide what is wrong under it, at its place', async () => {
    const text = suiteWith(`${TRANSCRIPT}\njudge: a`, 'modles:\n  a: {provider: openai}\n');
    assert.deepEqual(placed(await load(text)), ['1:1 unknown-key', '2:3 missing-key']);
  });

  it('keeps its case from running', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT.replace('It is friendly.', '{tpye: safety}')));
    assert.equal(loaded.suite, undefined);
    assert.equal(loaded.outline[0]?.errors.length, 1);
  });

  it('is told once in an included file as well', async () => {
    const loaded = await load(suiteWith(TRANSCRIPT, 'include: [more.yaml]\n'), {
      'more.yaml': suiteWith(TRANSCRIPT).replace('cases', 'caes').replace('one', 'two'),
    });
    assert.deepEqual(placed(loaded), ['more.yaml:1:1 unknown-key']);
  });
});

describe('what rests on something broken', () => {
  for (const [what, text, expected] of [
    [
      'names of models that cannot be read',
      suiteWith(`${TRANSCRIPT}\njudge: a`, 'models: 5\n'),
      ['1:9 wrong-type'],
    ],
    [
      'defaults that cannot be read',
      suiteWith('transcript: [{user: Hi}, {assistant: x}]', 'defaults: {assert: 5}\n'),
      ['1:20 wrong-type'],
    ],
    ['a target that cannot be read', suiteWith(LIVE, 'target: 5\n'), ['1:9 wrong-type']],
    [
      'topics that cannot be read',
      suiteWith(TRANSCRIPT.replace('It is friendly.', '{type: topic-adherence}'), 'topics: 5\n'),
      ['1:9 wrong-type'],
    ],
  ] as const) {
    it(`is not told as well: ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }
});
