import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../../src/core/scrubber.ts';
import { Endpoints } from '../../../../src/models/endpoint/endpoints.ts';
import { CircuitBreaker } from '../../../../src/models/endpoint/requestQueue.ts';
import type { Model } from '../../../../src/models/model.ts';
import { createModel } from '../../../../src/models/registry.ts';
import * as faults from '../../../support/modelServer/faults.ts';
import { Counter, Limiter } from '../../../support/modelServer/limiter.ts';
import { type Script, startModelServer } from '../../../support/modelServer/server.ts';
import { until } from '../../../support/until.ts';

const WAITS = /is rate-limiting requests\. Turnlight queues them/;

async function endpoint(t: TestContext, script: Script, concurrency?: number) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const logged: string[] = [];
  const tell = (text: string) => void logged.push(text);
  const log = { debug: tell, info: tell, warn: tell, error: tell };
  const endpoints = new Endpoints(log, { ...(concurrency !== undefined && { concurrency }) });
  const model = (params: object = {}, secret = 'sk-test') =>
    createModel(
      {
        id: 'openai:m',
        provider: 'openai',
        params: { provider: 'openai', model: 'm', base_url: server.baseUrl, ...params },
        folder: '/',
      },
      {
        secret: async () => secret,
        env: () => undefined,
        scrubber: new Scrubber(),
        log,
        endpoints,
      },
    );
  return { server, logged, model };
}

function ask(model: Model, signal = new AbortController().signal): Promise<string> {
  const request = { messages: [{ role: 'user' as const, content: 'Hello' }] };
  return model.complete(request, 1, signal).then(([{ text }]) => text);
}

function askAll(count: number, models: readonly Model[]): Promise<string[]> {
  const asked = Array.from({ length: count }, (_, index) => models[index % models.length]);
  return Promise.all(asked.flatMap((model) => (model ? [ask(model)] : [])));
}

