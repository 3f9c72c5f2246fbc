import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';
import { actionsOf, applied, fixed } from '../../../support/language/codeActions.ts';

const CHAT = 'transcript: [{user: Hi}, {assistant: Hello}]\n';

describe('creating a file that is missing', () => {
  for (const [what, file, text] of [
    [
      'a judge prompt',
      'polite.md',
      suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: judges/polite.md}]`),
    ],
    ['a script', 'check.mjs', suiteWith(`${CHAT}assert: [{type: script, path: ./check.mjs}]`)],
    [
      'a script with types',
      'check.ts',
      suiteWith(`${CHAT}assert: [{type: script, path: ./check.ts}]`),
    ],
    [
      'a module that answers',
      'own.mjs',
      suiteWith('turns: [Hi]\ntarget: {type: module, path: ./own.mjs}\nassert: [x]'),
    ],
    [
      'a module with types',
      'own.ts',
      suiteWith('turns: [Hi]\ntarget: {type: module, path: ./own.ts}\nassert: [x]'),
    ],
    ['a transcript as YAML', 'a.yaml', suiteWith('transcript: ./a.yaml\nassert: [x]')],
    ['a transcript as JSON', 'a.json', suiteWith('transcript: ./a.json\nassert: [x]')],
    ['a transcript as JSON lines', 'a.jsonl', suiteWith('transcript: ./a.jsonl\nassert: [x]')],
    ['a file of cases', 'more.yaml', suiteWith(TRANSCRIPT, 'include: [more.yaml]\n')],
  ] as const) {
    it(`writes a valid file: ${what}`, async () => {
      const title = `Create "${file}"`;
      assert.equal(await fixed(text, title, 'file-missing'), text);
      const action = (await actionsOf(text)).find((one) => one.title === title);
      const { 'suite.eval.yaml': _, ...created } = applied(text, action);
      assert.deepEqual(await actionsOf(text, created), []);
      assert.equal(action?.isPreferred, undefined);
    });
  }

  it('offers nothing outside of the workspace', async () => {
    const text = suiteWith(`${CHAT}assert: [{type: llm-judge, prompt: ../../x.md}]`);
    assert.deepEqual(await actionsOf(text), []);
  });
});
