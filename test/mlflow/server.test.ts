import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scrubber } from '../../src/core/scrubber.ts';
import { findExperiment, searchTraces, spansOf } from '../../src/interop/mlflow/api.ts';
import { MlflowClient } from '../../src/interop/mlflow/client.ts';
import { readSpans } from '../../src/interop/mlflow/session.ts';
import { turnlight } from '../support/commandLine.ts';
import { startRealServer } from '../support/mlflow/realServer.ts';
import { startMlflow } from '../support/mlflow/server.ts';
import { turnTrace } from '../support/mlflow/traces.ts';
import type { ChatBody } from '../support/modelServer/chatBody.ts';
import { startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';
import { workspaceWith } from '../support/runs.ts';

/** Number of additional traces. They push the seeded sessions out of the newest 500. */
const FILLERS = 520;

const SHOP = ['session-order-status', 'session-frustrated-customer', 'session/incomplete'];

const server = await startRealServer();
const skip = 'missing' in server && `SKIPPED: no MLflow server, since ${server.missing}`;
if (skip) process.stderr.write(`\n${skip}\n\n`);

interface Returned {
  readonly sessions: Readonly<Record<string, readonly Assessed[]>>;
  readonly runs: readonly {
    readonly id: string;
    readonly status: string;
    readonly type: string;
    readonly metrics: Readonly<Record<string, number>>;
    readonly traces: number;
  }[];
}

interface Assessed {
  readonly name: string;
  readonly value: unknown;
  readonly rationale: string;
  readonly source: readonly [string, string];
  readonly session: string;
  readonly run: string;
  readonly first: boolean;
}

/** A judge for which only one customer is frustrated: the one who is still waiting for a refund. */
function judge({ messages }: ChatBody) {
  const asked = messages.map(({ content }) => content).join('\n');
  const upset = asked.includes('ridiculous');
  const turns = [...asked.matchAll(/^\[(\d+) user\]/gm)].map(([, number]) => ({
    turn: Number(number),
    rationale: 'By the words.',
    evidence: '',
    applicable: true,
    score: upset ? 0.9 : 0,
  }));
  const overall = upset ? 'unresolved' : 'none';
  return json({ turns, rationale: upset ? 'No refund came.' : 'All is calm.', overall });
}

describe('a real MLflow server', { skip }, async () => {
  if ('missing' in server) return;
  after(() => server.close());
  const experiment = await server.python('shopfast.py', 'ShopFast', String(FILLERS));
  const env = { MLFLOW_TRACKING_URI: server.url };

  it('gives its sessions, is given their verdicts, and returns them under the session', async (t) => {
    const folder = await workspaceWith(t, {});
    const cli = (...args: string[]) => turnlight(folder, args, { ...env, OPENAI_API_KEY: 'test' });
    const found = SHOP.flatMap((session) => ['--session', session]);
    const pulled = await cli('mlflow', 'pull', 'ShopFast', ...found);
    assert.match(
      pulled.out,
      /^Pulled 3 sessions with 8 traces into ShopFast\.eval\.yaml\./,
      pulled.err,
    );
    assert.match(
      await readFile(join(folder, 'ShopFast.sessions/session-order-status.yaml'), 'utf8'),
      /^- system: You are[^\n]*\n- user: Hi, my name is Sarah.*name: lookup_order.*- tool: .*You are welcome, Sarah!\n$/s,
    );
    const models = await startModelServer(judge);
    t.after(() => models.close());
    const own = `include: [ShopFast.sessions/cases.yaml]
judge: { provider: openai, model: judge, base_url: "${models.baseUrl}" }
defaults:
  assert:
    - type: user-frustration
    - { type: max-latency, max: 1000 }
`;
    await writeFile(join(folder, 'ShopFast.eval.yaml'), own);
    await cli('run', '--no-save', '--record', 'judge.jsonl');
    await models.close();
    const replayed = await cli('run', '--replay', 'judge.jsonl');
    assert.match(
      replayed.out,
      /user-frustration mean 0\.67, 2 of 3 passed: none ×2, unresolved ×1/,
    );
    const pushed = await cli('mlflow', 'push');
    assert.match(pushed.out, /: 6 assessments on 3 sessions, 12 metrics in the evaluation run/);

    const returned: Returned = JSON.parse(await server.python('returned.py', 'ShopFast'));
    assert.deepEqual(Object.keys(returned.sessions).sort(), [...SHOP].sort());
    const [run] = returned.runs;
    for (const session of SHOP) {
      const upset = session === 'session-frustrated-customer';
      const assessed = returned.sessions[session]?.find(({ name }) => name === 'user-frustration');
      assert.ok(assessed?.rationale.startsWith(upset ? 'No refund came.' : 'All is calm.'));
      assert.deepEqual(
        { ...assessed, rationale: '' },
        {
          name: 'user-frustration',
          value: upset ? 'unresolved' : 'none',
          rationale: '',
          source: ['LLM_JUDGE', 'openai:judge'],
          session,
          run: run?.id,
          first: true,
        },
      );
    }
    const { metrics = {}, ...rest } = run ?? {};
    assert.deepEqual(rest, { id: run?.id, status: 'FINISHED', type: 'genai_evaluate', traces: 8 });
    assert.ok(Math.abs((metrics['user-frustration/mean'] ?? 0) - 2 / 3) < 1e-6);
    assert.deepEqual(
      [
        'user-frustration/count/none',
        'user-frustration/count/unresolved',
        'max-latency/errors',
      ].map((name) => metrics[name]),
      [2, 1, 3],
    );
    assert.match(
      (await cli('mlflow', 'push')).out,
      / 0 assessments on 3 sessions \(6 already existed\)/,
    );
  });

  it('gives sessions that are older than its newest 500 traces, among all the others', async (t) => {
    const folder = await workspaceWith(t, {});
    const pulled = await turnlight(folder, ['mlflow', 'pull', 'ShopFast'], env);
    assert.match(
      pulled.out,
      new RegExp(`^Pulled ${3 + FILLERS / 10} sessions with ${8 + FILLERS} traces`),
    );
    const { out } = await turnlight(folder, ['list'], env);
    assert.match(out, /session-order-status/);
    assert.equal((await turnlight(folder, ['check'], env)).code, 0);
  });

  it('gives what people said there: labels and expectations', async (t) => {
    const folder = await workspaceWith(t, {});
    const sessions = SHOP.flatMap((session) => ['--session', session]);
    await turnlight(folder, ['mlflow', 'pull', 'ShopFast', ...sessions], env);
    const lines = await Promise.all(
      ['ann@example.com', 'bob'].map((name) =>
        readFile(join(folder, `ShopFast.labels/${name}.jsonl`), 'utf8'),
      ),
    );
    const labels = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      labels.map(({ case: id, assertion, status, turn, comment }) => [
        id,
        assertion,
        status,
        turn,
        comment,
      ]),
      [
        [
          'session-frustrated-customer',
          'user-frustration',
          'fail',
          undefined,
          'She never got an answer.',
        ],
        ['session-frustrated-customer', 'keeps_to_policy', 'fail', 4, 'A promise.'],
      ],
    );
    const cases = await readFile(join(folder, 'ShopFast.sessions/cases.yaml'), 'utf8');
    assert.match(cases, /outcome: Both questions are answered\./);
  });

  it('gives the same spans from artifacts as from the tracking store', async () => {
    const client = new MlflowClient(
      { url: server.url, scrubber: new Scrubber() },
      new AbortController().signal,
    );
    const { experiment_id: id } = await findExperiment(client, experiment.trim());
    for await (const page of searchTraces(client, id, SHOP[0])) {
      const [stored, saved] = await Promise.all([
        spansOf(client, page),
        spansOf(
          client,
          page.map((info) => ({ ...info, tags: {} })),
        ),
      ]);
      for (const [trace, spans] of stored) {
        assert.ok(spans.length > 0);
        assert.deepEqual(readSpans(saved.get(trace) ?? []), readSpans(spans));
      }
    }
  });

  it('answers as the fake server of the unit tests does', async (t) => {
    const fake = await startMlflow(t, [turnTrace('a', 'session-order-status', 'Hi', 'Hello')]);
    const [first] = (
      await asked(server.url, 'POST', '/api/3.0/mlflow/traces/search', search(experiment.trim(), 1))
    ).traces;
    for (const [what, at] of REQUESTS) {
      const real = await asked(
        server.url,
        ...at({ experiment: experiment.trim(), name: 'ShopFast', trace: first.trace_id }),
      );
      const pretended = await asked(fake.url, ...at({ experiment: '7', name: 'shop', trace: 'a' }));
      assert.deepEqual(lacking(pretended, real), [], what);
    }
  });
});

