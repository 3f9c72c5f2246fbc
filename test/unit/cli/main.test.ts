import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { start, turnlight, turnlightProcess } from '../../support/commandLine.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import * as faults from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { workspaceWith } from '../../support/runs.ts';

function suiteText(baseUrl: string, more = ''): string {
  return `name: Greetings
targets:
  agent:
    type: chat
    model: {provider: openai, model: agent, base_url: "${baseUrl}"}
target: agent
cases:
  - id: polite
    tags: [quick]
    turns: [Say hello]
    assert:
      - {type: contains, name: Greets, value: Hello}
  - id: thankful
    description: Says thanks.
    turns: [Say thanks]
    assert:
      - {type: contains, name: Thanks, value: Thanks}
${more}`;
}

function lastWords(body: ChatBody): string {
  return body.messages.at(-1)?.content ?? '';
}

/** Follows the instruction in the last message. */
const OBEDIENT: Script = (body) => (lastWords(body) === 'Say hello' ? 'Hello!' : 'Thanks a lot.');
const RUDE: Script = (body) => (lastWords(body) === 'Say hello' ? 'Hello!' : 'What do you want?');

async function workspace(t: TestContext, script: Script, more?: string) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const folder = await workspaceWith(t, { 'greet.eval.yaml': suiteText(server.baseUrl, more) });
  return { server, folder };
}

test('run: exits with 0 if all cases pass, prints plain lines, and writes a record', async (t) => {
  const { folder } = await workspace(t, OBEDIENT);
  const { code, out, err } = await turnlightProcess(folder, ['run']);
  assert.equal(err, '');
  assert.equal(code, 0, out);
  assert.match(out, /^✓ polite {2}\d/m);
  assert.match(out, /Case +Greets +Thanks\n✓ polite/);
  assert.match(out, /2 passed, 0 failed, 0 errored, 0 skipped/);
  assert.doesNotMatch(out, /\p{Cc}(?<!\n)/u);
  const [record] = await readdir(join(folder, '.turnlight/runs'));
  assert.ok(out.includes(`Record: .turnlight/runs/${record}`));
});

test('run: --min-pass-rate accepts a share of the cases, and reports the rate', async (t) => {
  const { folder } = await workspace(t, RUDE);
  const enough = await turnlight(folder, ['run', '--min-pass-rate', '0.5']);
  assert.equal(enough.code, 0, enough.out);
  assert.match(enough.err, /^Pass rate 0\.50 reaches --min-pass-rate 0\.50\.$/m);
  const short = await turnlight(folder, ['run', '--min-pass-rate', '0.6']);
  assert.equal(short.code, 1, short.out);
  assert.match(short.err, /^Pass rate 0\.50 is below --min-pass-rate 0\.60\.$/m);
});

test('run: --dotenv provides keys, redacts them in output, and allows no hosts', async (t) => {
  const { folder, server } = await workspace(
    t,
    (body) => `Hello! Thanks. ${lastWords(body)} sk-from-the-file`,
  );
  await writeFile(join(folder, '.env'), 'OPENAI_API_KEY=sk-from-the-file\n');
  const { code, out } = await turnlightProcess(folder, ['run', '--dotenv', '.env']);
  assert.equal(code, 0, out);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-from-the-file');
  const [record = ''] = await readdir(join(folder, '.turnlight/runs'));
  const written = await readFile(join(folder, '.turnlight/runs', record), 'utf8');
  assert.match(written, /\[hidden: OPENAI_API_KEY\]/);
  assert.doesNotMatch(written + out, /sk-from-the-file/);
  await writeFile(join(folder, '.env'), 'TURNLIGHT_ALLOW_HOSTS=llm.example.com\n');
  const refused = await turnlight(folder, ['run', '--dotenv', '.env']);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /may not set TURNLIGHT_ALLOW_HOSTS\. Use --allow-host\./);
  const missing = await turnlight(folder, ['run', '--dotenv', 'none.env']);
  assert.equal(missing.code, 3);
  assert.match(missing.err, /--dotenv: can't read none\.env\. The file does not exist\./);
});

