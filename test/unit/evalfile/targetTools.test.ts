import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

const FILES = { 'a.mjs': '' };

/** A file with a chat target of these keys, at line 2. */
function suite(keys: string, top = '', caseKeys = ''): string {
  const target = `targets:\n  bot: {type: chat, model: "openai:m", ${keys}}\ntarget: bot\n`;
  return suiteWith(`turns: [Hi]\nassert: [{type: contains, value: x}]${caseKeys}`, target + top);
}

describe('tools of a chat target', () => {
  for (const [what, text, expected] of [
    [
      'its own, with nothing to answer',
      suite('tools: [{name: a}, {name: b}]'),
      ['2:40 unanswered-tool'],
    ],
    [
      'the file’s, with nothing to answer',
      suite('', 'tools: [{name: a}]\n'),
      ['4:1 unanswered-tool'],
    ],
    [
      'the case’s, with nothing to answer',
      suite('', '', '\ntools: [{name: a}]'),
      ['8:5 unanswered-tool'],
    ],
    [
      'one of which nothing answers',
      suite('tools: [{name: a}, {name: b}], tool_results: {a: x}'),
      ['2:59 unanswered-tool'],
    ],
    [
      'those of the case where its own are answered',
      suite('tools: [{name: a}], tool_results: {a: x}', 'tools: [{name: b}]\n'),
      [],
    ],
    ['all of them scripted', suite('tool_results: {a: x}', 'tools: [{name: a}]\n'), []],
    ['functions for all', suite('tool_module: ./a.mjs', 'tools: [{name: a}]\n'), []],
    ['written wrong', suite('tools: [{nam: a}], tool_results: {a: x}'), ['2:49 unknown-key']],
    [
      'functions outside of the workspace',
      suite('tools: [{name: a}], tool_module: ../../a.mjs'),
      ['2:73 path-outside'],
    ],
    ['no rounds', suite('max_tool_rounds: 0'), ['2:57 out-of-range']],
  ] as const) {
    it(`are checked while typing: ${what}`, async () => {
      assert.deepEqual(placed(await load(text, FILES)), expected);
    });
  }

  it('of a module are its own business', async () => {
    const top = 'target: {type: module, path: ./a.mjs}\ntools: [{name: a}]\n';
    const text = suiteWith('turns: [Hi]\nassert: [{type: contains, value: x}]', top);
    assert.deepEqual(placed(await load(text, FILES)), []);
  });
});
