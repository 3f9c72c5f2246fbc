import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported } from '../../support/imports.ts';

const RUBRIC = { type: 'llm-rubric', value: 'Is polite', metric: 'polite' };

const result = (provider: string, output: unknown, more: object = {}) => ({
  testIdx: 0,
  promptIdx: 0,
  prompt: { raw: 'Where is order 7?', label: 'p' },
  provider: { id: provider },
  response: { output },
  testCase: { description: 'Late order', vars: {}, assert: [RUBRIC] },
  gradingResult: {
    pass: true,
    score: 1,
    componentResults: [{ pass: true, score: 0.4, reason: 'Kind.', assertion: RUBRIC }],
  },
  ...more,
});

const file = (...results: object[]) => ({
  evalId: 'eval-1',
  results: { version: 3, results },
  config: { prompts: ['Where is order 7?'], tests: [] },
  metadata: { promptfooVersion: '0.120.1' },
});

describe('promptfoo results', () => {
  it('become conversations with their checks, and grades become feedback', async () => {
    const human = { pass: false, score: 0, comment: 'No.', assertion: { type: 'human' } };
    const graded = { componentResults: [...result('', '').gradingResult.componentResults, human] };
    const { importer, cases, rated, found } = await imported(
      'results.json',
      file(result('openai:gpt-4o', 'Shipped.', { gradingResult: graded })),
    );
    assert.equal(importer, 'promptfoo results');
    assert.match(found ?? '', /promptfoo results, version 3, from promptfoo 0\.120\.1/);
    assert.deepEqual(cases[0].transcript, [
      { user: 'Where is order 7?' },
      { assistant: 'Shipped.' },
    ]);
    assert.equal(cases[0].assert[0].name, 'polite');
    assert.deepEqual(
      rated[0]?.feedback.map(({ name, value, comment, person }) => [name, value, comment, person]),
      [
        ['polite', true, 'Kind.', 'promptfoo'],
        ['human', false, 'No.', 'promptfoo-user'],
      ],
    );
  });

  it('of several providers are trials of one test', async () => {
    const { cases, data } = await imported(
      'results.json',
      file(result('openai:gpt-4o', 'Shipped.'), result('ollama:qwen3', { lost: true })),
    );
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['test-0'],
    );
    const [text = ''] = Object.values(data);
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((one) => JSON.parse(one).id),
      ['openai-gpt-4o', 'ollama-qwen3'],
    );
  });

  it('contain the conversation with a simulated user, and report results without an output', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Bye' },
      { role: 'assistant', content: 'Bye!' },
    ];
    const { cases, broken } = await imported(
      'results.json',
      file(
        result('a', 'all', { response: { output: 'all', metadata: { messages } } }),
        result('b', null, { testIdx: 1, error: 'Timed out.' }),
      ),
    );
    assert.equal(cases[0].transcript.length, 4);
    assert.deepEqual(broken, ['1 The result of Late order was left out. Timed out.']);
  });
});