test("run: an agent's text is never a command to a CI", async (t) => {
  const { folder } = await workspace(t, () => '::error::pwned\n  ##[error]pwned');
  const { out, err } = await turnlightProcess(folder, ['run']);
  assert.match(out, /pwned/);
  assert.doesNotMatch(out + err, /^\s*(?:::|##\[)/m);
});

test('run --replay: gives each eval file its own replies, even if cases have the same id', async (t) => {
  const agent = `import { readFileSync } from 'node:fs';
export default () => readFileSync(new URL('./reply.txt', import.meta.url), 'utf8');
`;
  const suite =
    'target: {type: module, path: ./agent.mjs}\ncases:\n  - {id: greets, turns: [Hi], assert: [{type: contains, value: Hello}]}\n';
  const filesIn = (name: string, reply: string) => ({
    [`${name}/a.eval.yaml`]: suite,
    [`${name}/agent.mjs`]: agent,
    [`${name}/reply.txt`]: reply,
  });
  const folder = await workspaceWith(t, {
    ...filesIn('bank', 'Hello'),
    ...filesIn('shop', 'Bye'),
    ...filesIn('later', 'Bye'),
  });
  await turnlight(folder, ['run', 'bank', 'shop', '--record', 'all.jsonl']);
  const replayed = async (name: string) => {
    const { code, out, err } = await turnlight(folder, ['run', name, '--replay', 'all.jsonl']);
    return [code, /was not recorded for the case/.test(out + err)];
  };
  assert.deepEqual(await replayed('bank'), [0, false]);
  assert.deepEqual(await replayed('shop'), [1, false]);
  assert.equal((await replayed('later'))[1], true);
});

test('run: stores the record in the same place from every working folder', async (t) => {
  const server = await startModelServer(OBEDIENT);
  t.after(() => server.close());
  const suite = suiteText(server.baseUrl);
  const files = { '.git': 'gitdir: elsewhere', 'evals/greet.eval.yaml': suite, 'docs/a.md': '' };
  const folder = await workspaceWith(t, files);
  for (const [from, file] of [
    ['.', 'evals'],
    ['evals', 'greet.eval.yaml'],
    ['docs', '../evals/greet.eval.yaml'],
  ] as const) {
    const { code, out } = await turnlight(join(folder, from), ['run', file, '--case', 'polite']);
    assert.equal(code, 0, out);
  }
  assert.equal((await readdir(join(folder, '.turnlight/runs'))).length, 3);
  assert.equal(existsSync(join(folder, 'evals/.turnlight')), false);
  assert.equal(existsSync(join(folder, 'docs/.turnlight')), false);
});

test('run: exits with 1 if a case fails, and shows turn, text, reason, and location', async (t) => {
  const { folder } = await workspace(t, RUDE);
  const { code, out } = await turnlightProcess(folder, ['run', 'greet.eval.yaml']);
  assert.equal(code, 1, out);
  assert.match(out, /✗ thankful {2}greet\.eval\.yaml:13/);
  assert.match(out, /✗ Thanks: .*greet\.eval\.yaml:17/);
  assert.match(out, /Turn 2.*\n.*What do you want\?/);
});

test('run: exits with 2 if a case errors, and never shows its key', async (t) => {
  const key = 'sk-secret-0123456789';
  const { server, folder } = await workspace(t, () => faults.unauthorized(key));
  const { code, out, err } = await turnlightProcess(folder, ['run'], { OPENAI_API_KEY: key });
  assert.equal(code, 2, out);
  assert.equal(server.requests[0]?.headers.authorization, `Bearer ${key}`);
  assert.match(out, /OPENAI_API_KEY/);
  const [record] = await readdir(join(folder, '.turnlight/runs'));
  const kept = await readFile(join(folder, '.turnlight/runs', record ?? ''), 'utf8');
  assert.ok(![out, err, kept].some((text) => text.includes(key)));
});

test('run: refuses the whole run before any request if a file is invalid', async (t) => {
  const { server, folder } = await workspace(t, OBEDIENT, '    asertions: []\n');
  const { code, out, err } = await turnlightProcess(folder, ['run', '--case', 'polite']);
  assert.equal(code, 3);
  assert.equal(out, '');
  assert.match(err, /^greet\.eval\.yaml:18:5: error unknown-key .*asertions.*\n/);
  assert.match(err, /Nothing was run/);
  assert.equal(server.requests.length, 0);
  assert.equal(existsSync(join(folder, '.turnlight')), false);
});

test('run: --case, --tag and --no-save', async (t) => {
  const { server, folder } = await workspace(t, RUDE);
  assert.equal((await turnlight(folder, ['run', '--case', 'pol*', '--no-save'])).code, 0);
  assert.equal((await turnlight(folder, ['run', '--tag', 'quick', '--no-save'])).code, 0);
  assert.equal(server.requests.length, 2);
  assert.equal(existsSync(join(folder, '.turnlight')), false);
});

for (const [args, words] of [
  [['run', '--case', 'nobody'], /No case matches "nobody"\. .*polite, thankful/],
  [['run', '--tag', 'slow'], /No case has the tag "slow"/],
  [['run', 'none.eval.yaml'], /"none\.eval\.yaml" matches no eval file/],
  [['run', '--reporter', 'pdf'], /terminal, json, junit/],
  [['run', '--timeout', 'soon'], /whole number/],
  [['run', '--asertion'], /unknown option.*\n.*Run turnlight run --help for its options\./s],
  [['mlflow', 'sned'], /Run turnlight mlflow --help for commands and options\./],
  [['run', '--record', 'a', '--replay', 'a'], /either --record or --replay/],
  [['run', '--replay', 'none.jsonl'], /none\.jsonl cannot be read/],
  [['check', '--format', 'xml'], /text, json/],
  [['chekc'], /unknown command/],
  [['lsp'], /--stdio/],
] as const) {
  test(`a usage error exits with 3 and says what to do: ${args.join(' ')}`, async (t) => {
    const { server, folder } = await workspace(t, OBEDIENT);
    const { code, err } = await turnlight(folder, args);
    assert.equal(code, 3, err);
    assert.match(err, words);
    assert.doesNotMatch(err, /\n {4}at /);
    assert.equal(server.requests.length, 0);
  });
}

test('run: `only` narrows, and is refused where CI is set unless it is allowed', async (t) => {
  const { server, folder } = await workspace(t, RUDE);
  const file = await readFile(join(folder, 'greet.eval.yaml'), 'utf8');
  const narrowed = file.replace('id: polite', 'id: polite\n    only: true');
  const only = await workspaceWith(t, { 'greet.eval.yaml': narrowed });
  const refused = await turnlight(only, ['run'], { CI: 'true' });
  assert.equal(refused.code, 3);
  assert.match(refused.err, /greet\.eval\.yaml:\d+: the case "polite" sets `only`/);
  assert.equal((await turnlight(only, ['run', '--forbid-only'])).code, 3);
  assert.equal(server.requests.length, 0);
  assert.equal((await turnlight(only, ['run', '--no-forbid-only'], { CI: 'true' })).code, 0);
  assert.equal(server.requests.length, 1);
});

test('run: --replay answers from the file of --record without any request', async (t) => {
  const { server, folder } = await workspace(t, RUDE);
  const first = await turnlight(folder, ['run', '--record', 'out/r.jsonl'], {
    OPENAI_API_KEY: 'sk-secret-1',
  });
  assert.equal(first.code, 1, first.err);
  const asked = server.requests.length;
  const replayed = await turnlight(folder, ['run', '--replay', 'out/r.jsonl']);
  assert.equal(replayed.code, 1, replayed.err);
  assert.equal(server.requests.length, asked);
  const recording = await readFile(join(folder, 'out/r.jsonl'), 'utf8');
  assert.doesNotMatch(recording, /sk-secret|127\.0\.0\.1|authorization/i);
});

test('run: writes JUnit to a file and JSON to standard output next to the terminal report', async (t) => {
  const { folder } = await workspace(t, RUDE);
  const junit = await turnlight(folder, [
    'run',
    '--reporter',
    'terminal',
    '--reporter',
    'junit',
    '--output',
    'o/r.xml',
  ]);
  assert.match(junit.out, /1 passed, 1 failed/);
  const xml = await readFile(join(folder, 'o/r.xml'), 'utf8');
  assert.match(
    xml,
    /<testsuite name="Greetings" file="greet\.eval\.yaml".* tests="2" failures="1"/,
  );
  const json = await turnlightProcess(folder, ['run', '--reporter', 'json']);
  const { cases } = JSON.parse(json.out);
  assert.deepEqual(
    cases.map((one: { id: string }) => one.id),
    ['polite', 'thankful'],
  );
});

test('run: --judge and --base-url replace the judge', async (t) => {
  const judge = await startModelServer(() => faults.httpError(400, 'Enough.'));
  t.after(() => judge.close());
  const { folder } = await workspace(t, OBEDIENT, '      - The agent is kind.\n');
  const args = ['run', '--judge', 'openai:other', '--base-url', judge.baseUrl];
  const { code, out } = await turnlight(folder, args);
  assert.equal(code, 2, out);
  assert.equal(judge.requests[0]?.body.model, 'other');
});

test('run: Ctrl+C exits with 130 and keeps finished cases', async (t) => {
  const { folder } = await workspace(t, (body) =>
    lastWords(body) === 'Say hello' ? 'Hello!' : faults.hang(),
  );
  const running = start(folder, ['run', '--concurrency', '1', '--reporter', 'terminal']);
  await running.shows('✓ polite');
  running.interrupt();
  const { code, out } = await running.ended;
  assert.equal(code, 130, out);
  assert.match(out, /Stopping\. Press Ctrl\+C again/);
  assert.match(out, /1 passed/);
  const [record] = await readdir(join(folder, '.turnlight/runs'));
  const kept = await readFile(join(folder, '.turnlight/runs', record ?? ''), 'utf8');
  assert.match(kept, /"id":"polite"/);
});

test('check: reports an unknown key in a turn with file, line, column, code, and the correct key', async (t) => {
  const folder = await workspaceWith(t, {
    'evals/a.eval.yaml': `name: A
target: {type: module, path: ./agent.mjs}
cases:
  - id: one
    turns:
      - user: Hi
        asertions:
          - {type: contains, value: Hello}
    assert: [{type: contains, value: Hello}]
`,
    'evals/agent.mjs': "export default async () => 'Hello';\n",
  });
  const { code, out } = await turnlight(folder, ['check']);
  assert.equal(code, 3);
  assert.match(out, /^evals\/a\.eval\.yaml:7:9: error unknown-key .*asertions.*assert/m);
  assert.match(out, /Checked 1 file: 1 error, 0 warnings\./);
  const json = await turnlight(folder, ['check', '--format', 'json']);
  assert.equal(json.code, 3);
  const [problem] = JSON.parse(json.out);
  assert.equal(problem.code, 'unknown-key');
  assert.deepEqual([problem.line, problem.column], [7, 9]);
});

const POSIX = { skip: process.platform === 'win32' };

test(
  'check: a pipe is read where the user names it, not where a folder holds it',
  POSIX,
  async (t) => {
    const folder = await workspaceWith(t, { 'a.eval.yaml': 'cases: []' });
    execFileSync('mkfifo', [join(folder, 'b.eval.yaml')]);
    const whole = await turnlight(folder, ['check', '.']);
    assert.match(whole.out, /b\.eval\.yaml:1:1: error file-unreadable .* is not a regular file/);
    const [{ out }] = await Promise.all([
      turnlight(folder, ['check', 'b.eval.yaml']),
      writeFile(join(folder, 'b.eval.yaml'), 'nothing: here'),
    ]);
    assert.match(out, /b\.eval\.yaml:1:1: error unknown-key /);
  },
);

test('check: exits with 0 if the files are valid, without any request', async (t) => {
  const { server, folder } = await workspace(t, OBEDIENT);
  const { code, out } = await turnlight(folder, ['check', '.']);
  assert.equal(code, 0, out);
  assert.equal(server.requests.length, 0);
});

test('check: combines warnings about many conversations into one with the first places', async (t) => {
  const talk = JSON.stringify([{ user: 'Hi' }, { assistant: 'Hello' }, { user: 'Still there?' }]);
  const folder = await workspaceWith(t, {
    'a.eval.yaml':
      'cases:\n  - {id: a, transcripts: [set.jsonl, b.json], assert: [{type: contains, value: H}]}\n',
    'set.jsonl': `${talk}\n`.repeat(40),
    'b.json': '[{"user": "Hi"}]',
  });
  const { out } = await turnlight(folder, ['check']);
  const unfinished = out.split('\n').filter((line) => line.includes('conversation-unfinished'));
  assert.equal(unfinished.length, 1, out);
  assert.match(
    unfinished[0] ?? '',
    /^set\.jsonl:1:\d+: warning .* This applies to 40 conversations: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 30 more\.$/,
  );
  // Errors are listed individually.
  assert.match(out, /^b\.json:1:\d+: error no-assistant-message /m);
  const json = await turnlight(folder, ['check', '--format', 'json']);
  const codes = JSON.parse(json.out).map(({ code }: { code: string }) => code);
  assert.equal(codes.filter((code: string) => code === 'conversation-unfinished').length, 40);
});

test('list: prints the cases of each file', async (t) => {
  const { folder } = await workspace(t, OBEDIENT);
  const { code, out } = await turnlight(folder, ['list']);
  assert.equal(code, 0, out);
  assert.equal(out, 'greet.eval.yaml\n  polite  [quick]\n  thankful  Says thanks.\n');
});

test("list: marks cases that don't run", async (t) => {
  const { folder } = await workspace(t, OBEDIENT);
  const transcript = [{ user: 'Hi' }, { assistant: 'Hello' }];
  const checks = [{ type: 'contains', value: 'Hello' }];
  const cases = [
    { id: 'a', only: true },
    { id: 'b', skip: 'Needs the new API.' },
    { id: 'c', skip: true },
  ].map((one) => ({ ...one, transcript, assert: checks }));
  await writeFile(join(folder, 'marked.eval.yaml'), JSON.stringify({ cases }));
  const { out } = await turnlight(folder, ['list', 'marked.eval.yaml']);
  assert.equal(
    out,
    'marked.eval.yaml\n  a  (only)\n  b  (skipped: Needs the new API.)\n  c  (skipped)\n',
  );
});
