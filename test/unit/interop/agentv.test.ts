import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';
import { realText } from '../../support/realData.ts';

const TEST = `tests:
  - id: one
    criteria: It helps.
    input:
      - { role: system, content: Be kind. }
      - { role: user, content: Hi }
      - { role: assistant, content: Hello }
      - { role: user, content: Where is it? }
    expected_output: [{ role: assistant, content: In the shop. }]
`;

describe('eval files of AgentV', () => {
  it('continue live after the given messages, with their criteria', async () => {
    const { importer, cases, file } = await imported('a.yaml', TEST);
    assert.equal(importer, 'AgentV');
    assert.deepEqual(file.defaults, { threshold: 0.8, tags: ['agentv'] });
    assert.deepEqual(cases[0], {
      id: 'one',
      expectations: 'It helps.',
      target: { type: 'chat', model: 'openai:gpt-5-mini', system: 'Be kind.' },
      history: [{ user: 'Hi' }, { assistant: 'Hello' }],
      turns: [{ user: 'Where is it?', expected: 'In the shop.' }],
      assert: ['It helps.'],
    });
  });

  it('suggest the criteria if the turns have checks, and mark placeholder targets', async () => {
    const turns = [{ input: 'Hi', assertions: ['It greets.'] }];
    const named = await imported('a.jsonl', jsonLines({ id: 'a', criteria: 'It helps.', turns }));
    assert.match(named.texts[0] ?? '', /# The target "agent" is a placeholder/);
    assert.match(named.texts[0] ?? '', /# - It helps\./);
    const own = await imported('a.yaml', TEST);
    assert.match(own.texts[0] ?? '', /# The model of each target is a placeholder\./);
    assert.doesNotMatch(own.texts[0] ?? '', /"agent"/);
  });

  it('keep every check with a counterpart, and report the others', async () => {
    const checks = [
      { type: 'contains', value: 'x', required: true },
      { type: 'regex', value: 'a+' },
      { type: 'is_json' },
      { type: 'equals', value: 'x', negate: true },
      { type: 'latency', threshold: 900 },
      { type: 'cost', budget: 2 },
      { type: 'token_usage', max_total: 9, max_input: 5 },
      {
        type: 'tool-trajectory',
        mode: 'in_order',
        expected: [{ tool: 'find', args: { n: 1 } }, { tool: 'book' }],
      },
      { type: 'rubrics', criteria: ['Is kind', { id: 'short', outcome: 'Is short', weight: 2 }] },
      { name: 'tone', type: 'llm-grader', prompt: '../graders/tone.md', min_score: 0.6, weight: 2 },
      { type: 'llm-grader', prompt: './tone.md' },
      { type: 'llm-grader', prompt: 'Is the tone kind? {{output}}' },
      { type: 'llm-grader', required: 0.7 },
      {
        type: 'composite',
        assertions: ['Is kind', { type: 'contains', value: 'y' }],
        aggregator: { type: 'weighted_average' },
      },
      { type: 'code-grader', command: ['python', 'grade.py'] },
      { type: 'field-accuracy', fields: [] },
    ];
    const { cases, lost } = await imported(
      'tests.jsonl',
      jsonLines({ id: 'a', criteria: 'It helps.', input: 'Hi', assertions: checks }),
      { 'tone.md': '---\nname: tone\n---\nIs the tone kind? {{output}}\n' },
    );
    assert.deepEqual(cases[0].assert, [
      { type: 'contains', value: 'x', required: true },
      { type: 'regex', pattern: 'a+' },
      { type: 'is-json' },
      { type: 'equals', value: 'x', negate: true },
      { type: 'max-latency', max: 900 },
      { type: 'max-cost', max: 2 },
      { type: 'max-tokens', max: 9, of: 'total' },
      { type: 'max-tokens', max: 5, of: 'input' },
      {
        type: 'tool-sequence',
        match: 'in-order',
        tools: [{ name: 'find', args: { n: 1 } }, 'book'],
      },
      'Is kind',
      { type: 'criterion', criterion: 'Is short', name: 'short', weight: 2 },
      { type: 'llm-judge', prompt: './tone.md' },
      { type: 'llm-judge', instructions: 'Is the tone kind? {{output}}' },
      { type: 'criterion', criterion: 'It helps.', required: true, threshold: 0.7 },
      { type: 'all-of', assert: ['Is kind', { type: 'contains', value: 'y' }] },
    ]);
    assert.deepEqual(
      lost.map((one) => one.slice(0, 60)),
      [
        '1 a: `aggregator` of "composite" has no Turnlight equivalent: all of i',
        '1 a: "code-grader" runs a program using AgentV\'s protocol: w',
        '1 a: "field-accuracy" has no Turnlight equivalent.',
        '1 A check was left out. "../graders/tone.md" is outside the w',
      ].map((one) => one.slice(0, 60)),
    );
  });

  it('report keys of token limits without a counterpart, once per key', async () => {
    const check = { type: 'token_usage', max_total: 9, max_input: 5, per: 'turn' };
    const test = { id: 'a', criteria: 'It helps.', input: 'Hi', assertions: [check] };
    const { lost } = await imported('tests.jsonl', jsonLines(test));
    assert.deepEqual(lost, ['1 a: `per` of "max-tokens" has no Turnlight equivalent.']);
  });

  it('keep turns of conversations, with their checks, aggregation, and stop rule', async () => {
    const { cases, lost } = await imported(
      'a.yaml',
      `tests:
  - id: one
    mode: conversation
    criteria: It helps.
    aggregation: min
    on_turn_failure: stop
    window_size: 3
    input: [{ role: system, content: Be kind. }]
    turns:
      - { input: Hi, expected_output: Hello, assertions: [It greets., { type: contains, value: Hello }] }
      - { input: Bye }
`,
    );
    const [one] = cases;
    assert.deepEqual(one.turns, [
      {
        user: 'Hi',
        expected: 'Hello',
        assert: ['It greets.', { type: 'contains', value: 'Hello' }],
      },
      { user: 'Bye' },
    ]);
    assert.deepEqual([one.aggregate, one.stop_on_failure, one.assert], ['min', true, undefined]);
    assert.deepEqual(lost, ['2 `window_size` has no Turnlight equivalent.']);
  });

  for (const [name, count] of [
    ['dataset.eval.yaml', 5],
    ['multi-turn-conversation.eval.yaml', 2],
  ] as const) {
    const real = realText(`peers/agentv/${name}`);
    it(`that AgentV publishes: ${name}, ${count} cases`, { skip: real.skip }, async () => {
      const { cases, broken, importer } = await imported(name, real.text());
      assert.deepEqual([importer, broken, cases.length], ['AgentV', [], count]);
    });
  }
});
