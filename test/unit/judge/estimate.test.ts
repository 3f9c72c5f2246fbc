import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  addEstimates,
  type Estimate,
  estimateWords,
  NO_ESTIMATE,
  priceWords,
} from '../../../src/core/estimate.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { estimateCase } from '../../../src/judge/estimate.ts';
import { countTokens } from '../../../src/models/tokens.ts';
import { load, memoryFiles, SUITE, WORKSPACE } from '../../support/evalFiles.ts';
import type { ReceivedRequest } from '../../support/modelServer/server.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { runFiles } from '../../support/runs.ts';

const TALK = `    transcript:
      - user: Where is my order?
      - assistant: Which number?
      - user: 98765, and send it to Oak Street.
      - assistant: It is on its way to Oak Street.
`;

function suite(asserts: string, top = 'judge: openai:j\n', keys = TALK): string {
  return `${top}cases:\n  - id: one\n${keys}    assert:\n${asserts}`;
}

async function estimateOf(text: string): Promise<Estimate> {
  const { suite: loaded, problems } = await load(text);
  const [first] = loaded?.cases ?? [];
  if (!first) throw new Error(JSON.stringify(problems));
  return estimateCase(first);
}

function tokensOf({ body }: ReceivedRequest): number {
  const texts = body.messages.map(({ content }) => content ?? '');
  const { name, schema } = body.response_format?.json_schema ?? {};
  return [...texts, JSON.stringify({ name, schema })].reduce(
    (sum, one) => sum + countTokens(one),
    0,
  );
}

/** The requests that are actually sent if every answer is refused, without repairs. */
async function sent(t: TestContext, text: (judge: string) => string) {
  const server = await startModelServer(() => ({ text: '', refusal: 'no' }));
  t.after(() => server.close());
  const judge = `judge: {provider: openai, model: j, base_url: "${server.baseUrl}"}\n`;
  await runFiles(t, { 'suite.eval.yaml': text(judge) });
  return server.requests;
}

