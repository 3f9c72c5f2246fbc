import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Endpoints } from '../../../src/models/endpoint/endpoints.ts';
import { TaskReply } from '../../../src/targets/a2a/taskReply.ts';
import { a2aTarget } from '../../../src/targets/a2a.ts';
import { Programs } from '../../../src/targets/programs/programs.ts';
import {
  AgentEvent,
  type AgentOptions,
  type Execute,
  message,
  saidTo,
  startAgent,
  TaskState,
  text,
  working,
} from '../../support/a2aAgent.ts';
import { answerJson, startService } from '../../support/service.ts';
import { growth } from '../../support/work.ts';

const { signal } = new AbortController();

function open(url: string, params: Readonly<Record<string, unknown>> = {}) {
  return a2aTarget.open(
    { name: 'agent', type: 'a2a', params: { type: 'a2a', url, ...params }, folder: '/' },
    {
      caseId: 'a',
      conversationId: 'conversation-1',
      repetition: 1,
      context: { tier: 'gold' },
      tools: [],
      timeout: 5_000,
      workspace: '/',
      env: () => undefined,
      keyVariables: [],
      endpoints: new Endpoints(SILENT),
      programs: new Programs(SILENT, new Scrubber()),
      scrubber: new Scrubber(),
      log: SILENT,
    },
  );
}

interface Setup extends AgentOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly says?: readonly string[];
}

/** An agent's replies to the messages, and the texts that it streamed. */
async function talk(
  t: TestContext,
  execute: Execute,
  { params, says = ['Hi'], ...agent }: Setup = {},
) {
  const { url, calls, requests } = await startAgent(t, execute, agent);
  const session = await open(url, params);
  const replies: string[] = [];
  const heard: string[] = [];
  for (const content of says) {
    const reply = await session.reply([{ role: 'user', content }], signal, (so) => heard.push(so));
    replies.push(...reply.messages.map((one) => one.content));
  }
  return { replies, heard, calls: calls(), requests };
}

const methods = (calls: readonly { readonly body: unknown }[]) =>
  calls.map(({ body }) => Object(body).method);

const echo: Execute = (context, publish) =>
  publish(AgentEvent.message(message(context, [text(`You said ${saidTo(context)}`)])));

