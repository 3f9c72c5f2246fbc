import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported } from '../../support/imports.ts';

const TURNS = [
  { role: 'user', content: 'What is your return policy?' },
  {
    role: 'assistant',
    content: 'Thirty days.',
    user_id: null,
    retrieval_context: ['All customers have 30 days.'],
    tools_called: [{ name: 'policy', inputParameters: { topic: 'returns' }, output: '30' }],
    mcp_tools_called: null,
    mcp_resources_called: null,
    mcp_prompts_called: null,
    audio: null,
    metadata: null,
  },
];

const TRANSCRIPT = [
  { user: 'What is your return policy?' },
  {
    assistant: null,
    tool_calls: [
      { id: 'message-2-call-1', function: { name: 'policy', arguments: { topic: 'returns' } } },
    ],
  },
  { tool: '30', tool_call_id: 'message-2-call-1' },
  { assistant: 'Thirty days.', retrieval_context: ['All customers have 30 days.'] },
];

describe('DeepEval test cases', () => {
  it('become cases with role, expectations, and tags, with either spelling of keys', async () => {
    for (const given of [
      {
        name: 'returns',
        turns: TURNS,
        scenario: 'A customer asks about returns.',
        expected_outcome: 'The customer knows the policy.',
        chatbot_role: 'A shop assistant',
        tags: ['shop'],
        context: ['Returns are free.'],
        additional_metadata: { author: 'x' },
      },
      {
        name: 'returns',
        turns: JSON.stringify(TURNS),
        scenario: 'A customer asks about returns.',
        expectedOutcome: 'The customer knows the policy.',
        chatbotRole: 'A shop assistant',
        tags: ['shop'],
        context: ['Returns are free.'],
        additionalMetadata: { author: 'x' },
      },
    ]) {
      const { importer, cases, lost } = await imported('dataset.json', [given]);
      assert.equal(importer, 'DeepEval');
      const { assert: checks, ...rest } = cases[0];
      assert.deepEqual(rest, {
        id: 'returns',
        description: 'A customer asks about returns.',
        tags: ['shop'],
        role: 'A shop assistant',
        expectations: { outcome: 'The customer knows the policy.', facts: ['Returns are free.'] },
        transcript: TRANSCRIPT,
      });
      assert.deepEqual(checks, [
        { type: 'max-turns', max: 2 },
        { type: 'tool-sequence', tools: ['policy'] },
      ]);
      assert.deepEqual(lost, ['1 `additional_metadata` has no Turnlight equivalent.']);
    }
  });

  it('keep the metrics of a test run as assertions', async () => {
    const { cases, lost } = await imported('.latest_test_run.json', {
      testCases: [],
      conversationalTestCases: [
        {
          name: 'returns',
          turns: TURNS,
          success: true,
          metricsData: [
            { name: 'Turn Relevancy', threshold: 0.7, success: true, score: 1 },
            { name: 'Knowledge Retention', threshold: 0.5, success: true, score: 1 },
            { name: 'Empathy [Conversational GEval]', threshold: 0.5, score: 1 },
          ],
        },
      ],
    });
    assert.deepEqual(cases[0].assert, [
      { type: 'turn-relevancy', threshold: 0.7 },
      { type: 'knowledge-retention', threshold: 0.5 },
    ]);
    assert.deepEqual(lost, ['1 "EmpathyMetric" has no Turnlight equivalent.']);
  });

  it('with one turn are conversations too, recorded or live', async () => {
    const { cases, file } = await imported('goldens.json', [
      { input: 'Do you ship?', actual_output: 'Yes.', expected_output: 'Yes, everywhere.' },
      { input: 'Do you ship?', actual_output: null, expected_output: 'Yes, everywhere.' },
    ]);
    assert.deepEqual(cases[0].transcript, [{ user: 'Do you ship?' }, { assistant: 'Yes.' }]);
    assert.deepEqual(cases[1].turns, ['Do you ship?']);
    assert.equal(file.target, 'agent');
  });

  it('can be CSV with turns and lists in cells', async () => {
    const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;
    const csv = [
      'name,turns,expected_outcome,context',
      ['returns', quoted(JSON.stringify(TURNS)), '"It is told,\nwell"', 'One|Two'].join(','),
    ].join('\n');
    const { cases } = await imported('dataset.csv', csv);
    assert.deepEqual(cases[0].transcript, TRANSCRIPT);
    assert.deepEqual(cases[0].expectations, {
      outcome: 'It is told,\nwell',
      facts: ['One', 'Two'],
    });
  });

  it('keep their expected tools', async () => {
    const { cases } = await imported('goldens.json', [
      {
        input: 'Do you ship?',
        actual_output: 'Yes.',
        tools_called: [{ name: 'log' }, { name: 'search' }],
        expected_tools: [{ name: 'search' }, { name: 'log' }],
      },
    ]);
    assert.deepEqual(cases[0].assert, [
      { type: 'tool-sequence', tools: ['search', 'log'], match: 'any-order' },
    ]);
  });

  it('report everything that they lose', async () => {
    const { cases, lost } = await imported('goldens.json', [
      { turns: TURNS, scenario: 'Returns.', comments: 'From May.', user_description: 'Hasty.' },
      { input: 'Do you ship?', expected_output: 'Yes.', retrieval_context: ['Everywhere.'] },
    ]);
    assert.equal(cases[0].description, 'Returns.\n\nFrom May.');
    assert.deepEqual(lost, [
      '1 `user_description` of a finished conversation has no Turnlight equivalent.',
      '1 `retrieval_context` without a reply has no Turnlight equivalent.',
    ]);
  });

  it('ignore empty cells', async () => {
    const { cases } = await imported('goldens.csv', 'input,expected_output,context\nHi,Hello,\n');
    assert.equal(cases[0].expectations, 'Hello');
  });

  it('without turns or a scenario are reported', async () => {
    const { broken } = await imported('goldens.json', [{ expected_outcome: 'x' }]);
    assert.deepEqual(broken, ['1 This golden has neither `turns` nor a `scenario`.']);
  });
});
