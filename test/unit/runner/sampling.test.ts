import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { runFiles } from '../../support/runs.ts';

const KEYS =
  'reasoning_effort: low, top_p: 0.5, seed: 7, extra_body: {verbosity: low, temperature: 1.5}';

/** Request bodies of two repetitions. */
async function asked(t: TestContext, modelKeys = '') {
  const server = await startModelServer(() => 'Hello');
  t.after(() => server.close());
  const model = `{provider: openai, model: m, base_url: "${server.baseUrl}", temperature: 0.1${modelKeys}}`;
  const suite = `target: {type: chat, model: ${model}, ${KEYS}}
cases:
  - {id: a, repeat: 2, turns: [Hi], assert: [{type: contains, value: Hello}]}
`;
  const { lines } = await runFiles(t, { 'suite.eval.yaml': suite });
  assert.deepEqual(
    lines.map(({ status }) => status),
    ['pass', 'pass'],
  );
  return server.requests.map(({ body }) => body as unknown as Readonly<Record<string, unknown>>);
}

describe('the parameters of a chat target', () => {
  it('are sent, without replacing what Turnlight sends; each repetition has its own seed', async (t) => {
    const [first, second] = await asked(t);
    const sent = { reasoning_effort: 'low', top_p: 0.5, verbosity: 'low', temperature: 0.1 };
    assert.deepEqual({ ...first, ...sent }, first);
    assert.deepEqual([first?.seed, second?.seed].sort(), [7, 8]);
  });

  it('have their names in the Responses API', async (t) => {
    const [first] = await asked(t, ', api: responses');
    const sent = { reasoning: { effort: 'low' }, top_p: 0.5, verbosity: 'low', temperature: 0.1 };
    assert.deepEqual({ ...first, ...sent }, first);
    assert.equal(first?.seed, undefined);
  });

  it('cannot be keys of the request itself', async () => {
    const target = '{type: chat, model: "openai:m", extra_body: {stream: true, user: me}}';
    const loaded = await load(suiteWith(`turns: [Hi]\ntarget: ${target}\nassert: [It is kind.]`));
    assert.equal(placed(loaded).length, 1);
    assert.match(loaded.problems[0]?.message ?? '', /Turnlight sets `stream` itself/);
  });
});
