import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { recordLineSchema } from '../../../src/core/record/runRecord.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { turnlight, turnlightProcess } from '../../support/commandLine.ts';
import { tries } from '../../support/long.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json, type Step } from '../../support/modelServer/steps.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const KEY = 'sk-planted/0123456789+abcdef';
const TOKEN = 'planted-token-"9876543210"';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** How an agent, a program, or an endpoint repeats a secret. */
const SAID: Readonly<Record<string, (secret: string) => string>> = {
  plainly: (secret) => `The secret is ${secret}.`,
  'in JSON': (secret) => JSON.stringify({ authorization: `Bearer ${secret}` }),
  'in a URL': (secret) => `https://example.com/?key=${encodeURIComponent(secret)}`,
  'in base64': (secret) => base64(`user:${secret}!`),
};

/** Checks that neither a folder's files nor the command's output contain a secret in any form. */
async function assertClean(
  folder: string,
  printed: string,
  hidden: readonly string[],
  secrets: readonly string[] = [KEY, TOKEN],
): Promise<void> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const kept = files.filter((one) => one.isFile() && !/\.(?:yaml|mjs)$/.test(one.name));
  assert.ok(kept.length > 0);
  const texts = await Promise.all(
    kept.map(async (one) => [one.name, await readFile(join(one.parentPath, one.name), 'utf8')]),
  );
  const all = [printed, ...texts.map(([, text]) => text)].join('\n');
  for (const name of hidden) assert.ok(all.includes(`[hidden: ${name}]`), name);
  for (const [name = '', text = ''] of [['the output', printed], ...texts]) {
    for (const secret of secrets) {
      for (const form of [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ]) {
        assert.ok(!text.includes(form), `${name} holds ${form}`);
      }
      for (const before of ['', 'a', 'ab', 'user:']) {
        const core = base64(before + secret).slice(4, -4);
        assert.ok(!text.includes(core), `${name} holds it in base64`);
      }
    }
  }
}

/** Number of planted secrets. The sample covers every final special character and every form. */
const RUNS = tries(50, 8);

const RUN = ['run', '--record', 'out/recording.jsonl'];
const REPORTS = ['--reporter', 'terminal', '--reporter', 'json', '--output', 'out/report.json'];

describe('a repeated secret', () => {
  for (const [how, say] of Object.entries(SAID)) {
    it(`${how} by the agent, judge, and endpoint is never written`, async (t) => {
      const echo = (step: number): Step =>
        step % 3 === 2 ? faults.httpError(401, say(KEY)) : `${say(KEY)} ${say(TOKEN)}`;
      const server = await startModelServer((_body, index) => echo(index));
      t.after(() => server.close());
      const folder = await workspaceWith(t, {
        'a.eval.yaml': `models:
  j: {provider: openai, model: "m-\${env:PLANTED}", base_url: "${server.baseUrl}", headers: {x: "\${env:PLANTED}"}}
target: {type: chat, model: j, system: "Know \${env:PLANTED}."}
judge: j
cases:
  - {id: a, turns: [Hi, Ho], assert: [It greets., {type: contains, value: secret}]}
  - {id: b, turns: [Hi], assert: [It greets., {type: max-turns, max: 5}]}
  - {id: c, transcript: [{user: Hi}, {assistant: x}], assert: [{type: g-eval, criteria: It greets.}]}
`,
      });
      const env = { OPENAI_API_KEY: KEY, PLANTED: TOKEN };
      const { out, err } = await turnlight(folder, [...RUN, ...REPORTS], env);
      await assertClean(folder, out + err, ['OPENAI_API_KEY', 'PLANTED']);
    });

    it(`${how} by a program is never written`, async (t) => {
      const folder = await workspaceWith(t, {
        'agent.mjs': `const say = (secret) => (${say.toString().replace('base64(', 'btoa(')})(secret);
console.error(say(process.env.PLANTED_TOKEN));
export default () => { console.log(say(process.env.PLANTED_TOKEN)); return say(process.env.PLANTED_TOKEN); };
export const failing = () => { throw new Error(say(process.env.PLANTED_TOKEN)); };
`,
        'a.eval.yaml': `targets:
  good: {type: module, path: ./agent.mjs}
  bad: {type: module, path: ./agent.mjs, export: failing}
cases:
  - {id: a, target: good, turns: [Hi, Ho], assert: [{type: contains, value: "9876543210"}]}
  - {id: b, target: bad, turns: [Hi], assert: [{type: contains, value: x}]}
`,
      });
      const env = { PLANTED_TOKEN: TOKEN };
      const { out, err } = await turnlightProcess(folder, [...RUN, ...REPORTS], env);
      await assertClean(folder, out + err, ['PLANTED_TOKEN']);
    });
  }
});