interface Ids {
  readonly experiment: string;
  readonly name: string;
  readonly trace: string;
}

type Request = readonly [method: string, path: string, body?: object];

const search = (experiment: string, most: number) => ({
  locations: [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: { experiment_id: experiment } }],
  filter: "metadata.`mlflow.trace.session` = 'session-order-status'",
  order_by: ['timestamp_ms ASC'],
  max_results: most,
});

const REQUESTS: readonly (readonly [string, (ids: Ids) => Request])[] = [
  [
    'an experiment',
    ({ name }) => ['GET', `/api/2.0/mlflow/experiments/get-by-name?experiment_name=${name}`],
  ],
  ['no experiment', () => ['GET', '/api/2.0/mlflow/experiments/get-by-name?experiment_name=nope']],
  [
    'its id',
    ({ experiment }) => ['GET', `/api/2.0/mlflow/experiments/get?experiment_id=${experiment}`],
  ],
  ['all experiments', () => ['POST', '/api/2.0/mlflow/experiments/search', { max_results: 5 }]],
  ['traces', ({ experiment }) => ['POST', '/api/3.0/mlflow/traces/search', search(experiment, 1)]],
  [
    'too many traces',
    ({ experiment }) => ['POST', '/api/3.0/mlflow/traces/search', search(experiment, 501)],
  ],
  ['spans', ({ trace }) => ['GET', `/api/3.0/mlflow/traces/batchGet?trace_ids=${trace}`]],
  [
    'artifacts',
    ({ trace }) => ['GET', `/ajax-api/2.0/mlflow/get-trace-artifact?request_id=${trace}`],
  ],
  ['a trace', ({ trace }) => ['GET', `/api/3.0/mlflow/traces/${trace}`]],
  ['no trace', () => ['GET', '/api/3.0/mlflow/traces/nope']],
  [
    'no run',
    ({ experiment }) => [
      'POST',
      '/api/2.0/mlflow/runs/search',
      { experiment_ids: [experiment], filter: "tags.`turnlight.run` = 'none'", max_results: 1 },
    ],
  ],
  [
    'a new run',
    ({ experiment }) => [
      'POST',
      '/api/2.0/mlflow/runs/create',
      { experiment_id: experiment, run_name: 'x', start_time: 0, tags: [] },
    ],
  ],
];

// biome-ignore lint/suspicious/noExplicitAny: the server's answers have no types
async function asked(url: string, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: response.status, ...JSON.parse(await response.text()) };
}

/** Paths of keys that are missing from the real answer, or have a different type of value there. */
function lacking(fake: unknown, real: unknown, path = ''): string[] {
  if (Array.isArray(fake) && Array.isArray(real)) {
    return fake.length === 0 || real.length === 0 ? [] : lacking(fake[0], real[0], `${path}[]`);
  }
  if (typeof fake === 'object' && fake !== null && typeof real === 'object' && real !== null) {
    return Object.entries(fake).flatMap(([key, value]) =>
      /^(next_page_token|assessments|attributes|\w+_value)$/.test(key)
        ? []
        : lacking(value, Reflect.get(real, key), `${path}.${key}`),
    );
  }
  if (path === '.status' || path.endsWith('.error_code'))
    return fake === real ? [] : [`${path}: ${fake}, not ${real}`];
  return typeof fake === typeof real ? [] : [`${path}: ${typeof fake}, not ${typeof real}`];
}
