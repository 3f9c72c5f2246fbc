import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imported, jsonLines } from '../../support/imports.ts';

interface Extra {
  readonly thread?: string;
  readonly [key: string]: unknown;
}

const ai = (content: string, more: object = {}) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: { content, type: 'ai', ...more },
});
const human = (content: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'HumanMessage'],
  kwargs: { content, type: 'human' },
});

/** A trace: its root, and the request to a model inside it. */
const traceOf = (
  id: string,
  time: string,
  said: object[],
  reply: object,
  { thread, ...more }: Extra = {},
) => [
  {
    id,
    trace_id: id,
    name: 'agent',
    run_type: 'chain',
    start_time: time,
    session_id: 'the-project',
    inputs: { messages: said },
    outputs: { messages: [...said, reply] },
    extra: {
      metadata: thread ? { thread_id: thread } : {},
      runtime: { sdk: 'langsmith-py', sdk_version: '0.6.0' },
    },
    ...more,
  },
  {
    id: `${id}-model`,
    trace_id: id,
    parent_run_id: id,
    name: 'ChatOpenAI',
    run_type: 'llm',
    start_time: `${time}.5`,
    inputs: { messages: [said] },
    outputs: { generations: [[{ text: '', message: reply }]] },
  },
];

const HI = [human('Hi')];
const ON = [...HI, ai('Hello'), human('Where is it?')];

describe('LangSmith runs', () => {
  it('become one case per thread, not per project', async () => {
    const runs = [
      ...traceOf('b', '2026-01-01T00:00:02', ON, ai('Shipped.'), { thread: 't' }),
      ...traceOf('a', '2026-01-01T00:00:01', HI, ai('Hello'), { thread: 't' }),
      ...traceOf('c', '2026-01-01T00:00:03', HI, ai('Hey')),
    ];
    for (const [name, text] of [
      ['runs.jsonl', jsonLines(...runs)],
      ['runs.json', JSON.stringify({ runs })],
    ] as const) {
      const { importer, cases, broken, found } = await imported(name, text);
      assert.deepEqual([importer, broken], ['LangSmith runs', []]);
      assert.deepEqual(
        cases.map(({ transcript }) => transcript),
        [
          [
            { user: 'Hi' },
            { assistant: 'Hello' },
            { user: 'Where is it?' },
            { assistant: 'Shipped.' },
          ],
          [{ user: 'Hi' }, { assistant: 'Hey' }],
        ],
      );
      assert.match(found ?? '', /LangSmith runs, from langsmith-py 0\.6\.0/);
    }
  });

  it('keep feedback on the turn, or its mean, and join runs of one example', async () => {
    const { rated, cases } = await imported(
      'runs.jsonl',
      jsonLines(
        ...traceOf('a', '1', HI, ai('Hello'), {
          reference_example_id: 'hello',
          session_name: 'first',
          feedback: [{ key: 'user_score', score: 1, comment: 'Nice.' }],
        }),
        ...traceOf('b', '2', HI, ai('What?'), {
          reference_example_id: 'hello',
          session_name: 'second',
          feedback_stats: { user_score: { n: 2, avg: 0.25 } },
        }),
      ),
    );
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['hello'],
    );
    assert.deepEqual(
      rated.map(({ variant, feedback: [one] }) => [variant, one?.name, one?.value, one?.turn]),
      [
        ['first', 'user_score', 1, 2],
        ['second', 'user_score', 0.25, 2],
      ],
    );
  });
});
