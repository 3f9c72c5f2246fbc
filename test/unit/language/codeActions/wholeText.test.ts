import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteWith } from '../../../support/evalFiles.ts';
import { actionsOf, applied, codesOf, fixed } from '../../../support/language/codeActions.ts';

const said = (text: string) =>
  suiteWith(`transcript:\n  - user: ${text}\n  - assistant: Hello\nassert: [x]`);

describe('putting the whole text in quotes', () => {
  for (const [what, before, after] of [
    ['a plain one', 'My order #98765 is late.', '"My order #98765 is late."'],
    ['one with quotes', 'My "big" order #98765', `'My "big" order #98765'`],
    ['one with both quotes', `It's my "big" order #98765`, `'It''s my "big" order #98765'`],
    ['one with a backslash', 'C:\\new #1', `'C:\\new #1'`],
    ['one in another script', 'הזמנה 📦 #98765', '"הזמנה 📦 #98765"'],
  ] as const) {
    it(`takes ${what}`, async () => {
      const title = 'Put the whole text in quotes';
      assert.equal(await fixed(said(before), title, 'comment-cuts-text'), said(after));
    });
  }

  it('is not offered within brackets, which the comment swallows', async () => {
    const text = suiteWith(
      'transcript: [{user: Hi}, {assistant: a}]\nassert: [The order #98765\n  ]',
    );
    assert.ok((await codesOf(text)).includes('comment-cuts-text'));
    assert.deepEqual(await actionsOf(text), []);
  });
});

describe('indenting with spaces', () => {
  it('turns every tab of every indent', async () => {
    const before =
      'cases:\n\t- id: one\n\t\ttranscript: [{user: "a\tb"}, {assistant: x}]\n\t\tassert: [x]\n';
    const after = await fixed(before, 'Indent with spaces', 'tab-indent');
    assert.equal(
      after,
      before.replace(/^\t+/gm, (tabs) => '  '.repeat(tabs.length)),
    );
    assert.deepEqual(await codesOf(after), []);
  });
});

describe('fixing all', () => {
  const all = async (text: string) => {
    const actions = await actionsOf(text);
    return actions.find(({ kind }) => kind === 'source.fixAll.turnlight');
  };

  it('applies every clear fix at once', async () => {
    const before = suiteWith(
      'transcript:\n  - user: My order #98765\n  - assistant: Hello\nassert:\n  - {typ: contains, valu: x}\n  - {type: not-equals, value: x}',
    );
    const after = suiteWith(
      'transcript:\n  - user: "My order #98765"\n  - assistant: Hello\nassert:\n  - {type: contains, value: x}\n  - {type: equals, value: x, negate: true}',
    );
    const action = await all(before);
    assert.equal(applied(before, action)['suite.eval.yaml'], after);
    assert.deepEqual(await codesOf(after), []);
  });

  it('is not offered where nothing is clear', async () => {
    assert.equal(await all(suiteWith('assert: [x]')), undefined);
  });
});
