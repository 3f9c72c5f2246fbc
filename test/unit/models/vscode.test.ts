import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  EditorModelError,
  type EditorModelReason,
  type EditorModels,
  type EditorReply,
  type EditorRequest,
} from '../../../src/core/editorModels.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Endpoints } from '../../../src/models/endpoint/endpoints.ts';
import type { ModelRequest } from '../../../src/models/model.ts';
import { createModel } from '../../../src/models/registry.ts';

const NO_LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const QUESTION: ModelRequest = {
  messages: [
    { role: 'system', content: 'Judge.' },
    { role: 'user', content: 'How is it?' },
  ],
  answer: { name: 'verdict', schema: { type: 'object' } },
  temperature: 0,
};

/** An editor with one model, under a different name in each test. */
function editorWith(
  name: string,
  send: (request: EditorRequest, signal: AbortSignal) => Promise<EditorReply>,
): EditorModels {
  const countTokens = async (text: string) => text.length;
  return {
    find: async (asked) => (asked === name ? { version: 'v', countTokens, send } : undefined),
  };
}

async function modelOf(
  name: string,
  editorModels: EditorModels | undefined,
  more = {},
  endpoints?: Endpoints,
) {
  const params = { provider: 'vscode', model: name, ...more };
  const spec = { id: `vscode:${name}`, provider: 'vscode', params, folder: '/' };
  const host = {
    secret: async () => undefined,
    env: () => undefined,
    scrubber: new Scrubber(),
    log: NO_LOG,
    editorModels,
    ...(endpoints && { endpoints }),
  };
  return createModel(spec, host);
}

const never = new AbortController().signal;

describe("one of the editor's models", () => {
  it('answers with a tool call, and counts tokens with the model', async () => {
    const asked: EditorRequest[] = [];
    const editor = editorWith('a/tools', async (request) => {
      asked.push(request);
      return { text: '', toolCalls: [{ id: '1', name: 'verdict', arguments: { score: 1 } }] };
    });
    const price = { input: 1_000_000, output: 0 };
    const model = await modelOf('a/tools', editor, { price });
    const [reply, again] = await model.complete(QUESTION, 2, never);
    assert.equal(reply.text, '{"score":1}');
    assert.equal(again?.text, reply.text);
    assert.deepEqual(reply.toolCalls, []);
    assert.equal(asked[0]?.mustCall, true);
    assert.deepEqual(asked[0]?.options, { temperature: 0 });
    assert.ok(reply.usage.input_tokens > 'Judge.\nHow is it?'.length);
    assert.ok(reply.usage.output_tokens > 0);
    assert.equal(reply.usage.cost, reply.usage.input_tokens);
  });

  it('gets a JSON schema if it refuses tools, and from then on immediately', async () => {
    const asked: EditorRequest[] = [];
    const editor = editorWith('a/plain', async (request) => {
      asked.push(request);
      if (request.tools.length > 0) throw new EditorModelError('other', 'No tools here.');
      return { text: '{"score":1}', toolCalls: [] };
    });
    const model = await modelOf('a/plain', editor);
    const [reply] = await model.complete(QUESTION, 1, never);
    assert.equal(reply.text, '{"score":1}');
    await model.complete(QUESTION, 1, never);
    assert.deepEqual(
      asked.map(({ mustCall }) => mustCall),
      [true, false, false],
    );
    assert.match(
      asked[1]?.messages.at(-1)?.content ?? '',
      /^How is it\?\s+Answer with one JSON object/,
    );
  });

  it('never exceeds the concurrency of a run, even under other names', async () => {
    let [now, most] = [0, 0];
    const editor = (name: string) =>
      editorWith(name, async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((done) => setTimeout(done, 10));
        now -= 1;
        return { text: 'Hello!', toolCalls: [] };
      });
    const endpoints = new Endpoints(NO_LOG, { concurrency: 2 });
    const model = (name: string) => modelOf(name, editor(name), {}, endpoints);
    const models = await Promise.all(['a/one', 'a/other'].map(model));
    const { messages } = QUESTION;
    const asked = Array.from({ length: 10 }, () => models).flat();
    await Promise.all(asked.map((one) => one.complete({ messages }, 1, never)));
    assert.equal(most, 2);
  });

  it('is not considered to lack tools if it fails both ways', async () => {
    let failing = true;
    const asked: boolean[] = [];
    const editor = editorWith('a/broken', async ({ mustCall }) => {
      asked.push(mustCall);
      if (failing) throw new EditorModelError('other', 'Down.');
      return { text: '{}', toolCalls: [] };
    });
    const model = await modelOf('a/broken', editor);
    await assert.rejects(model.complete(QUESTION, 1, never), { reason: 'server-error' });
    failing = false;
    await model.complete(QUESTION, 1, never);
    assert.deepEqual(asked, [true, false, true]);
  });

  it('can play the assistant, with tools', async () => {
    const call = { id: '1', name: 'find_order', arguments: { order: '98765' } };
    const editor = editorWith('a/chat', async ({ mustCall, tools }) => {
      assert.equal(mustCall, false);
      assert.deepEqual(tools, [{ name: 'find_order' }]);
      return { text: 'Let me look.', toolCalls: [call] };
    });
    const model = await modelOf('a/chat', editor);
    const { messages } = QUESTION;
    const [reply] = await model.complete({ messages, tools: [{ name: 'find_order' }] }, 1, never);
    assert.equal(reply.finish, 'tool-calls');
    assert.deepEqual(reply.toolCalls, [call]);
  });

  for (const [why, reason, words] of [
    ['no-consent', 'no-consent', /not allowed/],
    ['quota-exceeded', 'quota-exceeded', /quota.*used up \(Because\.\)/],
    ['blocked', 'blocked', /blocked.*\(Because\.\)/],
    ['not-found', 'not-found', /has no model/],
    ['other', 'server-error', /failed \(Because\.\)/],
  ] as const satisfies readonly (readonly [EditorModelReason, string, RegExp])[]) {
    it(`reports ${reason} if the editor reports ${why}`, async () => {
      const editor = editorWith(`a/${why}`, async () => {
        throw new EditorModelError(why, 'Because.');
      });
      const model = await modelOf(`a/${why}`, editor);
      await assert.rejects(model.complete(QUESTION, 1, never), { reason, message: words });
    });
  }

  it('is reported as missing if the editor has no such model', async () => {
    const editor = editorWith('a/b', async () => ({ text: '', toolCalls: [] }));
    await assert.rejects(modelOf('a/c', editor), { reason: 'not-found', message: /vscode:a\/c/ });
  });

  it('is not available on the command line', async () => {
    await assert.rejects(modelOf('a/b', undefined), {
      reason: 'no-editor',
      message: /command line can't use.*--judge/,
    });
  });

  it('has a time limit, and stops with the run', async () => {
    const editor = editorWith(
      'a/slow',
      (_request, signal) =>
        new Promise((_done, fail) => {
          signal.addEventListener('abort', () => fail(signal.reason), { once: true });
        }),
    );
    const model = await modelOf('a/slow', editor, { timeout: 5 });
    await assert.rejects(model.complete(QUESTION, 1, never), { reason: 'timeout' });
    const patient = await modelOf('a/slow', editor);
    const stop = new AbortController();
    const stopped = patient.complete(QUESTION, 1, stop.signal);
    stop.abort(new Error('enough'));
    await assert.rejects(stopped, { message: 'enough' });
  });
});
