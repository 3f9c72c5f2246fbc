import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Redis } from 'ioredis';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { Endpoints } from '../../../src/models/endpoint/endpoints.ts';
import type { SpentQuota } from '../../../src/models/endpoint/rateLimiter.ts';
import type { Model } from '../../../src/models/model.ts';
import { createModel } from '../../../src/models/registry.ts';
import { keysOf } from '../../../src/queue/redis.ts';
import { QueueLimits } from '../../../src/queue/sharedLimits.ts';
import { entry } from '../../support/judging.ts';
import { itLong } from '../../support/long.ts';
import { Limiter } from '../../support/modelServer/limiter.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { runQueued, startWorker } from '../../support/queues.ts';
import { startRedis, type TestRedis, WITHOUT_REDIS } from '../../support/redis.ts';
import { botSuite, ECHO } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const SECRET = 'sk-planted-0123456789';

/** An endpoint's rate-limit headers for requests or tokens. @param reset time until the reset, in milliseconds */
function says(what: string, limit: number, remaining: number, reset: number): Headers {
  return new Headers({
    [`x-ratelimit-limit-${what}`]: String(limit),
    [`x-ratelimit-remaining-${what}`]: String(remaining),
    [`x-ratelimit-reset-${what}`]: `${reset}ms`,
  });
}

function isTaken(taken: SpentQuota | number): boolean {
  return typeof taken !== 'number';
}

async function taken(limits: QueueLimits, tokens: number): Promise<SpentQuota> {
  const took = await limits.take(tokens);
  assert.ok(typeof took !== 'number');
  return took;
}

describe('the limits of an endpoint on a queue', { skip: WITHOUT_REDIS, timeout: 120_000 }, () => {
  let server: TestRedis;
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());

  /** Two workers of a run, each with its own connection. */
  function two(t: TestContext) {
    const run = randomBytes(8).toString('hex');
    const [one, other] = [new Redis(server.url), new Redis(server.url)];
    t.after(() => {
      one.disconnect();
      other.disconnect();
    });
    return { run, connections: [one, other] as const };
  }

  async function modelOf(connection: Redis, run: string, baseUrl: string): Promise<Model> {
    const params = { provider: 'openai', model: 'm', base_url: baseUrl };
    return createModel(
      { id: 'openai:m', provider: 'openai', params, folder: '/' },
      {
        secret: async () => SECRET,
        env: () => undefined,
        scrubber: new Scrubber(),
        log: SILENT,
        endpoints: new Endpoints(SILENT, {
          sharedLimits: (line) => new QueueLimits(connection, run, line),
        }),
      },
    );
  }

  it('apply to a worker that has just joined, and no key is in Redis', async (t) => {
    const limiter = new Limiter({ requests: 5, window: 500, tells: true });
    const endpoint = await startModelServer(() => limiter.answer('ok'));
    t.after(() => endpoint.close());
    const { run, connections } = two(t);
    const models = await Promise.all(
      connections.map((connection) => modelOf(connection, run, endpoint.baseUrl)),
    );
    const ask = (model: Model | undefined) =>
      model?.complete(
        { messages: [{ role: 'user', content: 'Hello' }] },
        1,
        new AbortController().signal,
      );
    await ask(models[0]);
    const asked = Array.from({ length: 18 }, (_, index) => ask(models[index % 2]));
    assert.equal((await Promise.all(asked)).length, 18);
    // As with a single process, some requests arrive in the next window on a busy machine.
    assert.ok(limiter.refused < 5, `${limiter.refused} refused`);

    const [redis] = connections;
    const kept = JSON.stringify(await redis.hgetall(keysOf(run).limits));
    assert.match(kept, /[0-9a-f]{64}/);
    assert.ok(!kept.includes(SECRET) && !kept.includes('127.0.0.1'), kept);
    assert.ok((await redis.ttl(keysOf(run).limits)) > 0);
  });

  for (const what of ['requests', 'tokens']) {
    it(`let no more ${what} through than are left, however many workers ask at once`, async (t) => {
      const { run, connections } = two(t);
      const [one, other] = connections.map((redis) => new QueueLimits(redis, run, 'a line'));
      assert.ok(one && other);
      const each = what === 'tokens' ? 100 : 1;
      await one.learnFrom(await taken(one, each), 200, says(what, 60 * each, 7 * each, 60_000));
      const asked = Array.from({ length: 20 }, (_, index) => (index % 2 ? one : other).take(each));
      const answers = await Promise.all(asked);
      assert.equal(answers.filter(isTaken).length, 7);
      assert.equal(isTaken(await new QueueLimits(connections[0], run, 'another').take(1)), true);
    });
  }

  it('share a wait requested from one worker with the others', async (t) => {
    const { run, connections } = two(t);
    const [one, other] = connections.map((redis) => new QueueLimits(redis, run, 'a line'));
    assert.ok(one && other);
    await one.learnFrom(await taken(one, 1), 429, new Headers({ 'retry-after': '30' }));
    const wait = await other.take(1);
    assert.ok(typeof wait === 'number' && wait > 20_000 && wait <= 30_000, String(wait));
  });

  itLong('come back from a worker that was killed', async (t) => {
    const { run, connections } = two(t);
    const [killed, other] = connections.map((redis) => new QueueLimits(redis, run, 'a line'));
    assert.ok(killed && other);
    await killed.learnFrom(await taken(killed, 1), 200, says('requests', 2, 1, 2_000));
    await taken(killed, 1);
    connections[0].disconnect();
    const wait = await other.take(1);
    assert.ok(typeof wait === 'number' && wait <= 2_000, String(wait));
    await until('a request that may go', () => other.take(1), isTaken);
  });

  it('restart if Redis contains something else', async (t) => {
    const { run, connections } = two(t);
    const [redis] = connections;
    const limits = new QueueLimits(redis, run, 'a line');
    await taken(limits, 1);
    const [line = ''] = await redis.hkeys(keysOf(run).limits);
    await redis.hset(keysOf(run).limits, line, '{"order":-1}');
    await taken(limits, 1);
  });

  itLong('hold for the workers of a run', async (t) => {
    const limiter = new Limiter({ requests: 1, window: 500, tells: true });
    const verdict = JSON.stringify({
      rationale: 'Fine.',
      criteria: [{ criterion: 1, outcome: 'met', turns: [entry(2)], rationale: 'Fine.' }],
    });
    const endpoint = await startModelServer(() => limiter.answer(verdict));
    t.after(() => endpoint.close());
    const judge = `judge: {provider: openai, model: j, base_url: "${endpoint.baseUrl}"}\n`;
    const cases = Array.from(
      { length: 10 },
      (_, index) =>
        `  - {id: c${index}, turns: [Hi], assert: [{type: criterion, criterion: It greets.}]}\n`,
    ).join('');
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(cases, judge) };
    await Promise.all([1, 2].map(() => startWorker(t, server.url, files)));
    const { end, lines } = await runQueued(t, server.url, files);
    assert.equal(end.counts.pass, 10, JSON.stringify(lines[0]));
    // Only at the start, when the limits are unknown: each worker judges two cases concurrently.
    assert.ok(limiter.refused <= 4, `${limiter.refused} refused`);
  });
});
