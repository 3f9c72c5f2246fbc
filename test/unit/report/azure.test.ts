import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../src/core/conversation.ts';
import { writeAzure } from '../../../src/report/azure.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';
import { imported } from '../../support/imports.ts';
import { reported } from '../../support/reported.ts';

const CONVERSATION = toConversation([
  { message: { role: 'system', content: 'Be kind.' } },
  { message: { role: 'user', content: 'Where is it?' } },
  {
    message: {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'c', name: 'find', arguments: { number: 7 } }],
    },
  },
  { message: { role: 'tool', callId: 'c', content: 'shipped' } },
  { message: { role: 'assistant', content: 'It was shipped.' } },
]);

const LINE = buildCaseLine({
  id: 'order',
  status: 'fail',
  conversation: CONVERSATION,
  facts: {
    topics: [],
    tools: [{ name: 'find' }],
    expectations: { outcome: 'Told' },
    context: {},
  },
  verdicts: [
    buildVerdict({
      name: 'coherence',
      type: 'coherence',
      status: 'pass',
      score: 0.75,
      value: 4,
      scale: [1, 5],
      threshold: 0.5,
    }),
    buildVerdict({ name: 'Is it kind?', type: 'criterion', status: 'fail', score: 0, label: 'no' }),
    buildVerdict({
      name: 'late',
      type: 'criterion',
      status: 'error',
      score: null,
      reason: 'quota',
    }),
  ],
});

describe("the report in the JSON of Azure's `evaluate`", () => {
  const run = () => JSON.parse(reported(writeAzure, runEvents([LINE])));

  it('has a row with the query before the last reply, and that reply', () => {
    const [row] = run().rows;
    assert.equal(row['inputs.id'], 'order');
    assert.deepEqual(row['inputs.query'], [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Where is it?' }] },
    ]);
    assert.deepEqual(row['inputs.response'], [
      {
        role: 'assistant',
        content: [{ type: 'tool_call', tool_call_id: 'c', name: 'find', arguments: { number: 7 } }],
      },
      {
        role: 'tool',
        tool_call_id: 'c',
        content: [{ type: 'tool_result', tool_result: 'shipped' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It was shipped.' }] },
    ]);
    assert.deepEqual(row['inputs.tool_definitions'], [{ name: 'find' }]);
    assert.equal(row['inputs.ground_truth'], 'Told');
  });

  it('has columns for each verdict on its own scale, and sums', () => {
    const { rows, metrics } = run();
    const [row] = rows;
    assert.deepEqual(
      [
        row['outputs.coherence.coherence'],
        row['outputs.coherence.coherence_result'],
        row['outputs.coherence.coherence_threshold'],
      ],
      [4, 'pass', 3],
    );
    assert.deepEqual(
      [row['outputs.Is_it_kind.Is_it_kind'], row['outputs.Is_it_kind.Is_it_kind_label']],
      [0, 'no'],
    );
    assert.deepEqual(
      [row['outputs.late.late'], row['outputs.late.late_result'], row['outputs.late.late_error']],
      [null, 'error', 'quota'],
    );
    assert.equal(metrics['coherence.binary_aggregate'], 1);
    assert.equal(Object.hasOwn(metrics, 'late.late'), false);
  });

  it('can be imported with the same texts, and evaluators as assertions', async () => {
    const { cases, importer } = await imported('run.json', reported(writeAzure, runEvents([LINE])));
    assert.equal(importer, 'Azure evaluation data');
    assert.deepEqual(cases[0].transcript.at(-1), { assistant: 'It was shipped.' });
    assert.deepEqual(cases[0].assert, [{ type: 'coherence', threshold: 3 }]);
  });
});
