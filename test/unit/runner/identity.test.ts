import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import type { SuiteCase } from '../../../src/core/suite.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { caseDigest, programsOf } from '../../../src/runner/case/describeCase.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { targetDigest } from '../../../src/targets/digest.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { botSuite, ECHO, runFiles, suiteIn, workspaceWith } from '../../support/runs.ts';

const CHECK = 'assert: [{type: contains, value: x}]';

type Files = Readonly<Record<string, string>>;

/** The record's line for the only case. */
async function lineOf(t: TestContext, files: Files): Promise<CaseLine> {
  const { record = '' } = await runFiles(t, files);
  const [line] = (await readRecord(record)).cases;
  assert.ok(line);
  return line;
}

function bot(keys: string, agent = ECHO, top = ''): Files {
  return { 'bot.mjs': agent, 'suite.eval.yaml': botSuite(`  - {id: a, ${keys}, ${CHECK}}\n`, top) };
}

describe("a case's line", () => {
  it('is enough to rejudge its conversation without the file', async (t) => {
    const top = 'role: A shop.\ntopics: [orders]\ntools: [{name: lookup, description: Finds}]\n';
    const keys = 'turns: [x], context: {city: Rome}, expectations: An answer';
    const line = await lineOf(t, bot(keys, ECHO, top));
    assert.equal(line.origin, 'turns');
    assert.equal(line.stop_reason, undefined);
    assert.deepEqual(line.facts, {
      role: 'A shop.',
      topics: ['orders'],
      tools: [{ name: 'lookup', description: 'Finds' }],
      expectations: { outcome: 'An answer' },
      context: { city: 'Rome' },
    });
    assert.equal(line.target?.name, 'bot');
    assert.equal(line.target?.type, 'module');
    assert.match(`${line.target?.digest} ${line.input_hash}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
  });

  it('marks a transcript', async (t) => {
    const line = await lineOf(t, bot('transcript: [{user: x}, {assistant: x}]'));
    assert.deepEqual([line.origin, line.target], ['transcript', undefined]);
  });

  it('contains the reason if a conversation ended early', async (t) => {
    const failing = `{user: y, ${CHECK}}`;
    const stopped = await lineOf(t, bot(`stop_on_failure: true, turns: [${failing}, x]`));
    assert.equal(stopped.stop_reason, 'stop-on-failure');
    const broken = await lineOf(t, bot('turns: [x]', 'export default () => { throw 1; };\n'));
    assert.deepEqual([broken.status, broken.stop_reason], ['error', 'target-error']);
  });
});

describe('the hash of the input', () => {
  const hashOf = async (t: TestContext, ...given: Parameters<typeof bot>) =>
    (await lineOf(t, bot(...given))).input_hash;

  it('is the same for the same input, in another folder and under other assertions', async (t) => {
    const hash = await hashOf(t, 'turns: [x]');
    assert.equal(await hashOf(t, 'turns: [x], role: Other, expectations: Other, tags: [a]'), hash);
  });

  it('differs with other turns, facts for the target, or another target', async (t) => {
    const hashes = [
      await hashOf(t, 'turns: [x]'),
      await hashOf(t, 'turns: [x, x]'),
      await hashOf(t, 'turns: [{user: x, expected: x}]'),
      await hashOf(t, 'turns: [x], context: {a: 1}'),
      await hashOf(t, 'turns: [x], tools: [{name: a}]'),
      await hashOf(t, 'turns: [x]', `${ECHO}// changed\n`),
      await hashOf(t, 'transcript: [{user: x}, {assistant: x}]'),
      await hashOf(t, 'transcript: [{user: x}, {assistant: y}]'),
    ];
    assert.equal(new Set(hashes).size, hashes.length);
  });
});

