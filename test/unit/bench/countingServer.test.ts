import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { startCountingServer, sumUp } from '../../../bench/judge-cost/countingServer.ts';
import { PromptCache } from '../../../bench/judge-cost/promptCache.ts';

function tokens(length: number, from = 0): number[] {
  return Array.from({ length }, (_, index) => from + index);
}

test('a prompt cache serves the full blocks that an earlier prompt began with', () => {
  const cache = new PromptCache();
  assert.equal(cache.served(tokens(3000)), 0);
  cache.add(tokens(3000));
  assert.equal(cache.served(tokens(3000)), 2048);
  assert.equal(cache.served(tokens(2047)), 1024);
  assert.equal(cache.served([...tokens(1024), ...tokens(1024, 7)]), 1024);
  assert.equal(cache.served(tokens(1023)), 0);
});

test('smaller blocks are served from 1,024 tokens on', () => {
  const cache = new PromptCache(128);
  cache.add(tokens(3000));
  assert.equal(cache.served(tokens(1300)), 1280);
  assert.equal(cache.served(tokens(1023)), 0);
});

test('a block is not served behind another beginning', () => {
  const cache = new PromptCache();
  cache.add([...tokens(1024), ...tokens(1024, 5000)]);
  assert.equal(cache.served([...tokens(1024, 9), ...tokens(1024, 5000)]), 0);
});

async function countingServer(t: TestContext) {
  const server = await startCountingServer(() => '{}');
  t.after(() => server.close());
  const ask = async (content: string, schema: unknown) => {
    const response = await fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'judge',
        messages: [{ role: 'user', content }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      }),
    });
    assert.equal(response.status, 200);
  };
  return { server, ask };
}

const LONG = 'word '.repeat(1500);

test('one request after another is served by the one before, unless another schema stands first', async (t) => {
  const { server, ask } = await countingServer(t);
  await ask(LONG, { type: 'object' });
  await ask(LONG, { type: 'array' });
  const { requests, promptTokens, ...served } = sumUp(server.drain());
  assert.equal(requests, 2);
  assert.ok(promptTokens > 3000 && promptTokens < 3100, String(promptTokens));
  assert.deepEqual(served, { cacheable: 1024, cacheableInSteps: 1408, cacheableBehindSchema: 0 });
});

test('requests side by side do not serve each other, and what follows them is served', async (t) => {
  const { server, ask } = await countingServer(t);
  server.restart(true);
  await Promise.all([ask(LONG, {}), ask(LONG, {}), ask(LONG, {})]);
  assert.equal(sumUp(server.drain()).cacheable, 0);
  await ask(LONG, {});
  assert.equal(sumUp(server.drain()).cacheable, 1024);
});

test('a restart forgets what was sent', async (t) => {
  const { server, ask } = await countingServer(t);
  await ask(LONG, {});
  server.restart(false);
  await ask(LONG, {});
  assert.equal(sumUp(server.drain()).cacheable, 0);
});