describe('the estimate of a case', () => {
  for (const [name, asserts] of [
    ['two types', '      - type: turn-relevancy\n      - type: safety\n'],
    ['criteria that share a request', '      - It is polite.\n      - It is short.\n'],
    ['one request for each turn', '      - {type: turn-relevancy, granularity: turn, window: 1}\n'],
    ['groups', '      - type: all-of\n        assert: [It is polite., {type: safety}]\n'],
  ] as const) {
    it(`equals the tokens sent: ${name}`, async (t) => {
      const requests = await sent(t, (judge) => suite(asserts, judge));
      const estimate = await estimateOf(suite(asserts));
      assert.equal(estimate.requests, requests.length);
      const tokens = requests.reduce((sum, one) => sum + tokensOf(one), 0);
      assert.ok(
        Math.abs(estimate.inputTokens / tokens - 1) < 0.02,
        `${estimate.inputTokens} ${tokens}`,
      );
    });
  }

  it("is one request for joint questions, or one per question if they don't fit", async (t) => {
    const types = '      - type: turn-relevancy\n      - type: safety\n      - It is polite.\n';
    const requests = await sent(t, (judge) => suite(types, `${judge}together: true\n`));
    const estimate = await estimateOf(suite(types, 'judge: openai:j\ntogether: true\n'));
    assert.deepEqual([requests.length, estimate.requests], [1, 1]);
    const tokens = tokensOf(requests[0] ?? assert.fail());
    assert.ok(Math.abs(estimate.inputTokens / tokens - 1) < 0.02);
    const small = 'judge: {provider: openai, model: j, max_input_tokens: 1200}\ntogether: true\n';
    assert.equal((await estimateOf(suite(types, small))).requests, 3);
  });

  it("counts a graph's final assertion, and embeddings", async () => {
    const graph = `      - type: decision-graph
        nodes:
          a: {type: yes-no, question: Done?, if_yes: b, if_no: 0}
          b: {type: assertion, assert: {type: g-eval, criteria: warm}}
`;
    assert.equal((await estimateOf(suite(graph))).requests, 3);
    const near = '      - {type: similar, value: x, model: "openai:e"}\n';
    const { requests, unpriced } = await estimateOf(suite(near));
    assert.deepEqual([requests, unpriced], [1, ['openai:e']]);
  });

  it('counts questions about parts', async (t) => {
    const talk = Array.from({ length: 12 }, (_one, index) => {
      const words = `w${index} `.repeat(60);
      return `      - user: ${words}\n      - assistant: ${words}\n`;
    }).join('');
    const keys = `    transcript:\n${talk}`;
    const asserts = '      - type: turn-relevancy\n';
    const limited = (judge: string) =>
      suite(asserts, judge.replace('model: j', 'model: j, max_input_tokens: 2100'), keys);
    // A refused part ends the assertion, so only the first part is sent.
    const sentRequests = await sent(t, limited);
    assert.equal(sentRequests.length, 1);
    const estimate = await estimateOf(limited('judge: {provider: openai, model: j}\n'));
    assert.ok(estimate.requests >= 3 && estimate.requests <= 8, String(estimate.requests));
  });

  it("counts samples, repetitions, g-eval's steps once, and a graph's longest path", async () => {
    const one = await estimateOf(suite('      - {type: g-eval, criteria: warm}\n'));
    assert.equal(one.requests, 2);
    const three = await estimateOf(suite('      - {type: g-eval, criteria: warm, samples: 3}\n'));
    assert.equal(three.requests, 4);
    const graph = `      - type: decision-graph
        nodes:
          a: {type: yes-no, question: Done?, if_yes: b, if_no: 0}
          b: {type: yes-no, question: Kind?, if_yes: 10, if_no: 5}
`;
    assert.equal((await estimateOf(suite(graph))).requests, 2);
    const twice = await estimateOf(`${suite(graph)}    repeat: 2\n`);
    assert.equal(twice.requests, 4);
  });

  it("counts g-eval's steps once per plan", async () => {
    const rated = (id: string) =>
      `  - id: ${id}\n${TALK}    assert: [{type: g-eval, criteria: warm}]\n`;
    const text = `judge: openai:j\ncases:\n${rated('a')}${rated('b')}`;
    const { suite: loaded } = await loadSuite(SUITE, memoryFiles({ [SUITE]: text }), {
      workspace: WORKSPACE,
      env: () => undefined,
    });
    const once = new Set<string>();
    const counts = [];
    for (const one of loaded?.cases ?? []) counts.push((await estimateCase(one, once)).requests);
    assert.deepEqual(counts, [2, 1]);
  });

  it('is zero for skipped assertions: no context, no tool, or `skip`', async () => {
    const asserts = '      - type: turn-faithfulness\n      - type: tool-call-efficiency\n';
    assert.equal((await estimateOf(suite(asserts))).requests, 0);
    assert.equal((await estimateOf(`${suite('      - polite\n')}    skip: true\n`)).requests, 0);
    assert.equal(estimateWords(NO_ESTIMATE), 'no requests');
  });

  it('has a cost if all prices are known, else lists models without a price', async () => {
    const priced = 'judge: {provider: openai, model: j, price: {input: 2, output: 8}}\n';
    const known = await estimateOf(suite('      - type: safety\n', priced));
    const cost = (known.inputTokens * 2 + known.outputTokens * 8) / 1_000_000;
    assert.equal(known.cost, cost);
    const unknown = await estimateOf(suite('      - type: safety\n'));
    assert.deepEqual([unknown.cost, unknown.unpriced], [null, ['openai:j']]);
    const sum = addEstimates(known, unknown);
    assert.deepEqual([sum.requests, sum.cost], [2, null]);
    assert.match(estimateWords(unknown), /^about 1 request, [\d.]+k tokens$/);
  });

  it('shows neither a price nor "free" if no judge is set', async () => {
    const { suite: loaded } = await load(suite('      - polite\n', ''), {}, { defaultJudge: '' });
    const [only] = loaded?.cases ?? [];
    assert.ok(only);
    const estimate = await estimateCase(only);
    assert.match(estimateWords(estimate), /^about 1 request, [\d.]+k tokens, no judge set$/);
    assert.equal(priceWords(addEstimates(estimate, NO_ESTIMATE)), 'no judge set');
    assert.equal(estimate.cost, null);
  });

  it('counts calls to a program', async () => {
    const top = 'targets:\n  bot: {type: module, path: ./bot.mjs}\ntarget: bot\n';
    const contains = '      - {type: contains, value: x}\n';
    const live = await estimateOf(suite(contains, top, '    turns: [Hi, Bye]\n    repeat: 2\n'));
    assert.deepEqual([live.calls, live.requests], [4, 0]);
    assert.equal(estimateWords(live), '4 calls to the target');
    const judged = await estimateOf(
      suite('      - polite\n', `judge: openai:j\n${top}`, '    turns: [Hi]\n'),
    );
    assert.match(estimateWords(judged), /^1 call to the target, about 1 request, [\d.]+k tokens$/);
  });

  it('assumes a length for missing replies, and counts the requests of a chat target', async () => {
    const top = 'judge: openai:j\ntargets:\n  bot: {type: chat, model: "openai:m"}\ntarget: bot\n';
    const live = await estimateOf(suite('      - polite\n', top, '    turns: [Hi, Bye]\n'));
    assert.deepEqual([live.requests, live.live], [3, true]);
  });

  it('counts assertions about an agent, before it is known in which turns the agent acts', async () => {
    const polite = '{type: criterion, criterion: polite, at: {agent: refunds}}';
    const assertions = `      - ${polite}\n      - {type: all-of, assert: [${polite}, {type: safety}]}\n`;
    const top = 'judge: openai:j\ntarget: {type: module, path: ./bot.mjs, reports: all}\n';
    const live = await estimateOf(suite(assertions, top, '    turns: [Hi]\n'));
    assert.deepEqual([live.requests, live.calls], [2, 1]);
  });
});
