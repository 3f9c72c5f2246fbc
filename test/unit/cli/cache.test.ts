import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ASSERTIONS, CONVERSATIONS, startJudge, suiteText } from '../../../bench/rerun/suite.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import { turnlight } from '../../support/commandLine.ts';
import { entry } from '../../support/judging.ts';
import { tries } from '../../support/long.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { workspaceWith } from '../../support/runs.ts';

async function setUp(t: TestContext) {
  const server = await startModelServer(() => 'Hello!');
  t.after(() => server.close());
  const model = `{provider: openai, model: agent, base_url: "${server.baseUrl}"}`;
  const folder = await workspaceWith(t, {
    'a.eval.yaml': `target: {type: chat, model: ${model}}\ncases:\n  - {id: a, turns: [Hi, Ho], assert: [{type: contains, value: Hello}]}\n`,
  });
  const env = { TURNLIGHT_CACHE_DIR: emptyCache() };
  const run = async (...args: string[]) => {
    const before = server.requests.length;
    const ended = await turnlight(folder, args, env);
    return { ...ended, asked: server.requests.length - before };
  };
  return { folder, env, run };
}

test('run: reuses answers and says so, and sends requests again with --no-cache', async (t) => {
  const { run } = await setUp(t);
  const first = await run('run');
  assert.deepEqual([first.asked, first.err], [2, '']);
  assert.doesNotMatch(first.out, /from the cache/);
  const again = await run('run');
  assert.equal(again.asked, 0);
  assert.match(
    again.out,
    /^Model usage: 0 requests, 2 of 2 answers from the cache, 0 input tokens/m,
  );
  const anew = await run('run', '--no-cache');
  assert.equal(anew.asked, 2);
});

test('run: uses no answer of another model whose name is in the same variable', async (t) => {
  const server = await startModelServer((body) =>
    body.response_format
      ? json({
          criteria: [{ criterion: 1, outcome: 'met', rationale: 'Yes.', turns: [entry(2)] }],
          rationale: 'Yes.',
        })
      : `I am ${String(body.model)}.`,
  );
  t.after(() => server.close());
  const model = (name: string) =>
    `{provider: openai, model: "\${env:${name}}", base_url: "${server.baseUrl}"}`;
  const folder = await workspaceWith(t, {
    'a.eval.yaml': `judge: ${model('JUDGE')}
targets:
  chat: {type: chat, model: ${model('AGENT')}}
  bot: {type: command, command: [node, -e, 'process.stdin.once("data", () => console.log(JSON.stringify({content: process.argv[1]})))', "\${env:AGENT}"], cache: true}
cases:
  - {id: chat, target: chat, turns: [Hi], assert: [{type: contains, value: I am}]}
  - {id: bot, target: bot, turns: [Hi], assert: [{type: contains, value: "one"}]}
  - {id: judged, transcript: [{user: Hi}, {assistant: Hello}], assert: [It greets.]}
`,
  });
  const cache = { TURNLIGHT_CACHE_DIR: emptyCache() };
  const models = async (env: Readonly<Record<string, string>>) => {
    const before = server.requests.length;
    const { out } = await turnlight(folder, ['run'], { ...cache, ...env });
    const asked = server.requests.slice(before).map(({ body }) => String(body.model));
    return [...asked.sort(), /✓ bot/.test(out)];
  };
  assert.deepEqual(await models({ AGENT: 'one', JUDGE: 'mild' }), ['mild', 'one', true]);
  assert.deepEqual(await models({ AGENT: 'two', JUDGE: 'mild' }), ['two', false]);
  assert.deepEqual(await models({ AGENT: 'one', JUDGE: 'harsh' }), ['harsh', true]);
});

test('cache: shows the folder and number of answers, and deletes them', async (t) => {
  const { env, run } = await setUp(t);
  const folder = join(env.TURNLIGHT_CACHE_DIR, 'answers');
  assert.equal((await run('cache')).out, `${folder}\n0 answers, 0.0 MB of at most 256.0 MB\n`);
  await run('run', '--no-cache');
  assert.match((await run('cache')).out, /^0 answers/m);
  await run('run');
  assert.match((await run('cache')).out, /^2 answers, 0\.0 MB/m);
  assert.equal((await run('cache', 'clear')).out, `Deleted 2 answers, 0.0 MB from ${folder}\n`);
  assert.equal((await run('run')).asked, 2);
});

