import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { executionKey } from '../../../src/core/identity.ts';
import { barrier } from '../../support/barrier.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json, type Step } from '../../support/modelServer/steps.ts';
import { ECHO, type Ran, runFiles } from '../../support/runs.ts';
import { isUserTurn, says } from '../../support/simulated.ts';
import { until } from '../../support/until.ts';

const CASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const N = 3;

/** Latency of an answer in milliseconds, long enough to notice one request too many. */
const TAKES = 30;

/**
 * Maximum time that an answer waits for the allowed number of requests, in milliseconds. On a busy machine, they don't
 * all arrive at once.
 */
const PATIENCE = 3_000;

const judged = (_one: unknown, index: number) =>
  `{type: g-eval, name: warm ${index}, criteria: It is warm., steps: [Look at the tone.]}`;

interface Asked {
  readonly agent: string;
  readonly judge: string;
  /** Keys of each case. */
  readonly keys?: string;
  readonly cases?: readonly string[];
  /** Number of assertions per case, all of them judged. */
  readonly assertions?: number;
}

const suite = ({ agent, judge, keys, cases = CASES, assertions = 4 }: Asked) => `models:
  model: {provider: openai, model: agent, base_url: ${agent}}
  judge: {provider: openai, model: judge, base_url: ${judge}}
targets:
  chat: {type: chat, model: model}
  service:
    type: http
    url: "${agent}/chat/completions"
    reply: /choices/0/message/content
    body: {model: service, messages: "{{messages}}"}
  program: {type: module, path: ./bot.mjs}
target: chat
judge: judge
defaults: {assert: [${Array.from({ length: assertions }, judged).join(', ')}]}
cases:
${cases.map((id) => `  - {id: ${id}, ${keys ?? `turns: [I am ${id}.]`}}`).join('\n')}
`;

interface Seen {
  now: number;
  most: number;
}

type Answering = (body: ChatBody, seen: Seen) => Promise<void>;

/** An endpoint for the agent and the judge. It counts concurrent requests. */
async function endpoint(t: TestContext, answering: Answering) {
  const seen: Seen = { now: 0, most: 0 };
  const server = await startModelServer(async (body: ChatBody): Promise<Step> => {
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await answering(body, seen);
    seen.now -= 1;
    if (isUserTurn(body)) return says('Hi.');
    if (body.model !== 'judge') return 'Hello!';
    const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' };
    return json({ turns: [entry], rationale: 'Warm.', score: 9 });
  });
  t.after(() => server.close());
  return { baseUrl: server.baseUrl, requests: server.requests, seen };
}

/** Waits until N requests are in progress. */
const slowly: Answering = async (_body, seen) => {
  const until = performance.now() + PATIENCE;
  while (seen.most < N && performance.now() < until) await wait(TAKES);
  await wait(TAKES);
};

/** Maximum number of cases that were in progress at the same time. */
function mostBegun({ events }: Pick<Ran, 'events'>): number {
  const begun = new Set<string>();
  let most = 0;
  for (const event of events) {
    if (event.kind === 'case-started') begun.add(executionKey(event.ref));
    if (event.kind === 'case-finished') begun.delete(executionKey(event.ref));
    most = Math.max(most, begun.size);
  }
  return most;
}

describe('the concurrency of a run', { concurrency: true }, () => {
  for (const [what, keys] of [
    ['an agent', 'turns: [Hi]'],
    ['a service', 'target: service, turns: [Hi]'],
    ['a simulated user and an agent', 'simulate: {goal: Greet., max_user_turns: 1}'],
    ['nobody else', 'transcript: [{user: Hi}, {assistant: Hello!}]'],
  ] as const) {
    it(`bounds the requests in flight at an endpoint that a judge shares with ${what}`, async (t) => {
      const { baseUrl, seen } = await endpoint(t, slowly);
      const text = suite({ agent: baseUrl, judge: baseUrl, keys });
      const ran = await runFiles(t, { 'suite.eval.yaml': text }, { concurrency: N });
      assert.equal(ran.end.counts.pass, CASES.length);
      assert.equal(seen.most, N);
      assert.equal(mostBegun(ran), N);
    });
  }

  it('judges assertions of a case in parallel, within the limit', async (t) => {
    const { baseUrl, seen } = await endpoint(t, slowly);
    const text = suite({ agent: baseUrl, judge: baseUrl, cases: ['a'] });
    const { end } = await runFiles(t, { 'suite.eval.yaml': text }, { concurrency: N });
    assert.equal(end.counts.pass, 1);
    assert.equal(seen.most, N);
  });

  it('applies to each endpoint', async (t) => {
    const [agent, judge] = [await endpoint(t, slowly), await endpoint(t, slowly)];
    const text = suite({ agent: agent.baseUrl, judge: judge.baseUrl });
    const { end } = await runFiles(t, { 'suite.eval.yaml': text }, { concurrency: N });
    assert.equal(end.counts.pass, CASES.length);
    assert.deepEqual([agent.seen.most, judge.seen.most], [N, N]);
  });

  it('bounds the programs that run', async (t) => {
    const { baseUrl } = await endpoint(t, slowly);
    const text = suite({ agent: baseUrl, judge: baseUrl, keys: 'target: program, turns: [Hi]' });
    const files = { 'suite.eval.yaml': text, 'bot.mjs': ECHO };
    const ran = await runFiles(t, files, { concurrency: N });
    assert.equal(ran.end.counts.pass, CASES.length);
    assert.equal(mostBegun(ran), N);
  });

  it('starts the next conversation while others are judged', async (t) => {
    const { promise: allowed, resolve: answer } = barrier();
    const agent = await endpoint(t, async () => {});
    const judge = await endpoint(t, async (body) => {
      if (!JSON.stringify(body).includes('I am a.')) await allowed;
    });
    const text = suite({ agent: agent.baseUrl, judge: judge.baseUrl, assertions: 1 });
    const run = runFiles(t, { 'suite.eval.yaml': text }, { concurrency: N });
    const look = async () => agent.requests.length;
    await until('the conversation after the first ones', look, (begun) => begun === N + 1);
    answer();
    const ran = await run;
    assert.equal(ran.end.counts.pass, CASES.length);
    assert.equal(mostBegun(ran), N);
  });

  it('starts no waiting case after the run is canceled', async (t) => {
    const abort = new AbortController();
    const { baseUrl } = await endpoint(t, async ({ model }) => {
      if (model === 'judge') abort.abort(new Error('Cancelled.'));
    });
    const text = suite({ agent: baseUrl, judge: baseUrl });
    const options = { concurrency: N, signal: abort.signal };
    const { end, lines } = await runFiles(t, { 'suite.eval.yaml': text }, options);
    assert.equal(end.cancelled, true);
    assert.deepEqual(lines, []);
  });
});
