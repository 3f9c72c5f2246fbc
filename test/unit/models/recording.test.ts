import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { exchangeKey, modelExchangeRequest } from '../../../src/models/exchange.ts';
import {
  type Model,
  ModelError,
  type ModelHost,
  type ModelReply,
  type ModelRequest,
  repeatInSequence,
} from '../../../src/models/model.ts';
import { openRecorder, recordingModel } from '../../../src/models/recording.ts';
import { createModel } from '../../../src/models/registry.ts';
import { openReplaySource, replayModel } from '../../../src/models/replaySource.ts';

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'turnlight-recording-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

const signal = new AbortController().signal;

/** Fails on any warning, since only targets cause them. */
function unheard(message: string): never {
  throw new Error(message);
}

function reply(text: string): ModelReply {
  return { text, toolCalls: [], finish: 'stop', usage: { ...NO_USAGE, calls: 1 } };
}

function said(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: 'user', content: text }], ...more };
}

/** A model with the given answers, in order. */
function scripted(id: string, answers: readonly (string | Error)[]): Model {
  const left = [...answers];
  return {
    id,
    complete: (_request, count) =>
      repeatInSequence(count, async () => {
        const next = left.shift() ?? 'nothing left';
        if (next instanceof Error) throw next;
        return reply(next);
      }),
  };
}

async function record(
  path: string,
  model: Model,
  requests: readonly ModelRequest[],
): Promise<void> {
  const recorder = await openRecorder(path, new Scrubber(), assert.fail);
  const recording = recordingModel(model, recorder);
  for (const request of requests) await recording.complete(request, 1, signal).catch(() => {});
  await recorder.close();
}

async function replay(
  path: string,
  id: string,
): Promise<(request: ModelRequest) => Promise<string>> {
  const model = replayModel(id, await openReplaySource(path, unheard));
  return async (request) => (await model.complete(request, 1, signal))[0].text;
}

test('answers recorded requests to the same model behind any provider', async (t) => {
  const path = join(await folder(t), 'deep/er/r.jsonl');
  await record(path, scripted('openai:judge', ['one', 'two']), [said('a'), said('b')]);
  const ask = await replay(path, 'other:judge');
  assert.equal(await ask(said('b')), 'two');
  assert.equal(await ask(said('a')), 'one');
});

test('answers a request recorded several times in order, then with the last answer', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', ['one', 'two']), [said('a'), said('a')]);
  const ask = await replay(path, 'openai:m');
  assert.deepEqual(
    [await ask(said('a')), await ask(said('a')), await ask(said('a'))],
    ['one', 'two', 'two'],
  );
});

test('throws recorded errors with their reason', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', [new ModelError('timeout', 'Too slow.')]), [said('a')]);
  const ask = await replay(path, 'openai:m');
  await assert.rejects(ask(said('a')), {
    name: 'ModelError',
    reason: 'timeout',
    message: 'Too slow.',
  });
});

test('does not record canceled requests', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', [new Error('cancelled')]), [said('a')]);
  assert.equal(await readFile(path, 'utf8'), '');
});

test('records the canonical request and its hash, without provider and endpoint', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  const request = said('a', { temperature: 0, maxTokens: 5, answer: { name: 'v', schema: {} } });
  await record(path, scripted('openai:m', ['x']), [request]);
  const line = JSON.parse(await readFile(path, 'utf8'));
  assert.deepEqual(line.request, {
    model: 'm',
    messages: [{ role: 'user', content: 'a' }],
    answer: { name: 'v', schema: {} },
    temperature: 0,
    max_tokens: 5,
  });
  assert.equal(line.key, exchangeKey(modelExchangeRequest('any:m', request)));
  assert.deepEqual(Object.keys(line).sort(), ['key', 'kind', 'reply', 'request']);
});

test('records all parallel requests on complete lines', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  const recorder = await openRecorder(path, new Scrubber(), assert.fail);
  const model = recordingModel(scripted('openai:m', []), recorder);
  const texts = Array.from({ length: 50 }, (_, index) => `${index}`.repeat(2000));
  await Promise.all(texts.map((text) => model.complete(said(text), 1, signal)));
  await recorder.close();
  const ask = await replay(path, 'openai:m');
  for (const text of texts) assert.equal(await ask(said(text)), 'nothing left');
});

test('replaces an existing recording', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', ['old']), [said('a')]);
  await record(path, scripted('openai:m', ['new']), [said('a')]);
  const ask = await replay(path, 'openai:m');
  assert.equal(await ask(said('a')), 'new');
});

test('explains only the first of very many missing requests', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  const texts = Array.from({ length: 2_000 }, (_, index) => `${index}`);
  await record(
    path,
    scripted('openai:m', texts),
    texts.map((text) => said(text)),
  );
  const ask = await replay(path, 'openai:m');
  const messageOf = async (text: string) => String(await ask(said(text)).catch((error) => error));
  assert.match(await messageOf('first'), /has no answer .* The closest one/);
  for (let count = 0; count < 150; count += 1) await messageOf('other');
  assert.match(await messageOf('last'), /has no answer to this request .*"\. Use another model/);
});

const LONG = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);