describe('an agent that speaks Agent2Agent', () => {
  for (const [version, streaming, method] of [
    ['1.0', true, 'SendStreamingMessage'],
    ['1.0', false, 'SendMessage'],
    ['0.3', true, 'message/stream'],
    ['0.3', false, 'message/send'],
  ] as const) {
    it(`replies in version ${version}, ${streaming ? 'streamed' : 'in one answer'}`, async (t) => {
      const { replies, calls } = await talk(t, echo, { version, streaming, says: ['Hi', 'Bye'] });
      assert.deepEqual(replies, ['You said Hi', 'You said Bye']);
      assert.deepEqual(methods(calls), [method, method]);
    });
  }

  it('keeps its context, and gets the context of the case', async (t) => {
    const { calls } = await talk(t, echo, { says: ['Hi', 'Bye'] });
    const sent = calls.map(({ body }) => Object(body).params.message);
    assert.equal(sent[0].contextId, undefined);
    assert.match(sent[1].contextId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(sent[0].metadata, { conversation: 'conversation-1', tier: 'gold' });
  });

  it('streams artifacts in pieces', async (t) => {
    const { replies, heard } = await talk(t, (context, publish) => {
      const task = working(context, publish);
      task.say(TaskState.TASK_STATE_WORKING, 'Looking it up …');
      task.give('a', [text('Order 7 ')]);
      task.give('a', [text('was shipped.')], true);
      task.give('b', [text('Anything else?')]);
      task.say(TaskState.TASK_STATE_COMPLETED);
    });
    assert.deepEqual(replies, ['Order 7 was shipped.\n\nAnything else?']);
    assert.deepEqual(heard, ['Order 7 ', 'Order 7 was shipped.', replies[0]]);
  });

  it('takes linear work if it streams many artifacts or pieces', async () => {
    const stream = (idOf: (index: number) => string) => (size: number) => {
      const reply = new TaskReply(new Map());
      const texts: string[] = [];
      for (let index = 0; index < size; index += 1) {
        const call = { name: 'find', arguments: {} };
        const content = { $case: 'data', value: { tool_calls: [call] } } as const;
        const parts = [text('x'), { ...text(''), content }];
        const about = { name: '', description: '', metadata: undefined, extensions: [] };
        const artifact = { ...about, artifactId: idOf(index), parts };
        const value = {
          taskId: 't',
          contextId: 'c',
          artifact,
          append: true,
          lastChunk: false,
          metadata: undefined,
        };
        reply.add({ payload: { $case: 'artifactUpdate', value } });
        texts.push(reply.takeText() ?? '');
      }
      assert.equal(reply.text.replaceAll('\n', ''), 'x'.repeat(size));
      assert.equal(reply.report.calls.length, size);
      assert.ok(texts.filter((one) => one !== '').length > 30);
    };
    assert.ok(
      (await growth(
        stream((index) => `${index}`),
        5_000,
      )) < 10,
    );
    assert.ok(
      (await growth(
        stream((index) => `${index % 2}`),
        5_000,
      )) < 10,
    );
  });

  it('continues a task that needs input, and then starts another', async (t) => {
    const { replies, calls } = await talk(
      t,
      (context, publish) => {
        const isFirst = context.task === undefined;
        const task = working(context, publish);
        if (isFirst) task.say(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which order?');
        else task.say(TaskState.TASK_STATE_COMPLETED, `Order ${saidTo(context)} was shipped.`);
      },
      { says: ['Where is it?', '7', 'Thanks'] },
    );
    assert.deepEqual(replies, ['Which order?', 'Order 7 was shipped.', 'Which order?']);
    const tasks = calls.map(({ body }) => Object(body).params.message.taskId);
    assert.deepEqual([tasks[0], typeof tasks[1], tasks[2]], [undefined, 'string', undefined]);
  });

  it('may send all text while it works, and none at the end', async (t) => {
    const { replies } = await talk(t, (context, publish) => {
      const task = working(context, publish);
      task.say(TaskState.TASK_STATE_WORKING, 'It was shipped.');
      task.say(TaskState.TASK_STATE_COMPLETED);
    });
    assert.deepEqual(replies, ['It was shipped.']);
  });

  it('may send data, which is shown, and files, which are not', async (t) => {
    const data = { ...text(''), content: { $case: 'data' as const, value: { order: 7 } } };
    const file = {
      ...text(''),
      content: { $case: 'url' as const, value: 'https://x.example/a.pdf' },
      filename: 'a.pdf',
      mediaType: 'application/pdf',
    };
    const { replies } = await talk(t, (context, publish) =>
      publish(AgentEvent.message(message(context, [text('Here:'), data, file]))),
    );
    assert.deepEqual(replies, ['Here:\n\n{"order":7}\n\n[file "a.pdf": not shown]']);
  });

  it('may have its card below its address, or at the root of its host', async (t) => {
    for (const below of ['/agents/shop', '']) {
      const { url } = await startAgent(t, echo, { below });
      const reply = (session: Awaited<ReturnType<typeof open>>) =>
        session.reply([{ role: 'user', content: 'Hi' }], signal);
      assert.equal((await reply(await open(`${url}/agents/shop/`))).messages.length, 1);
      const card = `${url}${below}/.well-known/agent-card.json`;
      assert.equal((await reply(await open(card))).messages.length, 1);
    }
  });

  it('gets the headers of the target with every request', async (t) => {
    const params = { headers: { Authorization: 'Bearer token-0123456789' } };
    const { requests } = await talk(t, echo, { params });
    assert.equal(requests.length, 2);
    for (const { headers } of requests) {
      assert.equal(headers.authorization, 'Bearer token-0123456789');
    }
  });
});

describe('an agent whose card names another host', () => {
  it('gets no headers there', async (t) => {
    const elsewhere = await startService(t, (_request, response) => answerJson(response, {}));
    const params = { headers: { authorization: 'Bearer token-0123456789' } };
    await assert.rejects(talk(t, echo, { endpoint: elsewhere.url, params }), {
      reason: 'target-error',
      message: /another host, \S+, which does not get the target's `headers`/,
    });
    assert.equal(elsewhere.requests.length, 0);
  });

  it('counts as the same host if both are this machine', async (t) => {
    const { url } = await startAgent(t, echo);
    const session = await open(url.replace('127.0.0.1', 'localhost'), { headers: { a: 'b' } });
    assert.equal(
      (await session.reply([{ role: 'user', content: 'Hi' }], signal)).messages.length,
      1,
    );
  });
});

describe('an agent that fails', () => {
  for (const [state, words] of [
    [TaskState.TASK_STATE_FAILED, /task failed\. It said: Out of stock\./],
    [TaskState.TASK_STATE_REJECTED, /task was rejected/],
    [TaskState.TASK_STATE_CANCELED, /task was canceled/],
    [TaskState.TASK_STATE_AUTH_REQUIRED, /needs authorization/],
  ] as const) {
    for (const streaming of [true, false]) {
      it(`is an error (${words.source}${streaming ? ', streamed' : ''})`, (t) =>
        assert.rejects(
          talk(t, (context, publish) => working(context, publish).say(state, 'Out of stock.'), {
            streaming,
          }),
          { reason: 'target-error', message: words },
        ));
    }
  }

  it('is an error if it sends nothing', (t) =>
    assert.rejects(
      talk(t, (context, publish) => working(context, publish).say(TaskState.TASK_STATE_COMPLETED)),
      { reason: 'target-empty-reply' },
    ));

  it('ends at the time limit if it works forever', (t) =>
    assert.rejects(
      talk(
        t,
        async (context, publish) => {
          const task = working(context, publish);
          for (let tick = 0; tick < 100; tick += 1) {
            task.give('a', [text('more ')], true);
            await new Promise((done) => setTimeout(done, 10));
          }
        },
        { params: { timeout: 300 } },
      ),
      { reason: 'target-timeout' },
    ));

  for (const [what, answer, words] of [
    ['has no card', (path: string) => (path.includes('card') ? 404 : 200), /answered 404/],
    ['has a card in an unknown format', () => 200, /Communication with the agent .* failed/],
  ] as const) {
    it(`is an error if it ${what}`, async (t) => {
      const { url } = await startService(t, ({ path }, response) =>
        answerJson(response, { a: 1 }, answer(path)),
      );
      const session = await open(url);
      await assert.rejects(session.reply([{ role: 'user', content: 'Hi' }], signal), {
        reason: 'target-error',
        message: words,
      });
    });
  }
});
