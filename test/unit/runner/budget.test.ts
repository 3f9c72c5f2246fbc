import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { runFiles } from '../../support/runs.ts';

const PRICE = 'price: {input: 1000, output: 1000}, max_tokens: 100, ';

async function suite(
  t: TestContext,
  price = PRICE,
  usage: { input: number; output: number } | null = { input: 10, output: 10 },
) {
  const script = () => ({ text: 'Hello!', usage });
  const server = await startModelServer(script);
  t.after(() => server.close());
  const model = `{provider: openai, model: m, ${price}base_url: "${server.baseUrl}"}`;
  const text = `models:
  m: ${model}
targets:
  bot: {type: chat, model: m}
target: bot
cases:
  - {id: a, turns: [x], assert: [{type: contains, value: Hello}]}
  - {id: b, turns: [y], assert: [{type: contains, value: Hello}]}
  - {id: c, turns: [z], assert: [{type: contains, value: Hello}]}
`;
  return { server, files: { 'suite.eval.yaml': text } };
}

// One reply costs 0.02, and may beforehand cost up to about 0.1.
describe('a limit of the cost', () => {
  it('asks nothing that could pass it; finished cases are kept, the rest is not begun', async (t) => {
    const { server, files } = await suite(t);
    const { lines, end, record = '' } = await runFiles(t, files, { maxCost: 0.12, concurrency: 1 });
    assert.deepEqual(
      lines.map(({ id, status }) => [id, status]),
      [
        ['a', 'pass'],
        ['b', 'error'],
      ],
    );
    assert.match(
      lines[1]?.reason ?? '',
      /^over-budget: Not asked: 0\.0200 of the cost limit 0\.12/,
    );
    assert.equal(end.stopped, 'max-cost');
    assert.equal(server.requests.length, 1);
    assert.deepEqual((await readRecord(record)).problems, []);
  });

  it('does not stand in the way of what stays below it', async (t) => {
    const { files } = await suite(t);
    const { end } = await runFiles(t, files, { maxCost: 1 });
    assert.deepEqual([end.counts.pass, end.stopped], [3, undefined]);
  });

  it('counts what is under way side by side', async (t) => {
    const { server, files } = await suite(t);
    const { lines } = await runFiles(t, files, { maxCost: 0.15, concurrency: 3 });
    // The second waits for the first: 0.13 is left then, and 0.11 for the third.
    assert.equal(server.requests.length, 2);
    assert.deepEqual(lines.map(({ status }) => status).sort(), ['error', 'pass', 'pass']);
  });

  it('takes a reply without usage for what it may have cost', async (t) => {
    const { server, files } = await suite(t, PRICE, null);
    await runFiles(t, files, { maxCost: 0.2, concurrency: 1 });
    assert.equal(server.requests.length, 1);
  });

  it('asks for answers that are no longer than what is left pays for', async (t) => {
    const { server, files } = await suite(t, 'price: {input: 1000, output: 1000}, ');
    await runFiles(t, files, { maxCost: 4, concurrency: 1 });
    const limits = server.requests.map(({ body }) => Number(body.max_tokens));
    assert.equal(limits.length, 3);
    for (const limit of limits) assert.ok(limit > 2_000 && limit < 4_000, String(limit));
  });

  it('leaves room for all answers that are asked for together', async (t) => {
    const script = () => ({ text: '', refusal: 'no' });
    const server = await startModelServer(script);
    t.after(() => server.close());
    const text = `judge: {provider: openai, model: m, price: {input: 0, output: 1000}, base_url: "${server.baseUrl}"}
together: true
cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello!}]
    assert: [{type: coherence}, {type: safety}]
`;
    const asked = async (maxCost: number) => {
      await runFiles(t, { 'suite.eval.yaml': text }, { maxCost });
      return server.requests.length;
    };
    assert.equal(await asked(3.9), 0);
    assert.equal(await asked(4.1), 1);
  });

  it('begins nothing more where an answer cost more than it could', async (t) => {
    const { server, files } = await suite(t, PRICE, { input: 10, output: 5_000 });
    const { end } = await runFiles(t, files, { maxCost: 0.5, concurrency: 1 });
    assert.equal(server.requests.length, 1);
    assert.equal(end.stopped, 'max-cost');
  });

  it('refuses a run of which the cost cannot be known', async (t) => {
    const { server, files } = await suite(t, '');
    await assert.rejects(runFiles(t, files, { maxCost: 1 }), { reason: 'no-price' });
    assert.equal(server.requests.length, 0);
  });
});