for (const [name, recorded, asked, words] of [
  [
    'the message and its first differing line',
    said(LONG.join('\n')),
    said(LONG.with(4, 'another').join('\n')),
    /\(line 1\) differs in messages: message 1 \(user\), line 5: requested "another", recorded "line 5"\. Use another model, or record again with `turnlight run --record FILE`\.$/,
  ],
  [
    'a temperature',
    said('a', { temperature: 0 }),
    said('a', { temperature: 1 }),
    /in temperature: requested 1, recorded 0/,
  ],
  [
    'a field that was not recorded',
    said('a'),
    said('a', { maxTokens: 7 }),
    /in max_tokens: requested 7, recorded nothing/,
  ],
  [
    'the schema of the answer',
    said('a', { answer: { name: 'v', schema: { a: 1 } } }),
    said('a', { answer: { name: 'v', schema: { a: 2 } } }),
    /in answer: requested .*"a":2.*, recorded .*"a":1/,
  ],
  [
    'the number of messages',
    said('a'),
    { messages: [...said('a').messages, ...said('b').messages] },
    /in messages: 2 requested, 1 recorded/,
  ],
] as const) {
  test(`a request that is not recorded is an error that names ${name}`, async (t) => {
    const path = join(await folder(t), 'r.jsonl');
    await record(path, scripted('openai:m', ['x']), [recorded]);
    const ask = await replay(path, 'openai:m');
    await assert.rejects(ask(asked), (error) => {
      assert.ok(error instanceof ModelError);
      assert.equal(error.reason, 'not-recorded');
      assert.match(error.message, words);
      assert.ok(error.message.includes(path));
      return true;
    });
  });
}

test('compares with the most similar recorded request', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', []), [
    said('Where is it?'),
    said('I want a refund.'),
    said('Bye'),
  ]);
  const ask = await replay(path, 'openai:m');
  await assert.rejects(
    ask(said('I want a return.')),
    /line 2.*requested "I want a return\.", recorded "I want a refund\."/,
  );
});

test('names the recorded models if a model was not recorded', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  await record(path, scripted('openai:m', ['x']), [said('a')]);
  const ask = await replay(path, 'openai:other');
  await assert.rejects(ask(said('a')), /"other".*answers from the model "m"/);
});

for (const [name, line, words] of [
  ['not JSON', '{"kind": "mo', /not JSON/],
  ['an unknown kind', '{"kind": "x"}', /kind/],
  [
    'an unknown key',
    `{"kind": "model", "key": "${'0'.repeat(64)}", "request": {"model": "m", "messages": []}, "reply": null, "hint": 1}`,
    /reply|hint/,
  ],
  [
    'a key that is not its own',
    `{"kind": "model", "key": "${'0'.repeat(64)}", "request": {"model": "m", "messages": []}, "error": {"reason": "timeout", "message": "x"}}`,
    /key/,
  ],
] as const) {
  test(`a broken line is an error with file and line: ${name}`, async (t) => {
    const path = join(await folder(t), 'r.jsonl');
    await writeFile(path, `\n${line}\n`);
    await assert.rejects(openReplaySource(path, unheard), (error: Error) => {
      assert.equal(error.name, 'RecordingError');
      assert.ok(error.message.startsWith(`${path}:2: `), error.message);
      assert.match(error.message, words);
      return true;
    });
  });
}

test("names a recording that is missing or can't be written", async (t) => {
  const path = await folder(t);
  await assert.rejects(
    openReplaySource(join(path, 'none.jsonl'), unheard),
    /none\.jsonl cannot be read: there is no such file\.$/,
  );
  await assert.rejects(openRecorder(path, new Scrubber(), assert.fail), /cannot be written/);
});

const host = (): ModelHost => ({
  secret: async () => undefined,
  scrubber: new Scrubber(),
  env: () => undefined,
  log: SILENT,
});

test('the replay provider does not read devices', {
  skip: process.platform === 'win32',
}, async (t) => {
  const path = await folder(t);
  await symlink('/dev/zero', join(path, 'r.jsonl'));
  const params = { provider: 'replay', model: 'm', path: 'r.jsonl' };
  const spec = { id: 'replay:m', provider: 'replay', folder: path, params };
  await assert.rejects(createModel(spec, host()), /\/dev\/zero is not a regular file/);
});

test('answers whatever the recorded answer format, and returns it', async (t) => {
  const path = join(await folder(t), 'r.jsonl');
  const told: ModelReply = { ...reply('{}'), answerFormat: 'json_object' };
  const answer = { name: 'verdict', schema: { type: 'object' } };
  await record(path, { id: 'openai:m', complete: async () => [told] }, [said('a', { answer })]);
  const model = replayModel('openai:m', await openReplaySource(path, unheard));
  const [replayed] = await model.complete(said('a', { answer, shared: true }), 1, signal);
  assert.deepEqual(replayed, told);
});

test('the replay provider resolves its path from the folder of its file, and reads it once per run', async (t) => {
  const path = await folder(t);
  await record(join(path, 'r.jsonl'), scripted('openai:m', ['one', 'two']), [said('a'), said('a')]);
  const spec = {
    id: 'replay:m',
    provider: 'replay',
    params: { provider: 'replay', model: 'm', path: './r.jsonl' },
    folder: path,
  };
  const run = host();
  const texts = [];
  for (const one of [run, run, host()]) {
    const model = await createModel(spec, one);
    texts.push((await model.complete(said('a'), 1, signal))[0].text);
  }
  assert.deepEqual(texts, ['one', 'two', 'one']);
});