describe('a long secret', () => {
  it('is never written, and neither are others', async (t) => {
    const long = 'QUJD'.repeat(7_000);
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `targets: {t: {type: http, url: "http://127.0.0.1:1/x", reply: /r, headers: {X-Key: ${'a'.repeat(30_000)}}}}
target: t
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]
`,
    });
    for (const args of [['--help'], ['run']]) {
      const env = { ANDROID_KEYSTORE_BASE64: long, OPENAI_API_KEY: KEY };
      const { code, out, err } = await turnlightProcess(folder, args, env);
      assert.equal(code, args[0] === 'run' ? 2 : 0, err.slice(0, 200));
      assert.doesNotMatch(out + err, /QUJDQUJD|aaaaaaaa|sk-planted/);
    }
  });
});

describe('a secret that is part of JSON or XML syntax', () => {
  const SUITE = `cases:
  - id: a
    threshold: 0.5
    transcript: [{user: Hi}, {assistant: Nope}]
    assert: [{type: contains, value: Hello, required: true}, {type: contains, value: Nope}]
`;
  const FORMATS = ['json', 'junit', 'html', 'csv', 'otlp', 'github'] as const;
  const reporters = FORMATS.flatMap((name) => [
    '--reporter',
    name === 'github' ? name : `${name}=out/${name}`,
  ]);

  for (const secret of [
    'required',
    'verdicts',
    'rationale',
    'threshold',
    'assistant',
    'transcript',
    '"kind":"turn"',
    '"status":"fail"',
    '"line":5',
    '<failure',
    'failures="1"',
    '</testcase>',
    '::error file=',
  ]) {
    it(`such as ${secret}, changes no result, record, or report`, async (t) => {
      const folder = await workspaceWith(t, { 'a.eval.yaml': SUITE });
      const { code, err } = await turnlight(folder, ['run', ...reporters], {
        SSH_KEY_POLICY: secret,
      });
      assert.equal(code, 1, err);
      const [record] = await readdir(join(folder, '.turnlight/runs'));
      const text = await readFile(join(folder, '.turnlight/runs', record ?? ''), 'utf8');
      const [, line, end] = text
        .trim()
        .split('\n')
        .map((one) => recordLineSchema.parse(JSON.parse(one)));
      assert.ok(line?.kind === 'case' && end?.kind === 'end');
      assert.deepEqual([line.status, line.verdicts[0]?.assertion.required], ['fail', true]);
      const junit = await readFile(join(folder, 'out/junit'), 'utf8');
      assert.match(junit, /<testsuites name="Turnlight" tests="1" failures="1"/);
      assert.match(junit, /<failure message=.*<\/failure>\n {4}<\/testcase>/s);
      const { code: printed, out } = await turnlight(folder, ['run', '--reporter', 'junit'], {
        SSH_KEY_POLICY: secret,
      });
      assert.equal(printed, 1);
      assert.match(out, /<testsuites name="Turnlight" tests="1" failures="1"/);
      assert.match(out, /<\/testcase>/);
    });
  }

  for (const secret of ['unchanged', 'no-evidence', '"evidence"', 'conversations', '\n  "cases"']) {
    it(`such as ${secret.trim()}, changes no comparison`, async (t) => {
      const planted = 'planted-token';
      const suite = SUITE.replace('id: a', `id: ${planted}`);
      const folder = await workspaceWith(t, { 'a.eval.yaml': suite });
      await turnlight(folder, ['run'], {});
      await writeFile(join(folder, 'a.eval.yaml'), suite.replace('value: Nope', 'value: No'));
      await turnlight(folder, ['run'], {});
      for (const command of ['compare', 'noise', 'agreement']) {
        for (const format of ['json', 'markdown', 'terminal']) {
          const print = async (env: Record<string, string>) =>
            (await turnlight(folder, [command, '--format', format], env)).out;
          const printed = await print({ SSH_KEY_POLICY: secret, MY_TOKEN: planted });
          assert.equal(printed, (await print({})).replaceAll(planted, '[hidden: MY_TOKEN]'));
        }
      }
    });
  }

  it('such as a word of its schema, changes no answer of a judge', async (t) => {
    const answer = {
      turns: [{ turn: 2, applicable: true, rationale: 'said', evidence: 'Nope', verdict: 'fail' }],
      rationale: 'It says planted-token, and planted-token.',
      score: 1,
    };
    const server = await startModelServer(() => json(answer));
    t.after(() => server.close());
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `judge: {provider: openai, model: m, base_url: "${server.baseUrl}"}
cases: [{id: a, transcript: [{user: Hi}, {assistant: Nope}], assert: [{type: g-eval, criteria: It greets., steps: [Look.]}]}]
`,
    });
    const env = { OPENAI_API_KEY: KEY, SSH_KEY: 'rationale', SSH_KEY_2: 'planted-token' };
    for (const count of [1, 2]) {
      const { code, out, err } = await turnlight(folder, ['run'], env);
      assert.equal(code, 1, `${out}${err} ${count}`);
      assert.doesNotMatch(out, /planted-token/);
      assert.match(out, /It says \[hidden: SSH_KEY_2\], and \[hidden: SSH_KEY_2\]/);
    }
  });

  it("doesn't crash a run in an address with a malformed escape", async (t) => {
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `cases: [{id: a, transcript: [{user: Hi}, {assistant: Hello}], assert: [turn-relevancy]}]
`,
    });
    const address = ['--base-url', 'http://x:%E0%A4%A@127.0.0.1:9/v1', '--judge', 'openai:m'];
    const { code, err } = await turnlight(folder, ['run', ...address], { OPENAI_API_KEY: KEY });
    assert.notEqual(code, 4, err);
    assert.doesNotMatch(err, /Internal error|%E0%A4%A/);
  });

  it("doesn't crash a run as a header of a target", async (t) => {
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `targets: {t: {type: http, url: "http://127.0.0.1:1/x", reply: /r, headers: {X-Key: '"kind":"turn"'}}}
target: t
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]
`,
    });
    const { code, err } = await turnlight(folder, ['run'], {});
    assert.equal(code, 2, err);
  });

  it('is refused if its name is not a variable name', async (t) => {
    const name = 'x_KEY":0,"status":"pass","score":1,"rationale":"\u001by';
    const folder = await workspaceWith(t, {
      'a.eval.yaml': SUITE,
      '.env': `A=1\n${name}='status":"fail","score":0,"rationale":"'\n`,
    });
    const { code, err } = await turnlight(folder, ['run', '--dotenv', '.env'], {});
    assert.equal(code, 3);
    assert.match(err, /^--dotenv: \.env:2: "x_KEY":0,.* is not a valid variable name/);
    assert.ok(!err.includes('\u001b'));
  });
});

