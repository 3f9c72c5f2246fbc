import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';

const json = (value: unknown) => JSON.stringify(value);

function trace(id: string, time: string, inputs: unknown, outputs: unknown, spans: object[] = []) {
  return {
    info: {
      trace_id: id,
      request_time: time,
      trace_metadata: { 'mlflow.trace.session': 'shop-1' },
      tags: {},
    },
    data: {
      spans: [
        {
          span_id: 'root',
          parent_span_id: null,
          name: 'chat',
          start_time_unix_nano: 1,
          attributes: {
            'mlflow.spanInputs': json(inputs),
            'mlflow.spanOutputs': json(outputs),
            'mlflow.spanType': json('UNKNOWN'),
          },
        },
        ...spans,
      ],
    },
  };
}

describe('MLflow traces', () => {
  it('become one case per session, in chronological order', async () => {
    const { importer, cases } = await imported('traces.json', [
      trace(
        'b',
        '2026-01-01T00:00:02Z',
        { message: 'Thanks', session_id: 's' },
        'You are welcome.',
      ),
      trace('a', '2026-01-01T00:00:01Z', { message: 'Where is it?', session_id: 's' }, 'Shipped.'),
    ]);
    assert.equal(importer, 'MLflow traces');
    assert.deepEqual(
      cases.map(({ id, transcript }) => [id, transcript]),
      [
        [
          'shop-1',
          [
            { user: 'Where is it?' },
            { assistant: 'Shipped.' },
            { user: 'Thanks' },
            { assistant: 'You are welcome.' },
          ],
        ],
      ],
    );
  });

  it("use the model's messages and instructions if its requests were traced", async () => {
    const model = (messages: object[], reply: string) => ({
      span_id: 'm',
      parent_span_id: 'root',
      name: 'Completions',
      start_time_unix_nano: 2,
      attributes: {
        'mlflow.spanType': json('CHAT_MODEL'),
        'mlflow.spanInputs': json({ model: 'm', messages }),
        'mlflow.spanOutputs': json({
          choices: [{ message: { role: 'assistant', content: reply } }],
        }),
      },
    });
    const system = { role: 'system', content: 'Be kind.' };
    const first = { role: 'user', content: 'Where is it?' };
    const { cases } = await imported(
      'traces.jsonl',
      jsonLines(
        trace('a', '1', { message: 'Where is it?' }, 'Shipped.', [
          model([system, first], 'Shipped.'),
        ]),
        trace('b', '2', { message: 'Thanks' }, 'Bye.', [
          model(
            [
              system,
              first,
              { role: 'assistant', content: 'Shipped.' },
              { role: 'user', content: 'Thanks' },
            ],
            'Bye.',
          ),
        ]),
      ),
    );
    assert.deepEqual(cases[0].transcript, [
      { system: 'Be kind.' },
      { user: 'Where is it?' },
      { assistant: 'Shipped.' },
      { user: 'Thanks' },
      { assistant: 'Bye.' },
    ]);
  });

  it('can be rows of `search_traces`', async () => {
    const { cases } = await imported('rows.json', [
      {
        trace_id: 'a',
        trace_metadata: { 'mlflow.trace.session': 's' },
        request: json({ question: 'Hi' }),
        response: json({ answer: 'Hello' }),
        assessments: [{ name: 'x' }],
      },
    ]);
    assert.deepEqual(cases[0].transcript, [{ user: 'Hi' }, { assistant: 'Hello' }]);
  });

  it("keep people's feedback on turns and sessions, and report that of judges", async () => {
    const assessed = (name: string, value: unknown, more: object = {}) => ({
      assessment_name: name,
      source: { source_type: 'HUMAN', source_id: 'ann' },
      feedback: { value },
      create_time: '2026-01-01T00:00:00Z',
      ...more,
    });
    const first = trace('a', '1', { message: 'Hi' }, 'Hello');
    const second = trace('b', '2', { message: 'Bye' }, 'Bye!');
    const assessments = [
      assessed('helpful', 'yes', { rationale: 'Quick.' }),
      assessed('polite', true, { metadata: { 'mlflow.trace.session': 'shop-1' } }),
      assessed('kind', true, { create_time: 'garbage' }),
      assessed('helpful', 1, { source: { source_type: 'LLM_JUDGE', source_id: 'm' } }),
    ];
    const { rated, lost } = await imported('traces.json', [
      first,
      { ...second, info: { ...second.info, assessments } },
    ]);
    assert.deepEqual(
      rated[0]?.feedback.map(({ name, value, turn, person, at }) => [
        name,
        value,
        turn,
        person,
        at,
      ]),
      [
        ['helpful', 'yes', 4, 'ann', '2026-01-01T00:00:00.000Z'],
        ['polite', true, undefined, 'ann', '2026-01-01T00:00:00.000Z'],
        ['kind', true, 4, 'ann', undefined],
      ],
    );
    assert.deepEqual(lost, [
      "1 1 assessment can't become labels: not from people, or without feedback.",
    ]);
  });

  it('without text are reported', async () => {
    const { broken, texts } = await imported('traces.json', [trace('a', '1', { x: 1 }, null)]);
    assert.deepEqual(texts, []);
    assert.equal(broken.length, 1);
  });
});
