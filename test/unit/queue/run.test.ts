import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import type { RunEvent } from '../../../src/runner/events.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { itLong } from '../../support/long.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { runQueued, startWorker } from '../../support/queues.ts';
import { startRedis, type TestRedis, WITHOUT_REDIS } from '../../support/redis.ts';
import { botSuite, ECHO, type Ran, runFiles } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const SLOW = `export default async (messages) => {
  await new Promise((done) => setTimeout(done, 300));
  return messages.at(-1).content;
};
`;

function casesOf(count: number, more = ''): string {
  const one = (index: number) =>
    `  - {id: c${index}, turns: [Hi, Bye], assert: [{type: contains, value: ${index % 3 ? 'Hi' : 'no'}}]${more}}\n`;
  return Array.from({ length: count }, (_, index) => one(index)).join('');
}

/** The parts of the results that don't depend on when and where a case ran. */
function comparable(lines: readonly CaseLine[], workspace: string): unknown {
  const drop = new Set(['duration', 'finished', 'latency', 'usage', 'conversation_id', 'startup']);
  const texts = [...lines]
    .sort((a, b) => `${a.id}${a.repetition}`.localeCompare(`${b.id}${b.repetition}`))
    .map((line) => JSON.stringify(line, (key, value) => (drop.has(key) ? undefined : value)));
  return texts.map((text) => JSON.parse(text.replaceAll(workspace, '')));
}

async function recordOf({ record = '', workspace }: Ran) {
  const { cases, end, problems } = await readRecord(record);
  assert.deepEqual(problems, []);
  return { cases: comparable(cases, workspace), counts: end?.counts };
}