describe('a secret at the place where an error is truncated', () => {
  const SECRET = `tokSECRET${'0123456789abcdef'.repeat(8)}`;
  const REPLIES: readonly (readonly [what: string, say: string, keys?: string])[] = [
    ['a reply without text', `console.log(JSON.stringify({x: said}))`],
    ['a line that is not JSON', 'console.log(said)'],
    ['a long error', `console.log(JSON.stringify({error: said + 'x'.repeat(1950)}))`],
    ['an answer without its id', `console.log(JSON.stringify({x: said}))`, ', worker: true'],
  ];
  for (const [what, say, keys = ''] of REPLIES) {
    it(`is hidden completely in ${what} of a program`, async (t) => {
      const folder = await workspaceWith(t, {
        'agent.mjs': `const said = 'y'.repeat(100) + process.env.MY_TOKEN;
process.stdin.once('data', () => { ${say}; process.exit(); });`,
        'a.eval.yaml': `target: {type: command, command: [node, agent.mjs]${keys}}
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]
`,
      });
      const { code, out, err } = await turnlightProcess(folder, RUN, { MY_TOKEN: SECRET });
      assert.equal(code, 2, err);
      await assertClean(folder, out + err, [], [SECRET.slice(0, 12), SECRET.slice(-20)]);
    });
  }

  it('is hidden completely in answers of a service', async (t) => {
    const answers = [
      [200, (token: string) => JSON.stringify({ x: 'y'.repeat(150) + token })],
      [400, (token: string) => `${token} `.repeat(60)],
      [400, (token: string) => `${'y'.repeat(3_950)}${token}`],
    ] as const;
    for (const [status, say] of answers) {
      const server = createServer((request, response) => {
        response.statusCode = status;
        response.end(say(request.headers.authorization?.replace('Bearer ', '') ?? ''));
      });
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      t.after(() => server.close());
      const { port } = server.address() as AddressInfo;
      const folder = await workspaceWith(t, {
        'a.eval.yaml': `targets: {t: {type: http, url: "http://127.0.0.1:${port}/", reply: /r, headers: {Authorization: "Bearer \${env:MY_TOKEN}"}}}
target: t
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]
`,
      });
      const { code, out, err } = await turnlight(folder, RUN, { MY_TOKEN: SECRET });
      assert.equal(code, 2, err);
      await assertClean(folder, out + err, [], [SECRET.slice(0, 12)]);
    }
  });
});

