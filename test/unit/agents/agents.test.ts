import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TargetFacts, TargetMessage } from 'turnlight';
import { aiSdk, langgraph, mastra, openaiAgents } from '../../../src/agents/agents.ts';

// `npm run test:frameworks` runs the adapters with the real packages. These tests cover turns and errors that don't
// occur there.

const CALL = {
  id: 'c1',
  type: 'function',
  function: { name: 'find', arguments: '{"id":7}' },
} as const;
const HISTORY: readonly TargetMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is 7?' },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'c1', content: 'shipped' },
  { role: 'assistant', content: 'It is shipped.' },
];

const facts = (conversation: string): TargetFacts => ({
  case: 'a',
  conversation,
  context: {},
  signal: new AbortController().signal,
});

/** Replies to two turns after the given history. The second request contains the first reply, as Turnlight sends it. */
async function twoTurns(
  target: (messages: readonly TargetMessage[], facts: TargetFacts) => Promise<unknown>,
) {
  const first: TargetMessage[] = [...HISTORY, { role: 'user', content: 'And 8?' }];
  const replies = [await target(first, facts('x'))];
  const second: TargetMessage[] = [
    ...first,
    { role: 'assistant', content: 'Reply 1' },
    { role: 'user', content: 'Thanks.' },
  ];
  replies.push(await target(second, facts('x')));
  return replies;
}

describe('an agent of the AI SDK', () => {
  const result = (text: string, usage = {}) => ({
    response: { messages: [{ role: 'assistant', content: [{ type: 'text', text }] }] },
    steps: [{}, {}],
    totalUsage: usage,
  });

  it('gets the history as model messages, and then its own', async () => {
    const asked: object[][] = [];
    const target = aiSdk((messages: object[]) => {
      asked.push(messages);
      return result(`Reply ${asked.length}`);
    });
    await twoTurns(target);
    assert.deepEqual(asked[1], [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Where is 7?' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: { id: 7 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c1',
            toolName: 'find',
            output: { type: 'text', value: 'shipped' },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is shipped.' }] },
      { role: 'user', content: 'And 8?' },
      { role: 'assistant', content: [{ type: 'text', text: 'Reply 1' }] },
      { role: 'user', content: 'Thanks.' },
    ]);
  });

  it('streams its texts with blank lines between them, and fails if its stream does', async () => {
    const parts = [
      ...['text-start', 'text-end', 'text-start'].map((type) => ({ type })),
      ...['One ', 'two.'].map((text) => ({ type: 'text-delta', text })),
      { type: 'text-start' },
      { type: 'text-delta', text: 'Three.' },
    ];
    const target = (more: object[]) =>
      aiSdk(() => ({
        ...result('x'),
        fullStream: (async function* () {
          yield* [...parts, ...more] as never[];
        })(),
      }));
    const pieces: string[] = [];
    const stream = (delta: string) => pieces.push(delta);
    await target([])([], { ...facts('x'), stream });
    assert.deepEqual(pieces, ['One ', 'two.', '\n\nThree.']);
    const failing = target([{ type: 'error', error: new Error('no luck') }]);
    await assert.rejects(failing([], { ...facts('x'), stream }), /no luck/);
  });

  it('reports usage only if both counts are known', async () => {
    const counts = { inputTokens: 3, outputTokens: 2 };
    const [known] = await twoTurns(aiSdk(() => result('x', counts)));
    const [unknown] = await twoTurns(aiSdk(() => result('x', { inputTokens: 3 })));
    assert.deepEqual(Object(known).usage, {
      calls: 2,
      input_tokens: 3,
      cached_tokens: 0,
      output_tokens: 2,
    });
    assert.ok(!('usage' in Object(unknown)));
  });
});

describe('an agent of Mastra', () => {
  const agentOf = (more: object = {}) => ({
    name: 'triage',
    getInstructions: async () => ['Be kind.', { role: 'system', content: 'Be brief.' }],
    listTools: () => ({ find: { description: 'Finds.', inputSchema: { type: 'object' } } }),
    generate: async () => ({
      response: {
        messages: [
          { role: 'assistant', content: 'x' },
          { role: 'tool', content: [] },
        ],
      },
      steps: [{}],
      totalUsage: {},
      ...more,
    }),
    stream: () => Promise.reject(new Error('not expected')),
  });

  it('reports its name, instructions, and tools', async () => {
    const [reply] = await twoTurns(mastra(agentOf()));
    assert.deepEqual(reply, {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: 'x', agent: 'triage' },
        { role: 'tool', content: [] },
      ],
      tools: [{ name: 'find', description: 'Finds.', parameters: { type: 'object' } }],
    });
  });

  it('that is suspended, or whose request fails, is an error', async () => {
    const suspended = mastra(agentOf({ finishReason: 'suspended' }));
    await assert.rejects(twoTurns(suspended), /was suspended/);
    await assert.rejects(twoTurns(mastra(agentOf({ error: new Error('no luck') }))), /no luck/);
  });
});

