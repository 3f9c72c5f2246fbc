import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported } from '../../support/imports.ts';
import { realText } from '../../support/realData.ts';

const config = (tests: object[], more: object = {}) => ({
  prompts: ['Answer kindly: {{question}}'],
  providers: ['openai:chat:gpt-4o'],
  tests,
  ...more,
});

describe('promptfoo configurations', () => {
  it('send their prompt live, with `vars` as context', async () => {
    const { importer, cases, file } = await imported(
      'promptfooconfig.json',
      config([
        {
          description: 'Shipping',
          vars: { question: 'Do you ship?' },
          assert: [{ type: 'contains', value: 'Yes' }],
        },
      ]),
    );
    assert.equal(importer, 'promptfoo');
    assert.deepEqual(file.target, { type: 'chat', model: 'openai:gpt-4o' });
    assert.deepEqual(cases[0], {
      id: 'Shipping',
      description: 'Shipping',
      context: { question: 'Do you ship?' },
      turns: ['Answer kindly: {{question}}'],
      assert: [{ type: 'contains', value: 'Yes' }],
    });
  });

  it('with several providers compare their models as variants', async () => {
    const { file, lost } = await imported(
      'c.json',
      config([{ vars: { question: 'Hi' }, assert: [{ type: 'contains', value: 'Yes' }] }], {
        providers: [
          'openai:gpt-4o',
          'python:agent.py',
          { id: 'openai:chat:org/gpt-4o', config: { temperature: 0.5 } },
          'ollama:gpt-4o',
        ],
      }),
    );
    assert.deepEqual(file.target, { type: 'chat', model: 'openai:gpt-4o' });
    assert.deepEqual(file.variants, {
      'gpt-4o': { model: 'openai:gpt-4o' },
      'org-gpt-4o': { model: { provider: 'openai', model: 'org/gpt-4o', temperature: 0.5 } },
      'gpt-4o-2': { model: 'ollama:gpt-4o' },
    });
    assert.deepEqual(lost, [
      '1 The provider "python:agent.py" was left out: its model is unknown.',
    ]);
  });

  it('with `_conversation` judge the recording, and check its last reply for texts', async () => {
    const { cases, file } = await imported(
      'c.json',
      config([
        {
          vars: { _conversation: [{ input: 'Hi', output: 'Hello' }] },
          assert: [
            { type: 'conversation-relevance', threshold: 0.9, config: { windowSize: 3 } },
            { type: 'icontains', value: 'hello' },
          ],
        },
      ]),
    );
    assert.deepEqual(cases[0].transcript, [{ user: 'Hi' }, { assistant: 'Hello' }]);
    assert.deepEqual(cases[0].assert, [
      { type: 'turn-relevancy', window: 5, granularity: 'turn', threshold: 0.9 },
      { type: 'contains', ignore_case: true, value: 'hello', at: 'last' },
    ]);
    assert.equal(file.target, undefined);
  });

  it('keep every check with a counterpart, and report the others', async () => {
    const { cases, lost } = await imported(
      'c.json',
      config([
        {
          vars: { question: 'x' },
          threshold: 0.5,
          assert: [
            { type: 'not-icontains', value: 'sorry', metric: 'no excuses', weight: 2 },
            { type: 'contains-any', value: 'a, b' },
            { type: 'regex', value: 'a+' },
            { type: 'is-json', value: { type: 'object' } },
            { type: 'llm-rubric', value: 'It is kind.', threshold: 0.8 },
            { type: 'factuality', value: 'Oslo is in Norway.' },
            { type: 'g-eval', value: 'Is it kind?' },
            { type: 'similar', value: 'Yes', threshold: 0.9 },
            { type: 'latency', threshold: 500 },
            { type: 'cost', threshold: 0.1 },
            {
              type: 'assert-set',
              assert: [
                { type: 'equals', value: 'x' },
                { type: 'starts-with', value: 'x' },
              ],
            },
            { type: 'javascript', value: 'output.length > 3' },
            { type: 'rouge-n', value: 'x' },
            { type: 'not-llm-rubric', value: 'It is rude.' },
          ],
        },
      ]),
    );
    assert.equal(cases[0].threshold, 0.5);
    assert.deepEqual(cases[0].assert, [
      {
        type: 'contains',
        ignore_case: true,
        negate: true,
        value: 'sorry',
        weight: 2,
        name: 'no excuses',
      },
      { type: 'contains-any', values: ['a', 'b'] },
      { type: 'regex', pattern: 'a+' },
      { type: 'json-schema', schema: { type: 'object' } },
      { type: 'criterion', criterion: 'It is kind.', threshold: 0.8 },
      { type: 'criterion', criterion: 'The reply agrees with this: Oslo is in Norway.' },
      { type: 'g-eval', criteria: 'Is it kind?' },
      { type: 'similar', value: 'Yes', model: 'openai:text-embedding-3-large', threshold: 0.9 },
      { type: 'max-latency', max: 500 },
      { type: 'max-cost', max: 0.1 },
      {
        type: 'all-of',
        assert: [
          { type: 'equals', value: 'x' },
          { type: 'starts-with', value: 'x' },
        ],
      },
    ]);
    assert.deepEqual(
      lost.map((one) => /"([^"]+)"/.exec(one)?.[1]),
      ['javascript', 'rouge-n', 'not-llm-rubric'],
    );
  });

  it('keep system prompts, defaults, and the grader, and report omissions', async () => {
    const { cases, file, lost } = await imported(
      'c.json',
      config([{ vars: { question: 'x' }, assert: [] }], {
        prompts: [
          JSON.stringify([
            { role: 'system', content: 'Be kind.' },
            { role: 'user', content: '{{question}}' },
          ]),
          'file://other.txt',
          'A second one',
        ],
        providers: [{ id: 'file://provider.py' }, 'openai:gpt-4o', 'openai:gpt-4.1'],
        defaultTest: {
          options: { provider: 'openai:gpt-4o-mini' },
          assert: [{ type: 'llm-rubric', value: 'It helps.' }],
        },
        commandLineOptions: { cache: false },
      }),
    );
    assert.equal(file.judge, 'openai:gpt-4o-mini');
    assert.deepEqual(file.defaults, {
      assert: [{ type: 'criterion', criterion: 'It helps.' }],
      tags: ['promptfoo'],
    });
    assert.deepEqual(cases[0].turns, ['{{question}}']);
    assert.deepEqual(file.target, { type: 'chat', model: 'openai:gpt-4o', system: 'Be kind.' });
    assert.equal(lost.length, 4);
  });

  it('with a list of values run once per value', async () => {
    const { cases } = await imported(
      'c.json',
      config([
        { vars: { question: ['One?', 'Two?'], tone: 'dry' }, assert: [] },
        { vars: { question: ['a', 'b'] }, options: { disableVarExpansion: true }, assert: [] },
      ]),
    );
    assert.deepEqual(cases[0].matrix, { question: ['One?', 'Two?'] });
    assert.deepEqual(cases[0].context, { tone: 'dry' });
    assert.equal(cases[1].matrix, undefined);
    assert.deepEqual(cases[1].context, { question: ['a', 'b'] });
  });

  it("keep the provider's address and numbers but never its key, and report other settings", async () => {
    const { file, lost, texts } = await imported(
      'c.json',
      config(
        [
          {
            vars: { question: 'x' },
            options: { transform: 'output.trim()' },
            metadata: { owner: 'ann' },
            assert: [],
          },
          { vars: 'vars.yaml', assert: [] },
        ],
        {
          providers: [
            {
              id: 'openai:gpt-4o',
              config: {
                apiBaseUrl: 'https://llm.example.com/v1',
                temperature: 0.2,
                apiKey: 'sk-never-written',
                top_p: 1,
              },
            },
          ],
        },
      ),
    );
    assert.deepEqual(file.target, {
      type: 'chat',
      model: {
        provider: 'openai',
        model: 'gpt-4o',
        base_url: 'https://llm.example.com/v1',
        temperature: 0.2,
      },
    });
    assert.doesNotMatch(JSON.stringify([texts, lost]), /sk-never-written/);
    assert.deepEqual(lost, [
      '1 `metadata` has no Turnlight equivalent.',
      '1 `transform` has no Turnlight equivalent.',
      '1 The `vars` in "vars.yaml" are not read.',
      '1 `apiKey` of the provider "openai:gpt-4o" has no Turnlight equivalent.',
      '1 `top_p` of the provider "openai:gpt-4o" has no Turnlight equivalent.',
    ]);
  });

  it('report the missing prompt of a table of tests', async () => {
    const { broken, importer } = await imported(
      'tests.csv',
      'question,__expected\nHi,contains: hello\n',
    );
    assert.equal(importer, 'promptfoo');
    assert.deepEqual(broken, ['2 A test has neither a prompt nor a `_conversation`.']);
  });

  const real = realText('peers/promptfoo/promptfooconfig.yaml');
  it('that promptfoo publishes: 4 cases', { skip: real.skip }, async () => {
    const { cases, broken, lost } = await imported('promptfooconfig.yaml', real.text());
    assert.deepEqual([broken, cases.length], [[], 4]);
    assert.deepEqual(lost, []);
  });
});