describe('a secret in the address of an endpoint', () => {
  it("is not shown if the endpoint doesn't answer", async (t) => {
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `models: {j: {provider: openai, model: m, base_url: "http://127.0.0.1:1/\${env:PLANTED}/v1", timeout: 300}}
cases: [{id: a, judge: j, transcript: [{user: Hi}, {assistant: x}], assert: [It greets.]}]
`,
    });
    const { out, err } = await turnlight(folder, [...RUN, ...REPORTS], {
      PLANTED: 'planted-9876543210',
    });
    assert.doesNotMatch(out + err, /planted-9876543210/);
    await assertClean(folder, out + err, ['PLANTED']);
  });
});

describe('a model whose name is a secret', () => {
  it('is not shown if there is no such model', async (t) => {
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `cases: [{id: a, judge: "\${env:PLANTED}", transcript: [{user: Hi}, {assistant: x}], assert: [It greets.]}]\n`,
    });
    const { code, out, err } = await turnlight(folder, ['run'], { PLANTED: 'planted-9876543210' });
    assert.equal(code, 3);
    assert.doesNotMatch(out + err, /planted-9876543210/);
  });
});

describe('many runs with secrets of all kinds', () => {
  it('are never written to any file', async (t) => {
    const ways = Object.values(SAID);
    for (let run = 0; run < RUNS; run += 1) {
      const end = `${run}${'/+"%\\&=~'[run % 8]}z`;
      const [key, word] = [`sk-planted-${end}`, `planted-word-${end}`];
      const say = ways[run % ways.length] ?? String;
      const echo = (index: number): Step =>
        (index + run) % 4 === 3
          ? faults.httpError(401, say(key))
          : { text: `${say(word)} ${say(key)}`, version: word };
      const server = await startModelServer((_body, index) => echo(index));
      const suite = `models:
  j: {provider: openai, model: "m-\${env:PLANTED}", base_url: "${server.baseUrl}", headers: {x: "\${env:PLANTED}"}}
  k: {provider: openai, model: m, base_url: "http://127.0.0.1:1/\${env:PLANTED}/v1", timeout: 300}
target: {type: chat, model: j, system: "Know \${env:PLANTED}."}
judge: j
cases:
  - {id: a, turns: [Hi, Ho], assert: [It greets., {type: contains, value: planted}]}
  - {id: b, judge: k, transcript: [{user: Hi}, {assistant: x}], assert: [It greets.]}
`;
      const scrubber = new Scrubber({ OPENAI_API_KEY: key });
      const env = (name: string) => (name === 'PLANTED' ? word : undefined);
      const workspace = await workspaceWith(t, {});
      const record = join(workspace, 'recording.jsonl');
      const options = { workspace, record, scrubber, env, secret: async () => key };
      const { lines } = await runFiles(t, { 'suite.eval.yaml': suite }, options);
      await server.close();
      assert.equal(lines.length, 2);
      await assertClean(workspace, JSON.stringify(lines), ['PLANTED'], [key, word]);
    }
  });
});
