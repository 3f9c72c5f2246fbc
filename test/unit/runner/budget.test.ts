import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { NoPriceError } from '../../../src/runner/budget.ts';
import { readRecord } from '../../../src/store/read.ts';
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
    assert.match(lines[1]?.reason ?? '', /^over-budget: Not asked: 0\.0200 of the 0\.12/);
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
    await runFiles(t, files, { maxCost: 0.15, concurrency: 3 });
    assert.equal(server.requests.length, 1);
  });

  it('takes a reply without usage for what it may have cost', async (t) => {
    const { server, files } = await suite(t, PRICE, null);
    await runFiles(t, files, { maxCost: 0.2, concurrency: 1 });
    assert.equal(server.requests.length, 1);
  });

  it('refuses a run of which the cost cannot be known', async (t) => {
    const { server, files } = await suite(t, '');
    await assert.rejects(runFiles(t, files, { maxCost: 1 }), NoPriceError);
    assert.equal(server.requests.length, 0);
  });
});