describe('the digest of a target', () => {
  /** The digest of the only case's target. */
  async function digestOf(t: TestContext, target: string, files: Files = {}, env: Files = {}) {
    const folder = await workspaceWith(t, files);
    const text = `target: ${target}\ncases:\n  - {id: a, turns: [x], ${CHECK}}\n`;
    await writeFile(join(folder, 'suite.eval.yaml'), text);
    const options = { workspace: folder, env: (name: string) => env[name] };
    const { suite, problems } = await loadSuite(
      join(folder, 'suite.eval.yaml'),
      nodeFiles(),
      options,
    );
    const suiteCase: SuiteCase | undefined = suite?.cases[0];
    assert.ok(suiteCase?.origin.kind === 'turns', JSON.stringify(problems));
    return targetDigest(suiteCase.origin.target, suiteCase.tools);
  }

  const model = (keys: string) => `{provider: openai, model: m, ${keys}}`;
  const chat = (keys: string, of = 'openai:m') => `{type: chat, model: ${of}, ${keys}}`;

  it('of a chat target covers its model, system text, tools, and their results', async (t) => {
    const digests = [await digestOf(t, chat('system: Hi'))];
    for (const target of [
      chat('system: Hi', 'openai:n'),
      chat('system: Ho'),
      chat('system: Hi, tools: [{name: b}], tool_results: {b: c}'),
      chat('system: Hi, tools: [{name: b}], tool_results: {b: d}'),
      chat('system: Hi', model('temperature: 1')),
    ]) {
      digests.push(await digestOf(t, target));
    }
    assert.equal(new Set(digests).size, digests.length);
  });

  it('ignores time limits, addresses, and keys', async (t) => {
    const digest = await digestOf(t, chat('system: Hi'));
    const elsewhere = model('base_url: "http://localhost:1/v1", api_key_env: KEY, timeout: 5');
    assert.equal(await digestOf(t, chat('system: Hi, timeout: 5', elsewhere)), digest);
    const replayed = '{provider: replay, model: m, path: ./r.jsonl}';
    assert.equal(await digestOf(t, chat('system: Hi', replayed), { 'r.jsonl': '' }), digest);
  });

  it('covers its keys as written', async (t) => {
    const target = chat(`system: "Hi \${env:WHO}"`, `"openai:\${env:MODEL}"`);
    const digest = await digestOf(t, target, {}, { WHO: 'Ann', MODEL: 'a' });
    assert.equal(await digestOf(t, target, {}, { WHO: 'Bob', MODEL: 'b' }), digest);
  });

  it('of a program covers its files', async (t) => {
    for (const [target, file] of [
      ['{type: module, path: ./bot.mjs}', 'bot.mjs'],
      ['{type: command, command: [node, ./agents/bot.mjs, "--fast"]}', 'agents/bot.mjs'],
      ['{type: command, command: [node, bot.mjs], cwd: ./agents}', 'agents/bot.mjs'],
    ] as const) {
      const digest = await digestOf(t, target, { [file]: 'a' });
      assert.equal(await digestOf(t, target, { [file]: 'a', 'other.mjs': 'b' }), digest);
      assert.notEqual(await digestOf(t, target, { [file]: 'b' }), digest, target);
    }
  });

  it("reads no device in a program's arguments", {
    skip: process.platform === 'win32',
  }, async (t) => {
    const up = '../'.repeat(20);
    const digest = (file: string) => digestOf(t, `{type: command, command: [cat, ${up}${file}]}`);
    assert.notEqual(await digest('dev/zero'), await digest('dev/null'));
  });
});

describe('a recording', () => {
  const suite = (baseUrl: string, system: string) =>
    `targets:\n  agent: {type: chat, system: ${system}, model: {provider: openai, model: m, base_url: "${baseUrl}"}}\ntarget: agent\ncases:\n  - {id: a, turns: [x], ${CHECK}}\n`;

  it('never answers for a chat target whose system text was edited', async (t) => {
    const server = await startModelServer(() => 'x');
    t.after(() => server.close());
    const record = join(await workspaceWith(t, {}), 'r.jsonl');
    const warned: string[] = [];
    const log = { debug() {}, info() {}, error() {}, warn: (text: string) => warned.push(text) };
    const run = async (system: string, how: { record: string } | { replay: string }) => {
      const files = { 'suite.eval.yaml': suite(server.baseUrl, system) };
      return (await runFiles(t, files, { ...how, log })).lines[0];
    };
    assert.equal((await run('Be kind', { record }))?.status, 'pass');
    assert.equal((await run('Be kind', { replay: record }))?.status, 'pass');
    const edited = await run('Be short', { replay: record });
    assert.equal(edited?.status, 'error');
    assert.match(edited?.reason ?? '', /not-recorded.*the target itself/);
    assert.deepEqual(warned, []);
    assert.ok(!(await readFile(record, 'utf8')).includes(server.baseUrl));
  });
});

const SUITE = `target: {type: module, path: ./agent.mjs}
cases:
  - {id: alpha, turns: [Hi], context: {source: a}, assert: [{type: script, path: ./check.mjs}]}
  - {id: beta, turns: [Hi], assert: [{type: contains, value: x}]}
`;

async function digests(t: TestContext) {
  const files = { 'suite.eval.yaml': SUITE, 'agent.mjs': 'agent', 'check.mjs': 'check' };
  const folder = await workspaceWith(t, files);
  const now = async (changed: Readonly<Record<string, string>> = {}) => {
    const written = Object.entries({ ...files, ...changed });
    for (const [name, text] of written) await writeFile(join(folder, name), text);
    const { cases } = await suiteIn(folder);
    return Promise.all(cases.map(caseDigest));
  };
  return { folder, before: await now(), now };
}

/** Which of the digests are unchanged. */
function kept(before: readonly string[], after: readonly string[]): boolean[] {
  return before.map((one, index) => one === after[index]);
}

describe('the digest of a case', () => {
  it('stays the same if the case moves or another one changes', async (t) => {
    const { before, now } = await digests(t);
    const moved = `# A comment\n${SUITE.replace('value: x', 'value: y')}`;
    assert.deepEqual(kept(before, await now({ 'suite.eval.yaml': moved })), [true, false]);
    const context = SUITE.replace('source: a', 'source: b');
    assert.deepEqual(kept(before, await now({ 'suite.eval.yaml': context })), [false, true]);
  });

  it('differs if a program of the case changes', async (t) => {
    const { before, now } = await digests(t);
    assert.deepEqual(kept(before, await now({ 'agent.mjs': 'other' })), [false, false]);
    assert.deepEqual(kept(before, await now({ 'check.mjs': 'other' })), [false, true]);
  });

  it('covers the programs of its target and scripts', async (t) => {
    const { folder } = await digests(t);
    const [alpha] = (await suiteIn(folder)).cases;
    assert.deepEqual(alpha && programsOf(alpha), [
      join(folder, 'agent.mjs'),
      join(folder, 'check.mjs'),
    ]);
  });
});