describe('a run on a queue', { skip: WITHOUT_REDIS, timeout: 120_000 }, () => {
  let redis: TestRedis;
  before(async () => {
    redis = await startRedis();
  });
  after(() => redis.stop());

  it('has the same record as a local run, and leaves nothing in Redis', async (t) => {
    const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hi' };
    const verdict = json({ turns: [entry], rationale: 'Warm.', score: 9 });
    const server = await startModelServer(() => verdict);
    t.after(() => server.close());
    const judge = `judge: {provider: openai, model: j, base_url: "${server.baseUrl}"}\n`;
    const cases = `${casesOf(6)}  - {id: judged, turns: [Hi], assert: [{type: g-eval, criteria: It is warm., steps: [Look at the tone.]}]}\n  - {id: again, repeat: 3, turns: [Hi], assert: [{type: contains, value: Hi}]}\n`;
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(cases, judge) };
    const here = await runFiles(t, files);
    const workers = await Promise.all([1, 2].map(() => startWorker(t, redis.url, files)));
    const events: RunEvent[] = [];
    const queued = await runQueued(t, redis.url, files, { onEvent: (event) => events.push(event) });
    assert.deepEqual(await recordOf(queued), await recordOf(here));
    assert.equal(queued.lines.length, 10);
    assert.equal(queued.lines.find(({ id }) => id === 'judged')?.status, 'pass');
    assert.equal(workers.flatMap(({ lines }) => lines).length, 10);

    const kinds = (id: string) =>
      events.flatMap((event) => ('ref' in event && event.ref.id === id ? [event.kind] : []));
    assert.deepEqual(kinds('c0'), [
      'case-started',
      ...Array(4).fill('turn'),
      'verdict',
      'case-finished',
    ]);
    const client = new Redis(redis.url);
    t.after(() => client.disconnect());
    await until(
      'an empty Redis',
      () => client.keys('*'),
      (keys) => keys.every((key) => /stalled-check|workers/.test(key)),
    );
  });

  it('uses only workers with the same files', async (t) => {
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(casesOf(4)) };
    const changed = { ...files, 'bot.mjs': `${ECHO}// Another agent.\n` };
    const other = await startWorker(t, redis.url, changed);
    const same = await startWorker(t, redis.url, files);
    const { end } = await runQueued(t, redis.url, files);
    assert.deepEqual([end.counts.pass, end.counts.fail], [2, 2]);
    assert.deepEqual([other.lines.length, same.lines.length], [0, 4]);
    assert.match(
      other.told.join('\n'),
      /Did not join run .*\. bot\.mjs differs from the run's copy\./,
    );
  });

  it('ends with the reason if every worker has other files', async (t) => {
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(casesOf(1)) };
    await startWorker(t, redis.url, { ...files, 'bot.mjs': `${ECHO}// Another agent.\n` });
    await assert.rejects(runQueued(t, redis.url, files), {
      reason: 'no-worker',
      message: /bot\.mjs differs/,
    });
  });

  itLong(
    'goes on without a worker that stops, once that has ended what it had begun',
    async (t) => {
      const files = { 'bot.mjs': SLOW, 'suite.eval.yaml': botSuite(casesOf(8)) };
      const [leaving, staying] = await Promise.all(
        [1, 2].map(() => startWorker(t, redis.url, files)),
      );
      const running = runQueued(t, redis.url, files);
      await until(
        'a first case',
        async () => leaving?.lines.length ?? 0,
        (count) => count > 0,
      );
      leaving?.stop();
      await leaving?.ended;
      const ended = leaving?.lines.length ?? 0;
      const { lines, end } = await running;
      assert.equal(new Set(lines.map(({ id }) => id)).size, 8);
      assert.equal(end.counts.error, 0);
      assert.equal(ended + (staying?.lines.length ?? 0), 8);
    },
  );

  itLong('never spends more than its limit, however many workers ask at once', async (t) => {
    const usage = { input: 10, output: 10 };
    const server = await startModelServer(() => ({ text: 'Hello!', usage }));
    t.after(() => server.close());
    const price = 'price: {input: 1000, output: 1000}, max_tokens: 100';
    const cases = Array.from(
      { length: 12 },
      (_, index) => `  - {id: c${index}, turns: [x], assert: [{type: contains, value: Hello}]}\n`,
    );
    const text = `models:\n  m: {provider: openai, model: m, ${price}, base_url: "${server.baseUrl}"}\ntargets:\n  bot: {type: chat, model: m}\ntarget: bot\ncases:\n${cases.join('')}`;
    const files = { 'suite.eval.yaml': text };
    await Promise.all([1, 2].map(() => startWorker(t, redis.url, files, 4)));
    // One reply costs 0.02, but is estimated in advance at up to about 0.1. The first four fit, and later possibly a
    // few more.
    const { end, lines } = await runQueued(t, redis.url, files, { maxCost: 0.2 });
    const spent = lines.reduce((sum, { usage: { cost } }) => sum + (cost ?? 0), 0);
    assert.ok(spent <= 0.2, String(spent));
    assert.ok(server.requests.length * 0.02 <= 0.2 && server.requests.length >= 2);
    assert.equal(end.stopped, 'max-cost');
  });

  it('runs on a worker that skips another run, which it cannot read', async (t) => {
    const client = new Redis(redis.url);
    t.after(() => client.disconnect());
    const [runs, run] = ['{turnlight}:runs', '0123456789abcdef'];
    await client.zadd(runs, 1, run);
    await client.rpush(`{turnlight}:${run}:manifest`, 'x');
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(casesOf(2)) };
    const worker = await startWorker(t, redis.url, files);
    const { lines } = await runQueued(t, redis.url, files);
    assert.equal(lines.length, 2);
    await client.del(`{turnlight}:${run}:manifest`);
    await until(
      'the end of the other run',
      () => client.zcard(runs),
      (count) => count === 0,
    );
    const skipped = worker.told.filter((text) => text.startsWith('Skipped'));
    assert.equal(skipped.length, 1);
    assert.match(
      skipped[0] ?? '',
      /run 0123456789abcdef\. The queue at redis:.* failed: WRONGTYPE/,
    );
  });

  it('ends with the error if Redis is full', async (t) => {
    const full = await startRedis('--maxmemory', '1');
    t.after(() => full.stop());
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(casesOf(1)) };
    await assert.rejects(runQueued(t, full.url, files), {
      reason: 'failed',
      message: /^The queue at redis:.* failed: OOM .*\. Give Redis more memory/,
    });
  });

  for (const [what, change] of [
    ['a key has another type', (client, key) => client.set(key('workers'), 'x')],
    [
      'a job is malformed',
      async (client, key) => {
        await client.zadd(key('completed'), 1, 'bad');
        await client.hset(key('bad'), { name: 'case', data: '{', opts: '{', timestamp: '1' });
      },
    ],
  ] as readonly [string, (client: Redis, key: (name: string) => string) => Promise<unknown>][]) {
    it(`ends with the error if ${what} during it`, async (t) => {
      const client = new Redis(redis.url);
      t.after(() => client.disconnect());
      const files = {
        'bot.mjs': SLOW.replace('300', '60_000'),
        'suite.eval.yaml': botSuite(casesOf(2)),
      };
      await startWorker(t, redis.url, files);
      const onEvent = async ({ kind }: RunEvent) => {
        if (kind !== 'case-started') return;
        const [run] = await client.zrange('{turnlight}:runs', '0', '-1');
        await change(client, (name) => `{turnlight}:${run}:${name}`);
      };
      await assert.rejects(runQueued(t, redis.url, files, { onEvent }), {
        reason: 'failed',
        message: /^The queue at redis:.* failed: .*\. If another program changed the keys/,
      });
    });
  }

  it('cancels the cases of its workers when it is canceled', async (t) => {
    const files = {
      'bot.mjs': SLOW.replace('300', '60_000'),
      'suite.eval.yaml': botSuite(casesOf(4)),
    };
    const worker = await startWorker(t, redis.url, files);
    const cancelling = new AbortController();
    const running = runQueued(t, redis.url, files, {
      signal: cancelling.signal,
      onEvent: ({ kind }) => kind === 'case-started' && cancelling.abort(new Error('Cancelled.')),
    });
    const { end } = await running;
    assert.equal(end.cancelled, true);
    await until(
      'the end at the worker',
      async () => worker.told,
      (told) => told.at(-1)?.endsWith('ended.') === true,
    );
    assert.deepEqual(worker.lines, []);
  });
});
