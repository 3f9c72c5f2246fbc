import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Message } from '../../../src/core/message.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { openRecorder } from '../../../src/models/recording.ts';
import { openReplaySource, parseRecording } from '../../../src/models/replaySource.ts';
import { TargetError, type TargetSession } from '../../../src/targets/target.ts';
import {
  recordingSession,
  replaySession,
  type SessionIdentity,
} from '../../../src/targets/wrappedSessions.ts';

const signal = new AbortController().signal;
const IDENTITY: SessionIdentity = {
  target: 'agent',
  case: 'c',
  context: { a: 1 },
  repetition: 1,
  digest: 'as it was',
  keysDecide: false,
};

function user(content: string): Message[] {
  return [{ role: 'user', content }];
}

const echo: TargetSession = {
  async reply(messages) {
    const last = messages.at(-1);
    if (last?.content === 'crash') throw new TargetError('target-crashed', 'It crashed.');
    return { messages: [{ role: 'assistant', content: `You said ${last?.content}` }] };
  },
  async close() {},
};

/** A replay source, and its warnings. */
async function playerOf(path: string) {
  const warned: string[] = [];
  const player = await openReplaySource(path, (message) => warned.push(message));
  return { player, warned };
}

async function recorded(t: TestContext, texts: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-recording-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'r.jsonl');
  const recorder = await openRecorder(path, new Scrubber(), assert.fail);
  const session = recordingSession(echo, IDENTITY, recorder);
  for (const text of texts) await session.reply(user(text), signal).catch(() => {});
  await recorder.close();
  return path;
}

test('replays a recorded conversation without its target', async (t) => {
  const path = await recorded(t, ['Hi', 'crash']);
  const { player, warned } = await playerOf(path);
  const session = replaySession(IDENTITY, player);
  assert.deepEqual(await session.reply(user('Hi'), signal), {
    messages: [{ role: 'assistant', content: 'You said Hi' }],
  });
  await assert.rejects(session.reply(user('crash'), signal), {
    name: 'TargetError',
    reason: 'target-crashed',
  });
  assert.deepEqual(warned, []);
});

test('replays a changed target, with one warning', async (t) => {
  const { player, warned } = await playerOf(await recorded(t, ['Hi', 'Bye']));
  const session = replaySession({ ...IDENTITY, digest: 'changed' }, player);
  for (const text of ['Hi', 'Bye']) {
    const { messages } = await session.reply(user(text), signal);
    assert.equal(messages[0]?.content, `You said ${text}`);
  }
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? '', /The target "agent" has changed since .*--record/);
});

test('does not replay a target if keys that decide its replies have changed', async (t) => {
  const { player, warned } = await playerOf(await recorded(t, ['Hi']));
  const session = replaySession({ ...IDENTITY, digest: 'changed', keysDecide: true }, player);
  await assert.rejects(session.reply(user('Hi'), signal), {
    reason: 'not-recorded',
    message: /the target itself: its model, system text, tools or results/,
  });
  await assert.rejects(session.reply(user('Ho'), signal), /messages.*requested "Ho"/);
  assert.deepEqual(warned, []);
});

for (const keysDecide of [false, true]) {
  test(`lines of a recording without digests match with a warning (${keysDecide})`, async (t) => {
    const path = await recorded(t, []);
    const v1 = new URL('../../fixtures/v1/recording.jsonl', import.meta.url);
    await copyFile(v1, path);
    const lines = parseRecording(await readFile(path, 'utf8'), path);
    const { player, warned } = await playerOf(path);
    const identity = { target: 'support-agent', case: 'incomplete', context: {}, repetition: 1 };
    const session = replaySession({ ...identity, digest: 'as it is', keysDecide }, player);
    let asked = 0;
    for (const { exchange } of lines) {
      if (exchange.kind !== 'target') continue;
      asked += 1;
      assert.deepEqual(await session.reply(exchange.request.messages, signal), exchange.reply);
    }
    assert.equal(asked, 3);
    assert.equal(warned.length, 1);
    assert.match(warned[0] ?? '', /may have changed since .* older version/);
  });
}

test('lines of models in such a recording still match', async () => {
  const path = fileURLToPath(new URL('../../fixtures/v1/recording.jsonl', import.meta.url));
  const { player, warned } = await playerOf(path);
  const found = parseRecording(await readFile(path, 'utf8'), path).filter(
    ({ exchange }) => exchange.kind === 'model',
  );
  assert.equal(found.length, 1);
  for (const { exchange } of found) {
    if (exchange.kind !== 'model') continue;
    assert.deepEqual(player.model(exchange.request), { reply: exchange.reply });
  }
  assert.deepEqual(warned, []);
});

test('replays another case with the same messages, with a warning', async (t) => {
  const { player, warned } = await playerOf(await recorded(t, ['Hi']));
  const session = replaySession({ ...IDENTITY, case: 'd' }, player);
  assert.equal((await session.reply(user('Hi'), signal)).messages[0]?.content, 'You said Hi');
  assert.match(warned.join(), /not recorded for the case "d"/);
});

test('names the difference if another repetition, context, or target is not recorded', async (t) => {
  const { player } = await playerOf(await recorded(t, ['Hi']));
  for (const [changed, words] of [
    [{ case: 'd', context: { a: 2 } }, /in case: requested "d", recorded "c"/],
    [{ repetition: 2 }, /in repetition: requested 2, recorded 1/],
    [{ context: { a: 2 } }, /in context/],
    [{ target: 'other' }, /"other".*answers from the target "agent"/],
  ] as const) {
    const session = replaySession({ ...IDENTITY, ...changed }, player);
    await assert.rejects(session.reply(user('Hi'), signal), words);
  }
});
