import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith, TRANSCRIPT } from '../../support/evalFiles.ts';

describe('a broken file', () => {
  for (const [what, text, expected] of [
    ['an empty file', '', ['1:1 empty-file']],
    ['a list at the top', '- a\n', ['1:1 wrong-type']],
    ['a tab as indentation', 'cases:\n\t- id: one\n', ['2:1 tab-indent']],
    ['a second document', `${suiteWith(TRANSCRIPT)}---\na: 1\n`, ['5:1 several-documents']],
    ['a key given twice', suiteWith(`${TRANSCRIPT}\nid: two`), ['5:5 duplicate-key']],
    [
      'a merge key',
      suiteWith(TRANSCRIPT, 'description: &d {a: 1}\n').replace(
        '    assert',
        '    <<: *d\n    assert',
      ),
      ['1:17 wrong-type', '5:5 merge-key', '5:5 unknown-key'],
    ],
    ['no cases', 'name: x\n', ['1:1 no-cases']],
    ['an alias of nothing', 'name: *nope\n', ['1:7 unknown-alias']],
    ['an alias within what it names', 'name: &a [*a]\n', ['1:11 circular-alias']],
  ] as const) {
    it(`locates ${what}`, async () => {
      assert.deepEqual(placed(await load(text)), expected);
    });
  }

  it('reports unclosed brackets', async () => {
    const { problems } = await load('cases: [');
    assert.ok(problems.some(({ code }) => code === 'yaml-syntax'));
  });

  it('stops an alias bomb', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level += 1) {
      const aliases = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ');
      lines.push(`a${level}: &a${level} [${aliases}]`);
    }
    const { problems } = await load(`${lines.join('\n')}\n`);
    assert.ok(problems.some(({ code }) => code === 'too-many-aliases'));
  });

  it('stops at endless nesting', async () => {
    const { problems } = await load('['.repeat(100_000));
    assert.ok(problems.length > 0);
  });
});

describe('a file cut off anywhere', () => {
  const whole = `name: Golden
models:
  judge: {provider: openai, model: test}
targets:
  bot: {type: module, path: ./bot.mjs}
target: bot
judge: judge
role: A support agent.
topics: [orders]
tools:
  - type: function
    function: {name: lookup, description: Finds., parameters: {type: object}}
defaults:
  threshold: 0.5
  tags: [all]
  assert:
    - type: role-adherence
cases:
  - id: turns
    description: d
    tags: [a]
    skip: no reason
    context: {name: Sarah}
    expectations: {outcome: fine}
    repeat: {times: 2, pass: any}
    stop_on_failure: true
    turns:
      - Hi, I am {{name}}.
      - user: And?
        expected: more
        assert:
          - type: contains
            value: x
            at: all
            required: true
            weight: 2
  - id: transcript
    transcript:
      - {role: system, content: You help.}
      - user: Hi
      - assistant: null
        tool_calls: [{id: c, function: {name: lookup, arguments: '{"a": 1}'}}]
      - tool: found
      - assistant: Hello
    assert:
      - plain words
      - {type: regex, pattern: 'H.*', at: "2-2", negate: false}
`;

  it('is valid when complete', async () => {
    const loaded = await load(whole);
    assert.deepEqual(placed(loaded), []);
    assert.equal(loaded.suite?.cases.length, 2);
  });

  it('never throws, and locates every problem in the file', async () => {
    for (let length = 0; length < whole.length; length += 7) {
      const text = whole.slice(0, length);
      const { problems } = await load(text);
      for (const { range } of problems) {
        assert.ok(range.start.line <= text.split('\n').length, `cut at ${length}`);
      }
    }
  });
});
