import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Message } from '../../../src/core/message.ts';
import { openPlayer, openRecorder } from '../../../src/models/recording.ts';
import {
  recordingSession,
  replayingSession,
  type SessionIdentity,
} from '../../../src/targets/recording.ts';
import { TargetError, type TargetSession } from '../../../src/targets/target.ts';

const signal = new AbortController().signal;
const IDENTITY: SessionIdentity = {
  target: 'agent',
  caseId: 'c',
  context: { a: 1 },
  repetition: 1,
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

async function recorded(t: TestContext, texts: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-recording-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'r.jsonl');
  const recorder = await openRecorder(path);
  const session = recordingSession(echo, IDENTITY, recorder);
  for (const text of texts) await session.reply(user(text), signal).catch(() => {});
  await recorder.close();
  return path;
}

test('a recorded conversation is replayed without its target', async (t) => {
  const path = await recorded(t, ['Hi', 'crash']);
  const session = replayingSession(IDENTITY, await openPlayer(path));
  assert.deepEqual(await session.reply(user('Hi'), signal), {
    messages: [{ role: 'assistant', content: 'You said Hi' }],
  });
  await assert.rejects(session.reply(user('crash'), signal), {
    name: 'TargetError',
    reason: 'target-crashed',
  });
});

test('another case, repetition or text is not recorded, and the error names the difference', async (t) => {
  const player = await openPlayer(await recorded(t, ['Hi']));
  for (const [changed, words] of [
    [{ caseId: 'd' }, /in case: asked "d", recorded "c"/],
    [{ repetition: 2 }, /in repetition: asked 2, recorded 1/],
    [{ context: { a: 2 } }, /in context/],
    [{ target: 'other' }, /"other".*holds the target "agent"/],
  ] as const) {
    const session = replayingSession({ ...IDENTITY, ...changed }, player);
    await assert.rejects(session.reply(user('Hi'), signal), words);
  }
});
