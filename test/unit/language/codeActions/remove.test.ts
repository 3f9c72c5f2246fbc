import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';
import { load, SUITE, suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';
import { codesOf, fixed } from '../../../support/language/codeActions.ts';

const one = (assertion: string) =>
  suiteWith(`transcript: [{user: Hi}, {assistant: Hello}]\nassert:\n  - ${assertion}`);
const MOODY =
  'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: contains, value: "{{mood}}"}]';
const MODEL = '{provider: openai, model: x}';

describe('removing', () => {
  for (const [what, key, code, before, after] of [
    [
      'the lines of a key, comments above it kept',
      'zzz',
      'unknown-key',
      one('type: contains\n    # about zzz\n    zzz:\n      - 1\n      - 2\n    value: x'),
      one('type: contains\n    # about zzz\n    value: x'),
    ],
    [
      'the key behind a dash',
      'zzz',
      'unknown-key',
      one('zzz: 1\n    type: contains\n    value: x'),
      one('type: contains\n    value: x'),
    ],
    [
      'the first key within braces',
      'zzz',
      'unknown-key',
      one('{zzz: 1, type: contains, value: x}'),
      one('{type: contains, value: x}'),
    ],
    [
      'the last key within braces',
      'zzz',
      'unknown-key',
      one('{type: contains, value: x, zzz: [1, 2]} # why'),
      one('{type: contains, value: x} # why'),
    ],
    [
      'a key without effect',
      'stop_on_failure',
      'useless-key',
      suiteWith(`${TRANSCRIPT}\nstop_on_failure: true`),
      suiteWith(TRANSCRIPT),
    ],
    [
      'a model that nothing uses',
      'b',
      'unused-name',
      suiteWith(TRANSCRIPT, `models:\n  a: ${MODEL}\n  b: ${MODEL}\n\njudge: a\n`),
      suiteWith(TRANSCRIPT, `models:\n  a: ${MODEL}\n\njudge: a\n`),
    ],
    [
      'all models where it was the only one',
      'a',
      'unused-name',
      suiteWith(TRANSCRIPT, `models:\n  a: ${MODEL}\nname: x\n`),
      suiteWith(TRANSCRIPT, 'name: x\n'),
    ],
    [
      'a target that nothing uses',
      'bot',
      'unused-name',
      suiteWith(TRANSCRIPT, 'targets: {bot: {type: module, path: ./a.mjs}}\nname: x\n'),
      suiteWith(TRANSCRIPT, 'name: x\n'),
    ],
    [
      'a key of the context that nothing uses',
      'city',
      'unused-name',
      suiteWith(`${MOODY}\ncontext:\n  mood: kind\n  city: Oslo`),
      suiteWith(`${MOODY}\ncontext:\n  mood: kind`),
    ],
  ] as const) {
    it(`removes ${what}`, async () => {
      assert.equal(await fixed(before, `Remove "${key}"`, code), after);
    });
  }
});

describe('removing a duplicate key', () => {
  for (const [what, before, after] of [
    [
      'in lines of its own',
      suiteWith(`${TRANSCRIPT}\nid: two # again\ntags: [a]`),
      suiteWith(`${TRANSCRIPT}\ntags: [a]`),
    ],
    [
      'within braces',
      one('{type: contains, value: x, value: y}'),
      one('{type: contains, value: x}'),
    ],
  ] as const) {
    it(`removes the second ${what}`, async () => {
      const key = before.includes('two') ? 'id' : 'value';
      assert.equal(await fixed(before, `Remove the duplicate ${key}`, 'duplicate-key'), after);
    });
  }
});

describe('an unused name', () => {
  it("is faded, and isn't an error", async () => {
    const { problems, suite } = await load(suiteWith(TRANSCRIPT, `models: {a: ${MODEL}}\n`));
    assert.deepEqual(
      problems.map(({ code, severity }) => [code, severity]),
      [['unused-name', 'warning']],
    );
    assert.equal(suite?.cases.length, 1);
    const [shown] = diagnosticsByFile(problems).get(SUITE) ?? [];
    assert.deepEqual([shown?.severity, shown?.tags], [4, [1]]);
  });

  for (const [what, text] of [
    ['a misspelt use of it', suiteWith(`${TRANSCRIPT}\njudge: aa`, `models: {a: ${MODEL}}\n`)],
    [
      'a judge at the top that every case replaces',
      suiteWith(`${TRANSCRIPT}\njudge: "openai:x"`, `models: {a: ${MODEL}}\njudge: a\n`),
    ],
    [
      'a target that is used, whose model it is',
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: bot',
        `models: {a: ${MODEL}}\ntargets: {bot: {type: chat, model: a}}\n`,
      ),
    ],
    [
      'a target, which is given the whole context',
      suiteWith(
        'turns: [Hi]\nassert: [x]\ntarget: {type: module, path: ./a.mjs}\ncontext: {city: Oslo}',
      ),
    ],
    [
      'an assertion that is given the whole context',
      suiteWith(
        'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: groundedness}]\ncontext: {city: Oslo}',
      ),
    ],
    [
      'a criterion, whose judge sees the whole context',
      suiteWith(
        'transcript: [{user: Hi}, {assistant: x}]\nassert: [It is kind.]\ncontext: {city: Oslo}',
      ),
    ],
    [
      'words for a judge',
      suiteWith(
        'transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: llm-judge, instructions: "{{conversation}} {{context.city}}"}]\ncontext: {city: Oslo}',
      ),
    ],
  ] as const) {
    it(`isn't reported because of ${what}`, async () => {
      assert.ok(!(await codesOf(text)).includes('unused-name'));
    });
  }
});
