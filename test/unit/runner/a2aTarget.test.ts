import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Part } from '@a2a-js/sdk';
import { type Turn, textOf, turnsOf } from '../../../src/core/conversation.ts';
import {
  AgentEvent,
  type AgentOptions,
  type Execute,
  message,
  saidTo,
  startAgent,
  TaskState,
  text,
} from '../../support/a2aAgent.ts';
import { runFiles } from '../../support/runs.ts';

it('a conversation with a real Agent2Agent agent runs, and again from its recording', async (t) => {
  const { url, calls } = await startAgent(t, (context, publish) =>
    publish(AgentEvent.message(message(context, [text(`You said ${saidTo(context)}`)]))),
  );
  const suite = `target: { type: a2a, url: "${url}" }
cases: [{ id: a, turns: [Hi, Bye], assert: [{ type: contains, value: Bye, at: last }] }]
`;
  const files = { 'suite.eval.yaml': suite };
  const first = await runFiles(t, files);
  const recording = join(first.workspace, 'a.jsonl');
  const recorded = await runFiles(t, files, { workspace: first.workspace, record: recording });
  const replayed = await runFiles(t, files, { workspace: first.workspace, replay: recording });
  for (const { lines } of [first, recorded, replayed]) {
    assert.equal(lines[0]?.status, 'pass', lines[0]?.reason);
    const said = turnsOf(lines[0].conversation).map(textOf);
    assert.deepEqual(said, ['Hi', 'You said Hi', 'Bye', 'You said Bye']);
  }
  assert.equal(calls().length, 4);
});

const data = (value: object, type?: string): Part => ({
  ...text(''),
  content: { $case: 'data', value },
  metadata: type === undefined ? undefined : { adk_type: type },
});

async function talk(
  t: TestContext,
  execute: Execute,
  assertions: string,
  agent: AgentOptions = {},
) {
  const { url } = await startAgent(t, execute, agent);
  const { lines } = await runFiles(t, {
    'suite.eval.yaml': `target: { type: a2a, url: "${url}" }
cases: [{ id: a, turns: [Where is 7?, Refund it], assert: [${assertions}] }]
`,
  });
  const [line] = lines;
  assert.ok(line);
  return { line, turns: turnsOf(line.conversation).map(shown) };
}

function shown({ items }: Turn): string {
  return items
    .map((item) => {
      if (item.kind === 'text') return item.text;
      if (item.kind !== 'tool-call') return '';
      const { call, result = '' } = item;
      return `${call.name}(${JSON.stringify(call.arguments)})=${result}`;
    })
    .join(' | ');
}

/**
 * An agent like those of Google's ADK: each event is a status update of the task, and the answer is an artifact at the
 * end.
 */
const adk: Execute = (context, publish) => {
  const { contextId, taskId } = context;
  const name = saidTo(context) === 'Refund it' ? 'refund' : 'look_up';
  const events = [
    [data({ id: `adk-${name}`, name, args: { id: 7 } }, 'function_call')],
    [data({ id: `adk-${name}`, name, response: { ok: true } }, 'function_response')],
    [text('Done.')],
  ].map((parts) => message(context, parts, true));
  const ids = { contextId, taskId };
  const status = (state: TaskState, said?: (typeof events)[number]) => ({
    state,
    message: said,
    timestamp: undefined,
  });
  publish(
    AgentEvent.task({
      id: taskId,
      contextId,
      status: status(TaskState.TASK_STATE_WORKING),
      artifacts: [],
      history: [...(context.task?.history ?? [])],
      metadata: undefined,
    }),
  );
  for (const [index, said] of events.entries()) {
    const usage = { prompt_token_count: 10, candidates_token_count: 2 };
    const metadata =
      index === 1 ? {} : { adk_event_id: `${taskId}-${name}-${index}`, adk_usage_metadata: usage };
    publish(
      AgentEvent.statusUpdate({
        ...ids,
        metadata,
        status: status(TaskState.TASK_STATE_WORKING, said),
      }),
    );
  }
  publish(
    AgentEvent.artifactUpdate({
      ...ids,
      metadata: undefined,
      artifact: {
        artifactId: `a-${name}`,
        name: '',
        description: '',
        parts: [text('Done.')],
        metadata: undefined,
        extensions: [],
      },
      append: false,
      lastChunk: true,
    }),
  );
  const end =
    name === 'refund' ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_INPUT_REQUIRED;
  publish(AgentEvent.statusUpdate({ ...ids, metadata: undefined, status: status(end) }));
};

const CHECKS =
  '{type: tool-called, name: refund, times: 1, at: 4}, {type: tool-not-called, name: refund, at: 2}, {type: tool-sequence, tools: [look_up, refund], match: exact}';

describe('what an Agent2Agent agent reports in data parts', () => {
  for (const version of ['1.0', '0.3'] as const) {
    for (const streaming of [true, false]) {
      it(`of ADK is read once, in its turn (${version}${streaming ? ', streamed' : ''})`, async (t) => {
        const { line, turns } = await talk(t, adk, CHECKS, { version, streaming });
        assert.deepEqual(turns, [
          'Where is 7?',
          'look_up({"id":7})={"ok":true} | Done.',
          'Refund it',
          'refund({"id":7})={"ok":true} | Done.',
        ]);
        assert.equal(line.status, 'pass');
        if (streaming) assert.equal(line.target_usage?.input_tokens, 40);
      });
    }
  }

  for (const [whose, parts] of [
    [
      "OpenAI's",
      [data({ type: 'function', id: 'c', function: { name: 'refund', arguments: '{"id":7}' } })],
    ],
    ['a plain', [data({ name: 'refund', arguments: { id: 7 } })]],
    ["LangChain's", [data({ type: 'tool_call', name: 'refund', args: { id: 7 }, id: 'c' })]],
    ['a list of', [data({ tool_calls: [{ name: 'refund', args: { id: 7 } }] })]],
  ] as const) {
    it(`is read in ${whose} tool calls, with usage`, async (t) => {
      const usage = data({ usage: { input_tokens: 9, output_tokens: 1 } });
      const { line, turns } = await talk(
        t,
        (context, publish) =>
          publish(AgentEvent.message(message(context, [...parts, text('Done.'), usage]))),
        '{type: tool-called, name: refund, times: 2}, {type: max-tokens, max: 20}',
      );
      assert.equal(turns[1], 'refund({"id":7})= | Done.');
      assert.equal(line.status, 'pass');
    });
  }

  it('is not made of other data, which stays part of the reply', async (t) => {
    const { line, turns } = await talk(
      t,
      (context, publish) =>
        publish(AgentEvent.message(message(context, [data({ name: 'Rome', id: 7 })]))),
      '{type: tool-called, name: Rome}',
    );
    assert.equal(turns[1], '{"name":"Rome","id":7}');
    const [verdict] = line.verdicts;
    assert.deepEqual(
      [verdict?.status, verdict && 'reason' in verdict && verdict.reason],
      ['error', 'not-reported'],
    );
  });
});