describe('a LangGraph', () => {
  const graphWith = (checkpointer: unknown, more: object = {}) => {
    interface StateMessage {
      readonly id?: string;
      readonly content?: string;
    }
    const asked: StateMessage[][] = [];
    let state: StateMessage[] = [];
    const graph = {
      checkpointer,
      async invoke({ messages }: { messages: StateMessage[] }) {
        asked.push(messages);
        state = [...(checkpointer ? state : []), ...messages];
        state.push({ id: `reply-${asked.length}`, ...{ type: 'ai', content: 'x' } });
        return { messages: state, ...more };
      },
    };
    return { graph, contents: () => asked.map((one) => one.map(({ content }) => content)) };
  };

  it('with a checkpointer gets the history once', async () => {
    const { graph, contents } = graphWith({});
    const replies = await twoTurns(langgraph(graph));
    assert.deepEqual(contents()[1], ['Thanks.']);
    assert.deepEqual(
      replies.map((reply) => Object(reply).messages.map(({ id }: { id: string }) => id)),
      [['reply-1'], ['reply-2']],
    );
  });

  it('without a checkpointer gets its own messages again', async () => {
    const { graph, contents } = graphWith(undefined);
    await twoTurns(langgraph(graph));
    assert.deepEqual(contents()[1], [
      ...HISTORY.map(({ content }) => content),
      'And 8?',
      'x',
      'Thanks.',
    ]);
  });

  it('reports the sum of the counts that its messages have', async () => {
    const metadata = [{ input_tokens: 3, output_tokens: 2 }, { input_tokens: 1 }];
    const messages = metadata.map((usage_metadata, index) => ({
      ...{ id: `${index}`, type: 'ai', content: 'x', usage_metadata },
    }));
    const [reply] = await twoTurns(langgraph({ invoke: async () => ({ messages }) }));
    assert.deepEqual(Object(reply).usage, {
      calls: 2,
      input_tokens: 4,
      cached_tokens: 0,
      output_tokens: 2,
    });
  });

  it('that is interrupted is an error', async () => {
    const { graph } = graphWith({}, { __interrupt__: [{}] });
    await assert.rejects(twoTurns(langgraph(graph)), /was interrupted/);
  });
});

describe('an agent of the OpenAI Agents SDK', () => {
  const first = { name: 'first' };
  const second = { name: 'second' };
  const said = (agent: { readonly name: string }) => ({
    type: 'message_output_item',
    agent,
    rawItem: { content: [{ text: 'x' }] },
  });
  const runOf = (more: object = {}) => {
    const asked: { agent: object; items: object[] }[] = [];
    const run = async (agent: object, items: object[]) => {
      asked.push({ agent, items });
      const history = [...items, { role: 'assistant' }];
      const runContext = { usage: { requests: 0, inputTokens: 0, outputTokens: 0 } };
      return { newItems: [said(second)], history, lastAgent: second, runContext, ...more };
    };
    return { asked, run };
  };

  it('gets the history as items, and then its own; the last agent continues', async () => {
    const { asked, run } = runOf();
    const [reply] = await twoTurns(openaiAgents(first, run));
    assert.deepEqual(Object(reply).messages, [
      { role: 'assistant', content: 'x', agent: 'second' },
    ]);
    assert.deepEqual(
      asked.map(({ agent }) => agent),
      [first, second],
    );
    assert.deepEqual(
      asked[1]?.items.map((item) => Object(item).type ?? Object(item).role),
      [
        ...['system', 'user', 'function_call', 'function_call_result', 'assistant', 'user'],
        ...['assistant', 'user'],
      ],
    );
  });

  it('streams its texts', async () => {
    const { run } = runOf();
    const events = [
      { type: 'response_started' },
      { type: 'output_text_delta', delta: 'One.' },
      { type: 'response_started' },
      { type: 'output_text_delta', delta: 'Two.' },
    ].map((data) => ({ data }));
    const streamed = async (agent: object, items: object[], { stream }: { stream?: boolean }) => ({
      ...(await run(agent, items)),
      ...(stream && {
        completed: Promise.resolve(),
        async *[Symbol.asyncIterator]() {
          yield* events;
        },
      }),
    });
    const pieces: string[] = [];
    const stream = (delta: string) => pieces.push(delta);
    const target = openaiAgents(first, streamed as never);
    await target([{ role: 'user', content: 'Hi' }], { ...facts('x'), stream });
    assert.deepEqual(pieces, ['One.', '\n\nTwo.']);
  });

  it('that waits for an approval is an error', async () => {
    const { run } = runOf({ interruptions: [{}] });
    await assert.rejects(
      twoTurns(openaiAgents(first, run)),
      /waiting for a tool call to be approved/,
    );
  });
});

it('serves several conversations in one process', async () => {
  const asked: number[] = [];
  const target = aiSdk((messages: object[]) => {
    asked.push(messages.length);
    return {
      response: { messages: [{ role: 'assistant', content: 'x' }] },
      steps: [],
      totalUsage: {},
    };
  });
  for (const conversation of ['x', 'y', 'x']) {
    await target([{ role: 'user', content: 'Hi' }], facts(conversation));
  }
  assert.deepEqual(asked, [1, 1, 3]);
});
