import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { barrier } from '../../support/barrier.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { runFiles } from '../../support/runs.ts';
import { until } from '../../support/until.ts';

const CASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const suite = (baseUrl: string, origin: string) => `models:
  model: {provider: openai, model: agent, base_url: ${baseUrl}}
  judge: {provider: openai, model: judge, base_url: ${baseUrl}}
target: {type: chat, model: model}
judge: judge
defaults: {assert: [{type: g-eval, criteria: It is warm., steps: [Look at the tone.]}]}
cases:
${CASES.map((id) => `  - {id: ${id}, ${origin}}`).join('\n')}
`;

/** An agent that answers at once, and a judge that answers when it is let. */
async function slowJudge(t: Parameters<typeof runFiles>[0], origin: string) {
  const { promise: allowed, resolve: answer } = barrier();
  const seen = { talked: 0, judging: 0, most: 0 };
  const server = await startModelServer(async ({ model }: ChatBody) => {
    if (model === 'agent') {
      seen.talked += 1;
      return 'Hello!';
    }
    seen.judging += 1;
    seen.most = Math.max(seen.most, seen.judging);
    await allowed;
    seen.judging -= 1;
    const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' };
    return json({ turns: [entry], rationale: 'Warm.', score: 9 });
  });
  t.after(() => server.close());
  const files = { 'suite.eval.yaml': suite(server.baseUrl, origin) };
  const run = runFiles(t, files, { concurrency: 2 });
  return { seen, answer, run };
}

describe('the two stages of a case', { concurrency: true }, () => {
  it('let an agent talk on while a judge thinks, until twice as many cases are under way', async (t) => {
    const { seen, answer, run } = await slowJudge(t, 'turns: [Hi]');
    const look = async () => ({ ...seen });
    await until('four conversations', look, (now) => now.talked === 4 && now.judging === 2);
    answer();
    const { end } = await run;
    assert.equal(end.counts.pass, CASES.length);
    assert.equal(seen.talked, CASES.length);
    assert.equal(seen.most, 2);
  });

  it('judge no more conversations at once where they are there already', async (t) => {
    const { seen, answer, run } = await slowJudge(
      t,
      'transcript: [{user: Hi}, {assistant: Hello!}]',
    );
    const look = async () => seen.judging;
    await until('two judgements', look, (judging) => judging === 2);
    answer();
    const { end } = await run;
    assert.equal(end.counts.pass, CASES.length);
    assert.equal(seen.most, 2);
  });

  it('keep no case that waits in one of them when the run is cancelled', async (t) => {
    const abort = new AbortController();
    const server = await startModelServer(async ({ model }) => {
      if (model === 'judge') abort.abort(new Error('Cancelled.'));
      return 'Hello!';
    });
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl, 'turns: [Hi]') };
    const { end, lines } = await runFiles(t, files, { concurrency: 2, signal: abort.signal });
    assert.equal(end.cancelled, true);
    assert.deepEqual(lines, []);
  });
});
