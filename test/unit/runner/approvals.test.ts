import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const call = (id: string, name: string) => ({ id, name, arguments: { order: 7 } });

const TOOLS = 'tools: [{name: find}, {name: cancel}], tool_results: {find: shipped, cancel: gone}';

const QUESTION = `Approval needed: cancel {"order":7}
Answer "yes" to allow it. Any other answer refuses it.`;

/** Runs a case with a chat target that has the given keys. */
async function ran(
  t: TestContext,
  script: Script,
  { approve = '{cancel: ask}', live = 'turns: [Cancel it., Yes!]', options = {} } = {},
) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const model = (name: string) =>
    `{provider: openai, model: ${name}, base_url: "${server.baseUrl}"}`;
  const suite = `judge: ${model('user')}
targets:
  bot: {type: chat, model: ${model('m')}, ${TOOLS}, approve: ${approve}}
target: bot
cases:
  - {id: a, ${live}, assert: [{type: max-turns, max: 9}]}
`;
  const { lines } = await runFiles(t, { 'suite.eval.yaml': suite }, options);
  const [line] = lines;
  const turns = line ? turnsOf(line.conversation) : [];
  return {
    status: line?.status,
    reason: line?.reason,
    items: turns.map(({ items }) =>
      items.map((item) =>
        item.kind === 'tool-call'
          ? [item.call.name, item.result]
          : item.kind === 'text' && item.text,
      ),
    ),
    asked: server.requests.map(({ body }) => body).filter(({ model: of }) => of === 'm'),
  };
}

const roles = (messages: readonly { readonly role: string; readonly content?: unknown }[] = []) =>
  messages.map(({ role, content }) => [role, content]);

describe('a tool call that needs approval', () => {
  const script = [{ toolCalls: [call('1', 'cancel')] }, 'It is done.'];

  it('is asked about at the end of the reply, and runs after a yes', async (t) => {
    const { status, reason, items, asked } = await ran(t, script);
    assert.deepEqual([status, reason], ['pass', undefined]);
    assert.deepEqual(items, [
      ['Cancel it.'],
      [['cancel', 'gone'], QUESTION],
      ['Yes!'],
      ['It is done.'],
    ]);
    assert.deepEqual(roles(asked[1]?.messages), [
      ['user', 'Cancel it.'],
      ['assistant', null],
      ['tool', 'gone'],
      ['user', 'Yes!'],
    ]);
  });

  it('is refused by any other answer', async (t) => {
    for (const answer of ['No, leave it.', 'Yesterday?', 'Not yet: yes would be rash.']) {
      const live = `turns: [Cancel it., ${JSON.stringify(answer)}]`;
      const { items, asked } = await ran(t, script, { live });
      assert.deepEqual(items[1], [['cancel', 'The user refused this call.'], QUESTION]);
      assert.deepEqual(roles(asked[1]?.messages).slice(2), [
        ['tool', 'The user refused this call.'],
        ['user', answer],
      ]);
    }
  });

  it('has no result if the conversation ends before', async (t) => {
    const { status, items } = await ran(t, script, { live: 'turns: [Cancel it.]' });
    assert.equal(status, 'pass');
    assert.deepEqual(items[1], [['cancel', undefined], QUESTION]);
  });

  it("doesn't hold back other calls of the reply", async (t) => {
    const both = [{ toolCalls: [call('1', 'cancel'), call('2', 'find')] }, 'Done.', 'Bye.'];
    const live = 'turns: [Cancel it., "yes", Thanks]';
    const { items, asked } = await ran(t, both, { live });
    assert.deepEqual(items[1], [['cancel', 'gone'], ['find', 'shipped'], QUESTION]);
    const results = [
      ['assistant', null],
      ['tool', 'shipped'],
      ['tool', 'gone'],
      ['user', 'yes'],
    ];
    assert.deepEqual(roles(asked[1]?.messages).slice(1), results);
    assert.deepEqual(roles(asked[2]?.messages).slice(1, 5), results);
  });

  it('can be one of several in a question', async (t) => {
    const both = [{ toolCalls: [call('1', 'cancel'), call('2', 'find')] }, 'Done.'];
    const { items } = await ran(t, both, { approve: '{cancel: ask, find: ask}' });
    assert.equal(
      items[1]?.at(-1),
      'Approval needed:\n- cancel {"order":7}\n- find {"order":7}\nAnswer "yes" to allow them. Any other answer refuses them.',
    );
    assert.deepEqual(items[1]?.slice(0, 2), [
      ['cancel', 'gone'],
      ['find', 'shipped'],
    ]);
  });

  it('is decided by the simulated user, who sees the question', async (t) => {
    const user = { reason: 'r', status: 'continue', message: 'Yes, please.' };
    const agent = [...script];
    const asked: string[] = [];
    const { items } = await ran(
      t,
      (body) => {
        if (body.model === 'm') return agent.shift() ?? 'Bye.';
        asked.push(String(body.messages.at(-1)?.content));
        return json(asked.length === 1 ? user : { ...user, status: 'goal-reached', message: '' });
      },
      { live: 'simulate: {goal: Cancel the order., opening: [Cancel it.]}' },
    );
    assert.match(asked[0] ?? '', /\| Approval needed: cancel \{"order":7\}/);
    assert.deepEqual(items.slice(1), [
      [['cancel', 'gone'], QUESTION],
      ['Yes, please.'],
      ['It is done.'],
    ]);
  });

  it('is replayed from a recording', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const { items } = await ran(t, script, { options: { record: recording } });
    const replayed = await ran(t, [], { options: { replay: recording } });
    assert.deepEqual([replayed.status, replayed.items], ['pass', items]);
  });
});

describe('a tool that is always refused', () => {
  it('never runs, and the model continues', async (t) => {
    const script = [{ toolCalls: [call('1', 'cancel')] }, "I can't."];
    const options = { approve: '{cancel: refuse}', live: 'turns: [Cancel it.]' };
    const { items } = await ran(t, script, options);
    assert.deepEqual(items[1], [['cancel', 'The user refused this call.'], "I can't."]);
  });
});

describe('a misspelled tool in `approve`', () => {
  it('is a warning', async () => {
    const target = `{type: chat, model: "openai:m", ${TOOLS}, approve: {cancle: ask}}`;
    const loaded = await load(suiteWith(`turns: [Hi]\ntarget: ${target}\nassert: [It is kind.]`));
    assert.deepEqual(placed(loaded), ['4:139 unknown-tool']);
    assert.equal(loaded.problems[0]?.severity, 'warning');
  });
});
