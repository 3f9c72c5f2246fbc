import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { workspaceWith } from '../../support/runs.ts';

function suite(model: string): string {
  return `models:
  j: ${model}
judge: j
cases:
  - id: polite
    tags: [quick]
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [It is polite., {type: safety}]
  - id: short
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;
}

const PRICED = '{provider: openai, model: m, price: {input: 2, output: 8}}';

test('plan: shows requests, tokens, and prices, without calling a model', async (t) => {
  const folder = await workspaceWith(t, { 'a.eval.yaml': suite(PRICED) });
  const { code, out, err } = await turnlight(folder, ['plan']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^a\.eval\.yaml$/m);
  assert.match(out, /^ {2}polite +2 +\d+ +\d+ +0\.\d+$/m);
  assert.match(out, /^ {2}short +0 +0 +0 +free$/m);
  assert.match(out, /^2 cases: about 2 requests, .*tokens, 0\.\d+\.$/m);
});

test('plan: names models without a price, and supports --case, --tag, and --format', async (t) => {
  const unpriced = '{provider: openai, model: m}';
  const folder = await workspaceWith(t, { 'a.eval.yaml': suite(unpriced) });
  const { out } = await turnlight(folder, ['plan', '--tag', 'quick']);
  assert.match(out, /No price for openai:m\. Add it under `models`\./);
  const { out: text } = await turnlight(folder, ['plan', '--case', 'polite', '--format', 'json']);
  const { cases, total } = JSON.parse(text);
  assert.equal(cases.length, 1);
  assert.deepEqual([total.requests, total.cost, total.unpriced], [2, null, ['openai:m']]);
});

test('plan: invalid files exit with 3', async (t) => {
  const folder = await workspaceWith(t, { 'a.eval.yaml': 'cases: [{id: a}]\n' });
  const { code, err } = await turnlight(folder, ['plan']);
  assert.equal(code, 3);
  assert.match(err, /Nothing was planned\. Fix the errors above first\./);
});

test('plan: more repetitions than a run can have exit with 3', async (t) => {
  const values = Array.from({ length: 201 }, (_, index) => index);
  const one = `{id: a, repeat: 1000, matrix: {n: [${values}]}, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]}`;
  const folder = await workspaceWith(t, { 'a.eval.yaml': `cases: [${one}]\n` });
  const { code, err } = await turnlight(folder, ['plan']);
  assert.equal(code, 3);
  assert.match(
    err,
    /would execute 201,000 cases.* limit is 200,000\. Select fewer cases, or lower/,
  );
});

test('run --max-cost: stops before it exceeds the limit, and exits with 2', async (t) => {
  const server = await startModelServer(() => 'not asked');
  t.after(() => server.close());
  const model = `{provider: openai, model: m, base_url: "${server.baseUrl}", price: {input: 2, output: 8}}`;
  const folder = await workspaceWith(t, { 'a.eval.yaml': suite(model) });
  const args = ['run', '--max-cost', '0.000001', '--concurrency', '1'];
  const { code, out } = await turnlight(folder, args);
  assert.equal(code, 2);
  assert.match(out, /Not sent: 0\.0000 of the cost limit 0\.000001 is spent/);
  assert.match(out, /^Stopped: the next request could have exceeded the cost limit\.$/m);
  assert.match(out, /1 not finished/);
  assert.equal(server.requests.length, 0);
});

test('run --max-cost: refuses models without a price, and invalid amounts', async (t) => {
  const folder = await workspaceWith(t, {
    'a.eval.yaml': suite('{provider: openai, model: m}'),
  });
  const { code, err } = await turnlight(folder, ['run', '--max-cost', '1']);
  assert.equal(code, 3);
  assert.match(err, /the price of openai:m is unknown/);
  for (const amount of ['0', '-1', 'much', '']) {
    const wrong = await turnlight(folder, ['run', '--max-cost', amount]);
    assert.equal(wrong.code, 3, amount);
  }
});

test('plan: included files are part of their suite, not suites themselves', async (t) => {
  const included =
    'cases: [{id: b, judge: j, transcript: [{user: Hi}, {assistant: x}], assert: [y]}]\n';
  const folder = await workspaceWith(t, {
    'a.eval.yaml': `include: [./b.eval.yaml]\n${suite(PRICED)}`,
    'b.eval.yaml': included,
  });
  const { code, out } = await turnlight(folder, ['plan']);
  assert.equal(code, 0);
  assert.match(out, /^3 cases:/m);
});
