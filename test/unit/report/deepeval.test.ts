import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../src/core/conversation.ts';
import { writeDeepEval } from '../../../src/report/deepeval.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';
import { imported } from '../../support/imports.ts';
import { reported } from '../../support/reported.ts';

const CALL = { id: 'c', name: 'find', arguments: { number: 7 } };

const CONVERSATION = toConversation([
  { message: { role: 'system', content: 'Be kind.' } },
  { message: { role: 'user', content: 'Where is it?' } },
  { message: { role: 'assistant', content: '', toolCalls: [CALL] } },
  { message: { role: 'tool', callId: 'c', content: 'shipped' } },
  {
    message: { role: 'assistant', content: 'It was shipped.', retrievalContext: ['Orders ship.'] },
  },
]);

const LINE = buildCaseLine({
  id: 'order',
  status: 'fail',
  description: 'A late order',
  tags: ['shop'],
  conversation: CONVERSATION,
  facts: { role: 'A clerk', topics: [], tools: [], expectations: { outcome: 'Told' }, context: {} },
  verdicts: [
    buildVerdict({ name: 'turn-relevancy', type: 'turn-relevancy', status: 'fail', score: 0.25 }),
    buildVerdict({ name: 'Kind', type: 'criterion', status: 'pass', score: 1 }),
    buildVerdict({
      name: 'Late',
      type: 'criterion',
      status: 'error',
      score: null,
      reason: 'quota',
    }),
    buildVerdict({ name: 'Tools', type: 'tool-use', status: 'skipped', score: null }),
  ],
});

describe("the report in DeepEval's JSON", () => {
  const run = () => JSON.parse(reported(writeDeepEval, runEvents([LINE])));

  it('has a test case with its turns, tool calls, and retrieved texts', () => {
    const [one] = run().conversationalTestCases;
    assert.deepEqual(one.turns, [
      { role: 'user', content: 'Where is it?', order: 0 },
      {
        role: 'assistant',
        content: 'It was shipped.',
        toolsCalled: [{ name: 'find', inputParameters: { number: 7 }, output: 'shipped' }],
        retrievalContext: ['Orders ship.'],
        order: 1,
      },
    ]);
    assert.equal(one.success, false);
    assert.deepEqual(
      [one.name, one.scenario, one.expectedOutcome, one.chatbotRole, one.tags],
      ['order', 'A late order', 'Told', 'A clerk', ['shop']],
    );
    assert.deepEqual(one.additionalMetadata.system, ['Be kind.']);
  });

  it('has a metric for each verdict that applies, including errors, and sums', () => {
    const { conversationalTestCases, metricsScores, testPassed, testFailed } = run();
    const told = conversationalTestCases[0].metricsData.map(
      ({ name, success, score, error }: Record<string, unknown>) => [name, success, score, error],
    );
    assert.deepEqual(told.slice(0, 2), [
      ['Turn Relevancy', false, 0.25, null],
      ['Kind', true, 1, null],
    ]);
    assert.deepEqual(told[2].slice(0, 3), ['Late', false, null]);
    assert.match(told[2][3], /^quota: /);
    assert.equal(told.length, 3);
    assert.deepEqual(metricsScores[0], {
      metric: 'Turn Relevancy',
      scores: [0.25],
      passes: 0,
      fails: 1,
      errors: 0,
    });
    assert.deepEqual([testPassed, testFailed], [0, 1]);
  });

  it('can be imported with the same texts, and metrics as assertions', async () => {
    const text = reported(writeDeepEval, runEvents([LINE]));
    const { cases, importer } = await imported('run.json', text);
    assert.equal(importer, 'DeepEval');
    assert.equal(cases[0].transcript.at(-1).assistant, 'It was shipped.');
    assert.deepEqual(cases[0].assert[0], { type: 'turn-relevancy', threshold: 0.5 });
  });

  it('is empty for a run that never started', () => {
    const report = JSON.parse(reported(writeDeepEval, []));
    assert.deepEqual([report.conversationalTestCases, report.testFailed], [[], 0]);
  });
});