describe('requests to an endpoint with limits', () => {
  it('stay within the limits in its headers', async (t) => {
    const limiter = new Limiter({ requests: 5, window: 300, tells: true });
    const { model } = await endpoint(t, () => limiter.answer('ok'));
    const first = await model();
    await ask(first);
    const answers = await askAll(18, [first]);
    assert.equal(answers.length, 18);
    // On a busy machine, some requests arrive in the next window; without limits, 14 would be refused.
    assert.ok(limiter.refused < 10, `${limiter.refused} refused`);
  });

  it('share one queue per model', async (t) => {
    const limiter = new Limiter({ requests: 5, window: 300, tells: true });
    const { model } = await endpoint(t, () => limiter.answer('ok'));
    const [agent, judge] = [await model({ temperature: 1 }), await model({ temperature: 0 })];
    await ask(agent);
    await askAll(12, [agent, judge]);
    assert.ok(limiter.refused < 5, `${limiter.refused} refused`);
  });

  it('do not wait for another model or account', async (t) => {
    const { model } = await endpoint(t, ({ model: name }, index) =>
      name === 'm' && index === 0 ? faults.rateLimited(3_600) : 'ok',
    );
    const busy = await model();
    await assert.rejects(ask(busy), /asked clients to wait/);
    assert.equal(await ask(await model({ model: 'other' })), 'ok');
    assert.equal(await ask(await model({}, 'sk-other')), 'ok');
    await assert.rejects(ask(busy), /asked clients to wait/);
  });

  it('are all answered even if it refuses some without Retry-After', async (t) => {
    const counter = new Counter(3);
    const { model } = await endpoint(t, () => counter.answer('ok', 10));
    const answers = await askAll(30, [await model()]);
    assert.equal(answers.length, 30);
    assert.equal(counter.peak, 3);
  });

  it('are all sent at once if there is no limit', async (t) => {
    const counter = new Counter(64);
    const { model } = await endpoint(t, () => counter.answer('ok', 200));
    await askAll(64, [await model()]);
    assert.deepEqual([counter.peak, counter.refused], [64, 0]);
  });

  it('never exceed the concurrency, counting all models together', async (t) => {
    const counter = new Counter(3);
    const { model, logged } = await endpoint(t, () => counter.answer('ok', 20), 3);
    const models = [await model(), await model({ model: 'other' }), await model({}, 'sk-other')];
    await askAll(30, models);
    assert.deepEqual([counter.peak, counter.refused], [3, 0]);
    assert.deepEqual(logged, []);
  });

  it('take turns between models while they wait for each other', async (t) => {
    const counter = new Counter(1);
    const { server, model } = await endpoint(t, () => counter.answer('ok', 20), 1);
    const many = askAll(12, [await model()]);
    await Promise.all([many, ask(await model({ model: 'other' }))]);
    const place = server.requests.findIndex(({ body }) => body.model === 'other');
    assert.ok(place > 0 && place < 4, `${place}`);
  });

  it("don't count waits for each other toward the time limit", async (t) => {
    const counter = new Counter(1);
    const { model, logged } = await endpoint(t, () => counter.answer('ok', 400), 1);
    const answers = await askAll(5, [await model({ timeout: 1_500 })]);
    assert.equal(answers.length, 5);
    assert.deepEqual(logged, []);
  });

  it("don't count rate limits toward the time limit, and report them once", async (t) => {
    const limiter = new Limiter({ requests: 1, window: 1_100, tells: true });
    const { model, logged } = await endpoint(t, () => limiter.answer('ok'));
    const patient = await model({ timeout: 1_500 });
    const began = performance.now();
    await askAll(3, [patient]);
    assert.ok(performance.now() - began > 1_500);
    assert.equal(logged.filter((text) => WAITS.test(text)).length, 1);
  });

  it('leave the queue at once if they are canceled', async (t) => {
    /** Seconds. */
    const WAIT = 60;
    const { server, model } = await endpoint(t, () => faults.rateLimited(WAIT));
    const cancel = new AbortController();
    const one = await model();
    const asked = [ask(one, cancel.signal), ask(one, cancel.signal)];
    await until(
      'both are refused',
      async () => server.requests.length,
      (count) => count === 2,
    );
    const began = performance.now();
    const reason = new Error('cancelled');
    setTimeout(() => cancel.abort(reason), 50);
    for (const one of asked) await assert.rejects(one, (error) => error === reason);
    assert.ok(performance.now() - began < WAIT * 1_000);
  });

  it("are not repeated if waiting can't help", async (t) => {
    const { server, model } = await endpoint(t, () =>
      faults.httpError(429, 'You exceeded your current quota.', { code: 'insufficient_quota' }),
    );
    await assert.rejects(ask(await model()), /rate-limited.*quota/);
    assert.equal(server.requests.length, 1);
  });

  it('wait for the token limit', async (t) => {
    const sent: number[] = [];
    const headers = {
      'x-ratelimit-limit-tokens': '100',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': '0.4s',
    };
    const { model } = await endpoint(t, () => {
      sent.push(performance.now());
      return { text: 'ok', headers: sent.length === 1 ? headers : {} };
    });
    const one = await model();
    await ask(one);
    await ask(one);
    const [before = 0, after = 0] = sent;
    // The quota for a request of about 15 tokens is available again after just over a tenth of the window.
    assert.ok(after - before > 30, `${after - before}`);
  });
});

const REST = 30_000;

function down(): CircuitBreaker {
  const circuit = new CircuitBreaker();
  const told = [1, 2, 3].map(() => circuit.onFailure('It is away.', 0));
  assert.deepEqual(told, [false, false, true]);
  return circuit;
}

describe('the circuit breaker of an endpoint', () => {
  it('allows requests until three in a row have failed', () => {
    const circuit = new CircuitBreaker();
    for (const now of [0, 1]) circuit.onFailure('It is away.', now);
    assert.equal(circuit.refusal(2), undefined);
    assert.equal(circuit.onAnswer(), false);
    for (const now of [3, 4]) circuit.onFailure('It is away.', now);
    assert.equal(circuit.refusal(5), undefined);
  });

  it('then refuses requests, and says why', () => {
    assert.equal(down().refusal(REST - 1), 'It is away.');
  });

  it('allows one request after an interval, and all others if that request is answered', () => {
    const circuit = down();
    assert.equal(circuit.refusal(REST), undefined);
    circuit.onRequest(REST);
    assert.equal(circuit.refusal(REST + 1), 'It is away.');
    assert.equal(circuit.onAnswer(), true);
    assert.equal(circuit.refusal(REST + 2), undefined);
  });

  it('refuses again if that request fails, without reporting it again', () => {
    const circuit = down();
    circuit.onRequest(REST);
    assert.equal(circuit.onFailure('It is still away.', REST + 1), false);
    assert.equal(circuit.refusal(2 * REST), 'It is still away.');
    assert.equal(circuit.refusal(2 * REST + 1), undefined);
  });
});
