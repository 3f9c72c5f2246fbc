import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeActionsOfText } from '../../../../src/language/codeActions/codeActions.ts';
import { load, SUITE, suiteWith, TRANSCRIPT } from '../../../support/evalFiles.ts';
import { actionsOf, applied, fixed, uriOf } from '../../../support/language/codeActions.ts';

const one = (assertion: string) =>
  suiteWith(`transcript: [{user: Hi}, {assistant: Hello}]\nassert:\n  - ${assertion}`);
const BOT = 'targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\n';

describe('a quoted number or boolean', () => {
  for (const [quoted, plain] of [
    ['threshold: "0.5"', 'threshold: 0.5'],
    ["weight: '2'", 'weight: 2'],
    ['required: "true"', 'required: true'],
  ] as const) {
    it(`loses its quotes: ${quoted}`, async () => {
      const of = (key: string) => one(`{type: contains, value: "1", ${key}} # why`);
      assert.equal(await fixed(of(quoted), `Change to ${plain}`, 'wrong-type'), of(plain));
    });
  }

  it("keeps its quotes if it isn't the expected value", async () => {
    const text = one('{type: contains, value: x, threshold: "half"}');
    assert.deepEqual(
      (await actionsOf(text)).filter(({ title }) => title.startsWith('Change')),
      [],
    );
  });
});

