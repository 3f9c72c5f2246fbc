import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';
import { realLines } from '../../support/realData.ts';

describe('Azure evaluation data', () => {
  it('becomes one case per row of texts or messages', async () => {
    const { importer, cases, lost } = await imported(
      'data.jsonl',
      jsonLines(
        {
          query: 'Do you ship to Oslo?',
          response: 'Yes.',
          context: 'We ship to Norway.',
          ground_truth: 'Yes, to all of Norway.',
          latency: 3,
        },
        {
          query: [{ role: 'user', content: [{ type: 'text', text: 'Weather?' }] }],
          response: [
            {
              role: 'assistant',
              content: [{ type: 'tool_call', tool_call_id: 'c', name: 'weather', arguments: {} }],
            },
            {
              role: 'tool',
              tool_call_id: 'c',
              content: [{ type: 'tool_result', tool_result: 'x' }],
            },
            { role: 'assistant', content: 'Rain.' },
          ],
          tool_definitions: [{ name: 'weather', description: 'Tells.', parameters: {} }],
        },
        {
          conversation: {
            messages: [
              { role: 'user', content: 'Hi' },
              { role: 'assistant', content: 'Hello' },
            ],
          },
        },
      ),
    );
    assert.equal(importer, 'Azure evaluation data');
    assert.deepEqual(cases[0].transcript, [
      { user: 'Do you ship to Oslo?' },
      { assistant: 'Yes.', retrieval_context: ['We ship to Norway.'] },
    ]);
    assert.equal(cases[0].expectations, 'Yes, to all of Norway.');
    assert.deepEqual(cases[1].tools, [{ name: 'weather', description: 'Tells.', parameters: {} }]);
    assert.equal(cases.length, 3);
    assert.deepEqual(lost, ['1 `latency` has no Turnlight equivalent.']);
  });

  it('keeps the context of each reply, as a text or citations', async () => {
    const row = (context: unknown) => ({
      conversation: {
        messages: [
          { role: 'user', content: 'Which tent?', context: null },
          { role: 'assistant', content: 'The Alpine.', context },
          { role: 'user', content: 'Thanks', context: 'A customer since 2020.' },
          { role: 'assistant', content: 'Enjoy it.', context: '' },
        ],
      },
    });
    const { cases, broken, lost } = await imported(
      'data.jsonl',
      jsonLines(
        row('The Alpine is waterproof.'),
        row({ citations: [{ id: 'tents.md', content: 'The Alpine is waterproof.' }] }),
      ),
    );
    assert.deepEqual(broken, []);
    for (const { transcript } of cases) {
      assert.deepEqual(transcript, [
        { user: 'Which tent?' },
        { assistant: 'The Alpine.', retrieval_context: ['The Alpine is waterproof.'] },
        { user: 'Thanks' },
        { assistant: 'Enjoy it.' },
      ]);
    }
    const told = '`context` of a user message has no Turnlight equivalent.';
    assert.deepEqual(lost, [`1 ${told}`, `2 ${told}`]);
  });

  it('keeps evaluators of finished evaluations as assertions, with thresholds', async () => {
    const row = {
      'inputs.query': 'Do you ship to Oslo?',
      'inputs.response': 'Yes.',
      'outputs.coherence.coherence': 4,
      'outputs.coherence.coherence_threshold': 3,
      'outputs.task_adherence.task_adherence': 5,
      'outputs.bleu.bleu_score': 0.1,
    };
    const { cases, lost } = await imported('result.json', { rows: [row], metrics: {} });
    assert.deepEqual(cases[0].assert, [
      { type: 'coherence', threshold: 3 },
      { type: 'task-adherence' },
    ]);
    assert.deepEqual(lost, ['1 "bleuEvaluator" has no Turnlight equivalent.']);
  });

  const real = realLines('azure-evaluators/malformed-inputs.sample.jsonl');
  it("from Azure's own tests: each row is a case or an error at its line", {
    skip: real.skip,
  }, async () => {
    const inputs = real.lines().map((line) => (line as { input: unknown }).input);
    const { cases, broken } = await imported('inputs.jsonl', jsonLines(...inputs));
    const told = new Set(broken.map((one) => one.split(' ')[0]));
    assert.equal(cases.length + told.size, inputs.length);
    assert.ok(cases.length > 30, String(cases.length));
  });
});