/** A folder with eval files whose assertions share the same steps, so a judge writes them only once. */
async function setUpSteps(t: TestContext, ...files: readonly string[]) {
  const server = await startModelServer((body) =>
    json(
      body.response_format?.json_schema?.name === 'g_eval_steps'
        ? { steps: ['Look.'] }
        : {
            turns: [{ turn: 2, applicable: true, rationale: 'r', evidence: '' }],
            rationale: 'r',
            score: 9,
          },
    ),
  );
  t.after(() => server.close());
  const text = `judge: {provider: openai, model: j, base_url: "${server.baseUrl}"}
cases:
  - {id: a, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: g-eval, criteria: warm}]}
`;
  return workspaceWith(t, Object.fromEntries(files.map((file) => [file, text])));
}

test('cache: reports evaluation steps written by judges, and removes them', async (t) => {
  const folder = await setUpSteps(t, 'a.eval.yaml');
  const env = { TURNLIGHT_CACHE_DIR: emptyCache(), OPENAI_API_KEY: 'k' };
  await turnlight(folder, ['run', '--no-cache'], env);
  const { out } = await turnlight(folder, ['cache'], env);
  assert.match(out, /^0 answers.*\n1 file with evaluation steps written by judges, 0\.0 MB$/m);
  const cleared = await turnlight(folder, ['cache', 'clear'], env);
  assert.match(
    cleared.out,
    /^Deleted 0 answers, 0\.0 MB, and 1 file with evaluation steps written by judges, 0\.0 MB, from /,
  );
  assert.deepEqual(await readdir(join(env.TURNLIGHT_CACHE_DIR, 'answers')), []);
});

test('run: warns once if answers that judges give once are not kept', async (t) => {
  const folder = await setUpSteps(t, 'b/b.eval.yaml', 'c/c.eval.yaml');
  const env = { TURNLIGHT_CACHE_DIR: join(folder, 'answers'), OPENAI_API_KEY: 'k' };
  for (const [args, warning] of [
    [[], /The answer cache is not used: /g],
    [['--no-cache'], /Evaluation steps written by judges can't be stored for later runs: /g],
  ] as const) {
    const { out } = await turnlight(folder, ['run', ...args], env);
    assert.equal(out.match(warning)?.length, 1, out);
    assert.equal(out.match(/is in the workspace/g)?.length, 1, out);
  }
});

test('cache: shows why a folder is not used', async (t) => {
  const { folder } = await setUp(t);
  const env = { TURNLIGHT_CACHE_DIR: join(folder, 'answers') };
  const { code, out } = await turnlight(folder, ['cache'], env);
  assert.equal(code, 0);
  assert.match(
    out,
    /^The cache is not used: .*answers is in the workspace, .* Set TURNLIGHT_CACHE_DIR/m,
  );
});

test('run: --dotenv may not set the folder of answers', async (t) => {
  const { folder, run } = await setUp(t);
  for (const name of ['TURNLIGHT_CACHE_DIR', 'XDG_CACHE_HOME']) {
    await writeFile(join(folder, '.env'), `${name}=here\n`);
    const { code, err } = await run('run', '--dotenv', '.env');
    assert.equal(code, 3);
    assert.match(err, new RegExp(`may not set ${name}`));
  }
});

test('run: sends one request per conversation after an edit of one of eight assertions', async (t) => {
  const conversations = tries(CONVERSATIONS, 10);
  const judge = await startJudge(0);
  t.after(() => judge.close());
  const folder = await workspaceWith(t, {
    'a.eval.yaml': suiteText(judge.baseUrl, 0, conversations),
  });
  const env = { TURNLIGHT_CACHE_DIR: emptyCache() };
  const asked = async () => {
    const before = judge.requests;
    const { code, out } = await turnlight(folder, ['run', '--no-save'], env);
    assert.equal(code, 0, out.slice(-500));
    return judge.requests - before;
  };
  assert.equal(await asked(), conversations * ASSERTIONS);
  assert.equal(await asked(), 0);
  await writeFile(join(folder, 'a.eval.yaml'), suiteText(judge.baseUrl, 1, conversations));
  assert.equal(await asked(), conversations);
});
