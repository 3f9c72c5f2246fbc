import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteWith } from '../../../support/evalFiles.ts';
import { actionsOf, applied, codesOf, fixed } from '../../../support/language/codeActions.ts';

const said = (text: string) =>
  suiteWith(`transcript:\n  - user: ${text}\n  - assistant: Hello\nassert: [x]`);

const TITLE = 'Put in quotes';

const titlesOf = async (text: string) =>
  (await actionsOf(text)).flatMap(({ title, kind }) => (kind === 'quickfix' ? title : []));

const scripted = (turn: string) =>
  `cases:\n  - id: one\n    target: {type: chat, model: openai:x}\n    turns:\n      - ${turn}\n    assert: [x]\n`;

describe('adding quotes', () => {
  for (const [what, before, after] of [
    ['a plain one', 'My order #98765 is late.', '"My order #98765 is late."'],
    ['one with quotes', 'My "big" order #98765', `'My "big" order #98765'`],
    ['one with both quotes', `It's my "big" order #98765`, `'It''s my "big" order #98765'`],
    ['one with a backslash', 'C:\\new #1', `'C:\\new #1'`],
    ['one in another script', 'הזמנה 📦 #98765', '"הזמנה 📦 #98765"'],
  ] as const) {
    it(`handles ${what}`, async () => {
      assert.equal(await fixed(said(before), TITLE, 'comment-cuts-text'), said(after));
    });
  }

  for (const [what, before, after] of [
    ['a turn with a colon', 'Hello: are you there', '"Hello: are you there"'],
    ['one that ends with a colon', 'Hello:', '"Hello:"'],
    ['one with quotes behind the colon', 'Hello: "there"', `'Hello: "there"'`],
    ['one in front of a comment', 'Hello: you # later', '"Hello: you" # later'],
  ] as const) {
    it(`handles ${what}`, async () => {
      const text = scripted(before);
      assert.deepEqual(await codesOf(text), ['colon-in-text']);
      assert.equal(await fixed(text, TITLE, 'colon-in-text'), scripted(after));
    });
  }

  for (const written of ['42', '1e3', 'true', 'null', '~']) {
    it(`quotes ${written} if a text is expected`, async () => {
      for (const text of [scripted, said]) {
        assert.equal(await fixed(text(written), TITLE, 'wrong-type'), text(`"${written}"`));
      }
    });
  }

  it("isn't offered for an empty value, a list, or an alias", async () => {
    for (const turn of ['', '[a]', '{Hello: there}']) {
      assert.deepEqual(await titlesOf(scripted(turn)), []);
    }
    const alias = scripted('*n').replace('id: one', 'id: one\n    context: {n: &n 5}');
    assert.deepEqual(await titlesOf(alias), []);
  });

  it('keeps the suggestion for a misspelled key', async () => {
    assert.deepEqual(await titlesOf(scripted('uesr: Hi')), ['Change to "user"', 'Remove "uesr"']);
  });

  it("isn't offered within brackets that a comment leaves open", async () => {
    const text = suiteWith(
      'transcript: [{user: Hi}, {assistant: a}]\nassert: [The order #98765\n  ]',
    );
    assert.ok((await codesOf(text)).includes('comment-cuts-text'));
    assert.deepEqual(await actionsOf(text), []);
  });
});

describe('indenting with spaces', () => {
  it('replaces every tab in every indent', async () => {
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

  it('applies all preferred fixes at once', async () => {
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

  it("isn't offered if no fix is preferred", async () => {
    assert.equal(await all(suiteWith('assert: [x]')), undefined);
  });
});
