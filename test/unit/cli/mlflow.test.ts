import assert from 'node:assert/strict';
import { readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { turnlight } from '../../support/commandLine.ts';
import {
  type FakeAssessment,
  type FakeOptions,
  type FakeServer,
  startMlflow,
} from '../../support/mlflow/server.ts';
import { chatTrace, type FakeTrace, turnTrace } from '../../support/mlflow/traces.ts';
import { recordsOf } from '../../support/resuming.ts';
import { workspaceWith } from '../../support/runs.ts';

const SYSTEM = { role: 'system', content: 'Be kind.' };
const TRACES: readonly FakeTrace[] = [
  chatTrace('a1', 'orders', [SYSTEM, { role: 'user', content: 'Where is it?' }], 'On its way.'),
  turnTrace('b1', 'refund', 'My refund?', 'By Friday.'),
  { ...turnTrace('b2', 'refund', 'You said that before!', 'Sorry.'), inArtifacts: true },
  { id: 'c1', spans: [] },
];

const CHECKED = `include: [shop.sessions/cases.yaml]
defaults:
  assert:
    - { type: contains, value: way, name: says where }
    - { type: max-latency, max: 1 }
`;

function human(name: string, value: unknown, more: Partial<FakeAssessment> = {}): FakeAssessment {
  const source = { source_type: 'HUMAN', source_id: 'ann@example.com' };
  return { assessment_name: name, source, feedback: { value }, ...more };
}

interface Shop {
  readonly server: FakeServer;
  readonly folder: string;
  run(...args: string[]): ReturnType<typeof turnlight>;
  read(name: string): Promise<string>;
}

async function shop(
  t: TestContext,
  traces: readonly FakeTrace[] = TRACES,
  options: FakeOptions = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Shop> {
  const server = await startMlflow(t, traces, options);
  const folder = await workspaceWith(t, {});
  const all = { MLFLOW_TRACKING_URI: server.url, ...env };
  return {
    server,
    folder,
    run: (...args) => turnlight(folder, args, all),
    read: (name) => readFile(join(folder, name), 'utf8'),
  };
}

describe('turnlight mlflow pull', () => {
  it('writes nothing through a link out of the workspace', async (t) => {
    const { run, folder } = await shop(t);
    const outside = await workspaceWith(t, { mine: '' });
    await symlink(outside, join(folder, 'evals'));
    const { code, err } = await run('mlflow', 'pull', 'shop', '--out', 'evals/shop.eval.yaml');
    assert.equal(code, 3);
    assert.match(err, /link that points outside/);
    assert.deepEqual(await readdir(outside), ['mine']);
  });

  it('hides its credentials in what a trace contains', async (t) => {
    const token = 'planted-token-1234567890';
    const traces = [turnTrace('b1', 'refund', 'My refund?', `By Friday. ${token}`)];
    const { run, read } = await shop(t, traces, {}, { MLFLOW_TRACKING_TOKEN: token });
    assert.equal((await run('mlflow', 'pull', 'shop')).code, 0);
    const text = await read('shop.sessions/refund.yaml');
    assert.match(text, /By Friday\. \[hidden: MLFLOW_TRACKING_TOKEN\]/);
    assert.ok(!text.includes(token));
  });

  it('hides keys of the environment in replies, labels, and labeled conversations', async (t) => {
    const key = 'sk-planted-key-1234567890';
    const trace = turnTrace('b1', 'refund', 'My refund?', `By Friday. ${key}`);
    const rated = human('politeness', 'yes', { rationale: `Polite: ${key}` });
    const given = { assessments: { b1: [rated] } };
    const { run, folder } = await shop(t, [trace], given, { OPENAI_API_KEY: key });
    assert.equal((await run('mlflow', 'pull', 'shop')).code, 0);
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((one) => one.isFile());
    const texts = await Promise.all(
      files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
    );
    assert.ok(texts.every((text) => !text.includes(key)));
    const hiding = texts.filter((text) => text.includes('[hidden: OPENAI_API_KEY]'));
    assert.equal(hiding.length, 3);
  });

  it('makes a case of each session that passes `check`', async (t) => {
    const { run, read } = await shop(t);
    const pulled = await run('mlflow', 'pull', 'shop');
    assert.equal(
      pulled.out,
      'Pulled 2 sessions with 3 traces into shop.eval.yaml.\n- Left out 1 trace without a session.\nNext: turnlight run shop.eval.yaml, then turnlight mlflow push shop.eval.yaml.\n',
    );
    assert.equal(pulled.code, 0);
    assert.equal(
      await read('shop.sessions/refund.yaml'),
      '- user: My refund?\n- assistant: By Friday.\n- user: You said that before!\n- assistant: Sorry.\n',
    );
    assert.match(await read('shop.eval.yaml'), /- type: conversation-completeness\n/);
    const checked = await run('check');
    assert.equal(checked.code, 0, checked.out);
    assert.match((await run('list')).out, /\n {2}orders\n {2}refund\n/);
  });

  it('finds a session beyond the newest 500 traces, alone and among all', async (t) => {
    const many = Array.from({ length: 620 }, (_, index) =>
      turnTrace(`t${index}`, `s${Math.floor(index / 31)}`, `Question ${index}`, 'Answer'),
    );
    const { run, read } = await shop(t, [...TRACES, ...many]);
    const { out } = await run('mlflow', 'pull', 'shop');
    assert.match(out, /^Pulled 22 sessions with 623 traces/);
    assert.equal((await read('shop.sessions/s19.yaml')).match(/- user: /g)?.length, 31);
    const one = await run(
      'mlflow',
      'pull',
      'shop',
      '--session',
      'orders',
      '--out',
      'one.eval.yaml',
    );
    assert.match(one.out, /^Pulled 1 session with 1 trace into one\.eval\.yaml/);
    assert.deepEqual((await run('list', 'one.eval.yaml')).out, 'one.eval.yaml\n  orders\n');
  });

  it('keeps an existing eval file, and pulls only new sessions', async (t) => {
    const { run, read, folder } = await shop(t);
    await run('mlflow', 'pull', 'shop', '--session', 'orders');
    await writeFile(join(folder, 'shop.eval.yaml'), CHECKED);
    const again = await run('mlflow', 'pull', '7', '--out', 'shop.eval.yaml');
    assert.match(
      again.out,
      /^Pulled 2 sessions with 3 traces for shop\.eval\.yaml, which is unchanged/,
    );
    assert.equal(await read('shop.eval.yaml'), CHECKED);
    assert.match((await run('list')).out, /refund/);
  });

  it('imports expectations and feedback of people once, as expectations and labels', async (t) => {
    const bob = { source_type: 'HUMAN', source_id: '../../bob' };
    const { run, read, folder } = await shop(t, TRACES, {
      assessments: {
        a1: [
          human('user_frustration', 'none', { metadata: { 'mlflow.trace.session': 'orders' } }),
          human('tone', 'so-so'),
          { ...human('x', 1), source: { source_type: 'LLM_JUDGE', source_id: 'm' } },
        ],
        b1: [
          {
            assessment_name: 'outcome',
            source: bob,
            expectation: { serialized_value: { value: '"It is paid."' } },
          },
        ],
        b2: [human('keeps to policy', false, { source: bob, rationale: 'A promise.' })],
      },
    });
    const pulled = await run('mlflow', 'pull', 'shop');
    assert.match(pulled.out, /\n2 new labels from ann@example\.com, bob\.\n/);
    assert.match(
      pulled.out,
      /\ntone: "so-so" can't become a label: it is neither good nor bad\.\n/,
    );
    assert.match(
      await read('shop.eval.yaml'),
      /\n {4}# - \{ name: tone, type: criterion, criterion: "" \}\n/,
    );
    assert.match(await read('shop.sessions/cases.yaml'), /expectations:\n +outcome: It is paid\./);
    const [ann] = (await read('shop.labels/ann@example.com.jsonl')).split('\n');
    const label = JSON.parse(ann ?? '');
    assert.match(label.question_hash, /^[0-9a-f]{64}$/);
    const { conversation_hash: hash, question_hash: _, ...rest } = label;
    assert.deepEqual(rest, {
      case: 'orders',
      assertion: 'user-frustration',
      status: 'pass',
      label: 'none',
      score: 1,
      at: '2026-01-02T00:00:00.000Z',
    });
    const kept = JSON.parse(await read(`shop.labels/conversations/${hash}.json`));
    assert.equal(kept.conversation.entries[1].items[0].text, 'Where is it?');
    const { question_hash: none, ...bobs } = JSON.parse(await read('shop.labels/bob.jsonl'));
    assert.deepEqual(
      [none, bobs.assertion, bobs.turn, bobs.status, bobs.comment],
      [undefined, 'keeps to policy', 4, 'fail', 'A promise.'],
    );
    assert.match((await run('mlflow', 'pull', 'shop')).out, /\n0 new labels from /);
    assert.equal((await read('shop.labels/bob.jsonl')).match(/\n/g)?.length, 1);
    assert.equal((await run('check')).code, 0);
    assert.equal((await readdir(folder)).includes('bob.jsonl'), false);
  });

  it('reports a label that is too large, and exits with 4', async (t) => {
    const rationale = 'x'.repeat(LIMITS.recordLine);
    const { run } = await shop(t, TRACES, {
      assessments: { b1: [human('tone', true, { rationale }), human('polite', true)] },
    });
    const { code, out } = await run('mlflow', 'pull', 'shop');
    assert.equal(code, 4);
    assert.match(out, /\n1 new label from ann@example\.com\.\n/);
    assert.match(out, /\nThe label cannot be written to .*: left out 1 label\. A label can/);
  });

  it('keeps hostile names and texts inside its folder and files', async (t) => {
    const names = [
      '../../evil',
      'con',
      'a"b\'c\n- x: y',
      'cases',
      'ORDERS',
      `{{x}} \${env:HOME}`,
      '日本',
    ];
    const traces = names.map((name, index) =>
      turnTrace(
        `t${index}`,
        name,
        `{{x}} \${env:HOME} ${name}`,
        `- user: ${name}\u202e # no comment`,
      ),
    );
    const { run, read, folder } = await shop(t, [...TRACES, ...traces]);
    const pulled = await run('mlflow', 'pull', 'shop');
    assert.match(pulled.out, /^Pulled 9 sessions/);
    const checked = await run('check');
    assert.equal(checked.code, 0, checked.out);
    assert.equal((await run('list')).out.split('\n').length, 11);
    const files = await readdir(join(folder, 'shop.sessions'));
    assert.ok(
      files.every((name) => /^[A-Za-z0-9][\w.-]*$/.test(name)),
      files.join(),
    );
    assert.equal(new Set(files.map((name) => name.toLowerCase())).size, files.length);
    const link = JSON.parse(await read('shop.sessions/mlflow.json'));
    const sessions = Object.values<{ session: string }>(link.sessions).map(
      ({ session }) => session,
    );
    assert.deepEqual(new Set(sessions), new Set(['orders', 'refund', ...names]));
  });

  it('follows no link when writing', async (t) => {
    const { run, folder } = await shop(t);
    const outside = await workspaceWith(t, { 'mine.yaml': 'mine\n' });
    await run('mlflow', 'pull', 'shop');
    const file = join(folder, 'shop.sessions/orders.yaml');
    await unlink(file);
    await symlink(join(outside, 'mine.yaml'), file);
    assert.equal((await run('mlflow', 'pull', 'shop')).code, 0);
    assert.equal(await readFile(join(outside, 'mine.yaml'), 'utf8'), 'mine\n');
    await rm(join(folder, 'shop.sessions'), { recursive: true });
    await symlink(outside, join(folder, 'shop.sessions'));
    const refused = await run('mlflow', 'pull', 'shop');
    assert.equal(refused.code, 4);
    assert.deepEqual(await readdir(outside), ['mine.yaml']);
  });
});

describe('turnlight mlflow push', () => {
  async function judged(t: TestContext): Promise<Shop> {
    const made = await shop(t);
    await made.run('mlflow', 'pull', 'shop');
    await writeFile(join(made.folder, 'shop.eval.yaml'), CHECKED);
    await made.run('run');
    return made;
  }

  it('attaches each verdict with its reason to the first trace of its session', async (t) => {
    const { run, server } = await judged(t);
    const pushed = await run('mlflow', 'push', 'shop.eval.yaml');
    assert.match(
      pushed.out,
      /^shop\.eval\.yaml: 4 assessments on 2 sessions, \d+ metrics in the evaluation run run-1 of "shop"\.\n$/,
    );
    const [says] = server.assessmentsOn('b1');
    const { 'turnlight.run': own, ...metadata } = says?.metadata ?? {};
    assert.ok(own);
    assert.deepEqual(
      { ...says, metadata },
      {
        assessment_name: 'says where',
        trace_id: 'b1',
        source: { source_type: 'CODE', source_id: 'turnlight contains' },
        feedback: { value: 0 },
        rationale: 'Turns 2, 4: does not contain "way".',
        metadata: {
          'mlflow.trace.session': 'refund',
          'mlflow.assessment.sourceRunId': 'run-1',
          'turnlight.verdict': 'says where 1',
          'turnlight.case': 'refund',
          'turnlight.status': 'fail',
          'turnlight.threshold': '1',
          'turnlight.score': '0',
        },
      },
    );
    assert.deepEqual(server.assessmentsOn('b2'), []);
  });

  it('reports errors in metrics and as assessment errors', async (t) => {
    const { run, server } = await judged(t);
    await run('mlflow', 'push');
    const [made] = server.runs;
    assert.deepEqual(made?.metrics, {
      'says where/mean': 0.5,
      'says where/pass_rate': 0.5,
      'says where/errors': 0,
      'says where/skipped': 0,
      'max-latency/errors': 2,
      'max-latency/skipped': 0,
      'cases/passed': 0,
      'cases/failed': 0,
      'cases/errors': 2,
      'cases/skipped': 0,
    });
    assert.deepEqual(
      [made?.status, [...(made?.traces ?? [])].sort()],
      ['FINISHED', ['a1', 'b1', 'b2']],
    );
    const error = server.assessmentsOn('a1')[1]?.feedback?.error;
    assert.equal(Reflect.get(Object(error), 'error_code'), 'check-failed');
  });

  it('counts a repeated case once, by its required pass rate', async (t) => {
    const { run, server, folder } = await shop(t);
    await run('mlflow', 'pull', 'shop');
    const repeated = CHECKED.replace(
      '  assert:',
      '  repeat: { times: 3, pass: any }\n  assert:',
    ).replace('    - { type: max-latency, max: 1 }\n', '');
    await writeFile(join(folder, 'shop.eval.yaml'), repeated);
    await run('run');
    assert.match((await run('mlflow', 'push')).out, / 6 assessments on 2 sessions/);
    const { metrics = {} } = server.runs[0] ?? {};
    assert.deepEqual([metrics['cases/passed'], metrics['cases/failed']], [1, 1]);
  });

  it('writes each run once', async (t) => {
    const { run, server } = await judged(t);
    await run('mlflow', 'push');
    const again = await run('mlflow', 'push');
    assert.match(again.out, / 0 assessments on 2 sessions \(4 already existed\)/);
    assert.equal(server.runs.length, 1);
    await run('run');
    await run('mlflow', 'push');
    assert.equal(server.runs.length, 2);
    assert.equal(server.assessmentsOn('a1').length, 4);
  });

  it('reports a run that was killed or damaged, and does not end it as finished', async (t) => {
    const { run, server, folder } = await judged(t);
    const [record = ''] = await recordsOf(folder);
    const text = await readFile(record, 'utf8');
    await writeFile(record, `${text.split('\n').slice(0, 2).join('\n')}\n`);
    const killed = await run('mlflow', 'push');
    assert.match(killed.err, /^Run [0-9a-f]{8} did not finish 1 case\.\nCases may be missing/);
    assert.deepEqual([killed.code, server.runs[0]?.status], [2, 'KILLED']);
    await writeFile(record, text.replace('{"kind":"case"', '{{"kind":"case"'));
    const damaged = await run('mlflow', 'push');
    assert.match(damaged.err, /\.jsonl, line 2: .*\n(.*\n)*Cases may be missing/);
    assert.deepEqual([damaged.code, server.runs[0]?.status], [2, 'FAILED']);
    await writeFile(record, text);
    const whole = await run('mlflow', 'push');
    assert.deepEqual([whole.code, server.runs[0]?.status], [0, 'FINISHED']);
  });

  it('matches sessions that are variants of a case', async (t) => {
    const { run, server, folder } = await judged(t);
    const one = `cases:
  - id: sessions
    transcripts: [shop.sessions/orders.yaml, shop.sessions/refund.yaml]
    assert: [{ type: contains, value: way }]
`;
    await writeFile(join(folder, 'shop.eval.yaml'), one);
    await run('run');
    assert.match((await run('mlflow', 'push')).out, /: 2 assessments on 2 sessions/);
    const on = (trace: string) =>
      server.assessmentsOn(trace).map(({ feedback }) => feedback?.value);
    assert.deepEqual([on('a1'), on('b1')], [[1], [0]]);
  });

  it('continues after an interruption', async (t) => {
    let left = 2;
    const instead: FakeOptions['instead'] = (path) => {
      if (!path.endsWith('/assessments')) return undefined;
      left -= 1;
      return left === -1 ? { status: 500, body: '{"error_code": "INTERNAL_ERROR"}' } : undefined;
    };
    const { run, server, folder } = await shop(t, TRACES, { instead });
    await run('mlflow', 'pull', 'shop');
    await writeFile(join(folder, 'shop.eval.yaml'), CHECKED);
    await run('run');
    assert.equal((await run('mlflow', 'push')).code, 2);
    assert.match(
      (await run('mlflow', 'push')).out,
      / 2 assessments on 2 sessions \(2 already existed\)/,
    );
    assert.deepEqual([server.runs.length, server.runs[0]?.status], [1, 'FINISHED']);
  });

  it('says what to do if nothing was pulled or run', async (t) => {
    const { run, folder } = await shop(t);
    await writeFile(join(folder, 'own.eval.yaml'), 'cases: []\n');
    for (const args of [[], ['own.eval.yaml']]) {
      const { code, err } = await run('mlflow', 'push', ...args);
      assert.deepEqual(
        [code, /Pull an experiment first: turnlight mlflow pull/.test(err)],
        [3, true],
      );
    }
    await run('mlflow', 'pull', 'shop');
    const { code, err } = await run('mlflow', 'push');
    assert.equal(code, 3);
    assert.match(
      err,
      /shop\.eval\.yaml has no run to push\. Run it first: turnlight run shop\.eval\.yaml/,
    );
  });
});

describe('an MLflow server', () => {
  for (const [what, env, code, told] of [
    [
      'that no variable names',
      { MLFLOW_TRACKING_URI: '' },
      3,
      /^Set MLFLOW_TRACKING_URI to the address/,
    ],
    [
      'that is a database',
      { MLFLOW_TRACKING_URI: 'sqlite:///mlflow.db' },
      3,
      /is "sqlite:.* start `mlflow server`/,
    ],
    [
      'with a password in its address',
      { MLFLOW_TRACKING_URI: 'https://ann:s3cret@h' },
      3,
      /is an address with a password in it\./,
    ],
    [
      'that is down',
      { MLFLOW_TRACKING_URI: 'http://127.0.0.1:9' },
      2,
      /^http:\/\/127\.0\.0\.1:9 cannot be reached: .* Start the server/,
    ],
    [
      'to which a token would go unencrypted',
      { MLFLOW_TRACKING_URI: 'http://mlflow.example.com', MLFLOW_TRACKING_TOKEN: 't0ken' },
      3,
      /^MLFLOW_TRACKING_TOKEN would be sent to mlflow\.example\.com unencrypted\. Use https/,
    ],
  ] as const) {
    it(`${what} is an error that says what to do`, async (t) => {
      const { run } = await shop(t, TRACES, {}, env);
      const ended = await run('mlflow', 'pull', 'shop');
      assert.equal(ended.code, code);
      assert.match(ended.err, told);
      assert.doesNotMatch(ended.err, /s3cret|t0ken/);
    });
  }

  for (const [what, instead, told] of [
    [
      'answers with a page',
      { status: 200, body: '<html>' },
      /isn't an MLflow server of version 3 or newer \(the answer isn't JSON\)/,
    ],
    [
      'answers another shape',
      { status: 200, body: '{"experiment": 3}' },
      /isn't an MLflow server of version 3 or newer/,
    ],
    ['nests too deep', { status: 200, body: `${'['.repeat(100_000)}` }, /isn't an MLflow server/],
    [
      'redirects',
      { status: 302, body: '', location: 'http://127.0.0.1:9/' },
      /redirects to another address, and nothing was sent there/,
    ],
    [
      'fails',
      { status: 500, body: 'oops' },
      /answered with status 500\. It isn't an MLflow server/,
    ],
    [
      'forbids it',
      { status: 403, body: '{"error_code":"PERMISSION_DENIED","message":"No\\u001b[31m"}' },
      /refused access with status 403\. Set MLFLOW_TRACKING_TOKEN.* It says: No/,
    ],
  ] as const) {
    it(`that ${what} is an error with exit code 2`, async (t) => {
      const { run } = await shop(t, TRACES, { instead: () => instead });
      const ended = await run('mlflow', 'pull', 'shop');
      assert.equal(ended.code, 2, ended.err);
      assert.match(ended.err, told);
      assert.ok(!ended.err.includes('\u001b'));
    });
  }

  for (const [how, authorization, env] of [
    ['a token', 'Bearer t0ken', { MLFLOW_TRACKING_TOKEN: 't0ken' }],
    [
      'a name and a password',
      `Basic ${Buffer.from('ann:s3cret').toString('base64')}`,
      { MLFLOW_TRACKING_USERNAME: 'ann', MLFLOW_TRACKING_PASSWORD: 's3cret' },
    ],
  ] as const) {
    it(`is asked with ${how} of the environment; missing or invalid values are reported`, async (t) => {
      const known = await shop(t, TRACES, { authorization }, env);
      assert.equal((await known.run('mlflow', 'pull', 'shop')).code, 0);
      const unknown = await shop(t, TRACES, { authorization });
      const refused = await unknown.run('mlflow', 'pull', 'shop');
      assert.equal(refused.code, 2);
      assert.match(
        refused.err,
        /refused access with status 401\. Set MLFLOW_TRACKING_TOKEN, or MLFLOW/,
      );
      const wrong = await shop(t, TRACES, { authorization }, { MLFLOW_TRACKING_TOKEN: 'other' });
      assert.match((await wrong.run('mlflow', 'pull', 'shop')).err, /status 401\. Check MLFLOW/);
      for (const name of await readdir(join(known.folder, 'shop.sessions'))) {
        assert.doesNotMatch(await known.read(`shop.sessions/${name}`), /t0ken|s3cret/);
      }
    });
  }

  it("lists its experiments if the given one doesn't exist", async (t) => {
    const { run } = await shop(t);
    const { code, err } = await run('mlflow', 'pull', 'shpo');
    assert.equal(code, 2);
    assert.match(err, /^There is no experiment "shpo" at http.* Available: "shop"\.\n$/);
  });

  it('reports missing sessions, and writes no eval file', async (t) => {
    const { run, folder } = await shop(t);
    const missing = await run('mlflow', 'pull', 'shop', '--session', 'nope');
    assert.deepEqual([missing.code, missing.err], [2, 'There is no session "nope".\n']);
    const empty = await shop(t, [{ id: 'x', spans: [] }]);
    const none = await empty.run('mlflow', 'pull', 'shop');
    assert.equal(none.code, 2);
    assert.match(
      none.err,
      /^No session in "shop" could be converted to a case\. Left out 1 trace without a session\./,
    );
    for (const one of [folder, empty.folder]) {
      assert.ok(!(await readdir(one)).includes('shop.eval.yaml'));
    }
  });

  it('is asked again if it is busy', async (t) => {
    let busy = 2;
    const instead: FakeOptions['instead'] = (path) => {
      if (!path.endsWith('/traces/search')) return undefined;
      busy -= 1;
      return busy >= 0 ? { status: 503, body: '' } : undefined;
    };
    const { run } = await shop(t, TRACES, { instead });
    assert.equal((await run('mlflow', 'pull', 'shop')).code, 0);
  });

  it('is not contacted without an experiment, which exits with 3', async (t) => {
    const { run } = await shop(t);
    assert.equal((await run('mlflow', 'pull')).code, 3);
    const { code, err } = await run('mlflow', 'pull', 'shop', '--out', 'x.yaml');
    assert.deepEqual(
      [code, err],
      [3, '--out: expected a file that ends in .eval.yaml, found "x.yaml".\n'],
    );
  });
});