describe('did you mean', () => {
  for (const [what, before, after, title, code] of [
    [
      'a key',
      one('{type: contains, valu: x}'),
      one('{type: contains, value: x}'),
      'value',
      'unknown-key',
    ],
    // The user's quotes stay.
    [
      'a key in quotes',
      one(`{type: contains, 'valu': x}`),
      one(`{type: contains, 'value': x}`),
      'value',
      'unknown-key',
    ],
    [
      'the key of the type',
      one('{typ: contains, value: x}'),
      one('{type: contains, value: x}'),
      'type',
      'unknown-key',
    ],
    [
      'a type',
      one('{type: "contians", value: x} # why'),
      one('{type: "contains", value: x} # why'),
      'contains',
      'unknown-type',
    ],
    [
      'the name of a target',
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: bott # mine', BOT),
      suiteWith('turns: [Hi]\nassert: [x]\ntarget: bot # mine', BOT),
      'bot',
      'unknown-name',
    ],
    [
      'a variable, at its braces alone',
      suiteWith('turns: ["Hi {{nam}}, {{name}}!"]\ncontext: {name: Sarah}\nassert: [x]', BOT),
      suiteWith('turns: ["Hi {{name}}, {{name}}!"]\ncontext: {name: Sarah}\nassert: [x]', BOT),
      '{{name}}',
      'unknown-variable',
    ],
    [
      'a variable in a block of text, the second time it stands there',
      suiteWith(
        'turns:\n  - |\n    {{name}}\n    and {{nam}}\ncontext: {name: Sarah}\nassert: [x]',
        BOT,
      ),
      suiteWith(
        'turns:\n  - |\n    {{name}}\n    and {{name}}\ncontext: {name: Sarah}\nassert: [x]',
        BOT,
      ),
      '{{name}}',
      'unknown-variable',
    ],
    [
      'a variable of a judge',
      one(`{type: llm-judge, instructions: 'Is {{conversaton}} good?'}`),
      one(`{type: llm-judge, instructions: 'Is {{conversation}} good?'}`),
      '{{conversation}}',
      'unknown-variable',
    ],
    [
      'an id that is free',
      `${suiteWith(TRANSCRIPT)}  - id: "one"\n    ${TRANSCRIPT.replace('\n', '\n    ')}\n`,
      `${suiteWith(TRANSCRIPT)}  - id: "one-2"\n    ${TRANSCRIPT.replace('\n', '\n    ')}\n`,
      'one-2',
      'duplicate-id',
    ],
    [
      "another tool's name of a type",
      one('{type: llm-rubric, criterion: x}'),
      one('{type: criterion, criterion: x}'),
      'criterion',
      'unknown-type',
    ],
    [
      "another tool's name of a key",
      suiteWith(`${TRANSCRIPT}\nchatbot_role: x`),
      suiteWith(`${TRANSCRIPT}\nrole: x`),
      'role',
      'unknown-key',
    ],
  ] as const) {
    it(`inserts ${what}`, async () => {
      assert.equal(await fixed(before, `Change to "${title}"`, code), after);
    });
  }

  it('quotes a name if needed', async () => {
    const top = 'targets:\n  "bot: a": {type: module, path: ./bot.mjs}\n';
    const live = (target: string) => suiteWith(`turns: [Hi]\nassert: [x]\ntarget: ${target}`, top);
    const title = 'Change to "bot: a"';
    assert.equal(await fixed(live('bot- a'), title, 'unknown-name'), live('"bot: a"'));
  });

  it('names the tool that uses the key', async () => {
    const messageOf = async (text: string) => (await load(text)).problems[0]?.message;
    assert.equal(
      await messageOf(one('{type: llm-rubric, criterion: x}')),
      'Unknown type "llm-rubric". Use `criterion` (promptfoo calls it `llm-rubric`).',
    );
    assert.equal(
      await messageOf(one('{type: ConversationCompletenessMetric}')),
      'Unknown type "ConversationCompletenessMetric". Use `conversation-completeness` (DeepEval calls it `ConversationCompletenessMetric`).',
    );
    assert.equal(
      await messageOf(one('{type: not-icontains, value: x}')),
      'Unknown type "not-icontains". Use `contains` with `ignore_case: true` and `negate: true` (promptfoo calls it `not-icontains`).',
    );
  });

  it('adds the keys that a replacement needs', async () => {
    assert.equal(
      await fixed(
        one('type: not-contains # never\n    value: x'),
        'Change to "contains" with negate: true',
        'unknown-type',
      ),
      one('type: contains # never\n    value: x\n    negate: true'),
    );
  });

  it('offers all similar names, and prefers the most similar one', async () => {
    const actions = await actionsOf(one('{type: contains-al, values: [x]}'));
    const titles = actions.filter(({ kind }) => kind === 'quickfix').map(({ title }) => title);
    assert.equal(titles[0], 'Change to "contains-all"');
    assert.ok(titles.includes('Change to "contains-any"'), titles.join());
    assert.deepEqual(
      actions.filter(({ isPreferred }) => isPreferred).map(({ title }) => title),
      ['Change to "contains-all"'],
    );
  });

  it('keeps line ends, and finds its range after an emoji', async () => {
    const before = one('{name: "👋 שלום", type: contains, valu: x}').replaceAll('\n', '\r\n');
    const after = await fixed(before, 'Change to "value"', 'unknown-key');
    assert.equal(after, before.replace('valu:', 'value:'));
  });

  it('fixes files other than eval files', () => {
    const text = '{"role": "assistnt"}';
    const range = { start: { line: 0, character: 9 }, end: { line: 0, character: 19 } };
    const diagnostic = {
      range,
      message: '',
      source: 'turnlight',
      data: { replacement: 'assistant' },
    };
    const [action] = codeActionsOfText(SUITE, text, [diagnostic], { uriOf });
    assert.equal(applied(text, action)['suite.eval.yaml'], '{"role": "assistant"}');
  });

  it('ignores diagnostics of other extensions', () => {
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    const other = { range, message: '', source: 'yaml', data: { replacement: 'x' } };
    assert.deepEqual(codeActionsOfText('/x', 'y', [other], { uriOf }), []);
  });
});

describe('a key of another tool', () => {
  it('becomes the equivalent keys', async () => {
    const before = suiteWith(
      'transcript: [{user: Hi}, {assistant: x}]\nassert:\n  - type: turn-relevancy\n    window_size: 3 # as before',
    );
    assert.equal(
      await fixed(before, 'Change to window: 5 and granularity: turn', 'unknown-key'),
      before.replace(
        'window_size: 3 # as before',
        'window: 5 # as before\n        granularity: turn',
      ),
    );
  });
});
