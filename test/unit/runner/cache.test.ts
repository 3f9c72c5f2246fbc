import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { SILENT } from '../../../src/core/logger.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { listCacheFiles } from '../../../src/store/answers.ts';
import { openPersistentAnswers } from '../../../src/store/persistentAnswers.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { notFound } from '../../support/modelServer/faults.ts';
import { type Script, startModelServer } from '../../support/modelServer/server.ts';
import { json, type Step } from '../../support/modelServer/steps.ts';
import { ECHO, type RunFilesOptions, runFiles, workspaceWith } from '../../support/runs.ts';

/** Returns a different score each time, so no two answers are the same. */
function scored(_body: ChatBody, index: number) {
  const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' };
  return json({ turns: [entry], rationale: `answer ${index}`, score: index % 10 });
}

/** A folder whose runs share a cache, and an endpoint that counts requests. */
async function setUp(t: TestContext, script: Script) {
  const server = await startModelServer(script);
  t.after(() => server.close());
  const workspace = await workspaceWith(t, {});
  const folder = join(emptyCache(), 'answers');
  const run = async (
    text: string,
    options: RunFilesOptions = {},
    files: Readonly<Record<string, string>> = {},
  ) => {
    const before = server.requests.length + server.embedded.length;
    const cache = { folder, fresh: false };
    const suite = { 'suite.eval.yaml': text, ...files };
    const { lines } = await runFiles(t, suite, { workspace, cache, ...options });
    return { lines, asked: server.requests.length + server.embedded.length - before };
  };
  const model = (name: string, keys = '') =>
    `{provider: openai, model: ${name}, base_url: "${server.baseUrl}"${keys}}`;
  return { server, workspace, folder, run, model };
}

const TALK = 'transcript: [{user: Hi}, {assistant: Hello}]';

function rated(criteria: string, keys = ''): string {
  return `{type: g-eval, criteria: ${criteria}, steps: [${criteria}]${keys}}`;
}

function outcomes(lines: readonly CaseLine[]) {
  return lines.map(({ id, repetition, verdicts }) => [
    id,
    repetition,
    verdicts.map(({ status, score, rationale, judge }) => [
      status,
      score,
      rationale,
      judge?.spread,
    ]),
  ]);
}

describe('answers of earlier runs', () => {
  it('are used in an unchanged run, and cost nothing', async (t) => {
    const { run, model } = await setUp(t, scored);
    const text = `judge: ${model('j', ', price: {input: 1, output: 1}')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}, ${rated('calm')}]}\n`;
    const first = await run(text);
    const again = await run(text);
    assert.deepEqual([first.asked, again.asked], [2, 0]);
    assert.deepEqual(outcomes(again.lines), outcomes(first.lines));
    const [line] = again.lines;
    assert.deepEqual(line?.usage, {
      calls: 0,
      input_tokens: 0,
      cached_tokens: 0,
      output_tokens: 0,
      cost: 0,
      from_cache: 2,
    });
    assert.equal(line?.verdicts[0]?.usage.from_cache, 1);
    assert.equal(first.lines[0]?.usage.from_cache, undefined);
  });

  it('are used except for an edited assertion', async (t) => {
    const { run, model } = await setUp(t, scored);
    const suite = (edited: string) =>
      `judge: ${model('j')}\ndefaults: {assert: [${rated('warm')}, ${rated(edited)}]}\ncases:\n  - {id: a, ${TALK}}\n  - {id: b, ${TALK.replace('Hi', 'Ho')}}\n`;
    assert.equal((await run(suite('calm'))).asked, 4);
    assert.equal((await run(suite('brief'))).asked, 2);
    assert.equal((await run(suite('calm'))).asked, 0);
  });

  it('are used until a conversation differs', async (t) => {
    const { run, model } = await setUp(t, (body) => `You said: ${body.messages.at(-1)?.content}`);
    const suite = (first: string) =>
      `target: {type: chat, model: ${model('m')}}\ncases:\n  - {id: a, turns: [${first}, two, three], assert: [{type: contains, value: said}]}\n`;
    assert.equal((await run(suite('one'))).asked, 3);
    const late = await run(suite('one').replace('three', 'four'));
    assert.equal(late.asked, 1);
    assert.deepEqual(
      late.lines[0]?.conversation.entries.map((one) => one.kind === 'turn' && one.fromCache),
      [undefined, true, undefined, true, undefined, undefined],
    );
    assert.equal((await run(suite('zero'))).asked, 3);
  });

  it('are never shared between repetitions or samples', async (t) => {
    const { server, run, model } = await setUp(t, scored);
    const sampled = `${rated('warm', ', samples: 3')}, ${rated('warm', ', name: again')}`;
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, repeat: 2, ${TALK}, assert: [${sampled}]}\n`;
    const first = await run(text);
    assert.equal(first.asked, 8);
    const bodies = server.requests.map((one) => one.text);
    assert.equal(new Set(bodies).size, 1);
    const again = await run(text);
    assert.equal(again.asked, 0);
    assert.deepEqual(outcomes(again.lines).sort(), outcomes(first.lines).sort());
    const more = await run(
      text.replace('samples: 3', 'samples: 4').replace('repeat: 2', 'repeat: 3'),
    );
    assert.equal(more.asked, 2 + 5);
  });

  it('are separate per model and endpoint, whatever their limits and prices', async (t) => {
    const { server, run, model } = await setUp(t, scored);
    const other = await startModelServer(scored);
    t.after(() => other.close());
    const suite = (judge: string) =>
      `judge: ${judge}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}]}\n`;
    assert.equal((await run(suite(model('j')))).asked, 1);
    const keys = ', price: {input: 1, output: 1}, timeout: 9000, api_key_env: MINE';
    assert.equal((await run(suite(model('j', keys)))).asked, 0);
    assert.equal((await run(suite(model('k')))).asked, 1);
    assert.equal((await run(suite(model('j', ', temperature: 1')))).asked, 1);
    await run(suite(model('j').replace(server.baseUrl, other.baseUrl)));
    assert.equal(other.requests.length, 1);
  });

  it('are ignored and replaced by a fresh run', async (t) => {
    const { folder, run, model } = await setUp(t, scored);
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}]}\n`;
    await run(text);
    const fresh = await run(text, { cache: { folder, fresh: true } });
    assert.equal(fresh.asked, 1);
    const again = await run(text);
    assert.equal(again.asked, 0);
    assert.deepEqual(outcomes(again.lines), outcomes(fresh.lines));
  });

  it("aren't stored if they are errors", async (t) => {
    const steps: Step[] = [
      'no JSON',
      'nor this',
      notFound(),
      { text: '{"turns": [', finish: 'length' },
      scored({ messages: [] } as never, 0),
    ];
    const { run, model } = await setUp(t, steps);
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}]}\n`;
    const asked: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { lines, asked: count } = await run(text);
      asked.push([lines[0]?.status === 'error', count]);
    }
    assert.deepEqual(asked, [
      [true, 2],
      [true, 1],
      [true, 1],
      [false, 1],
      [false, 0],
    ]);
  });

  it('count as recorded for limits of cost, tokens, and latency, and cost the run nothing', async (t) => {
    const slow = async () => {
      await new Promise((done) => setTimeout(done, 60));
      return { text: 'Hello!', usage: { input: 40, output: 20 } };
    };
    const { run, model } = await setUp(t, slow);
    const limits =
      '[{type: max-tokens, max: 50}, {type: max-cost, max: 0.01}, {type: max-latency, max: 50}]';
    const text = `target: {type: chat, model: ${model('m', ', price: {input: 1000, output: 1000}')}}\ncases:\n  - {id: a, turns: [x], assert: ${limits}}\n`;
    const first = await run(text);
    const again = await run(text);
    const statuses = ({ lines }: typeof again) => lines[0]?.verdicts.map(({ status }) => status);
    assert.deepEqual(statuses(first), ['fail', 'fail', 'fail']);
    assert.deepEqual(statuses(again), ['fail', 'fail', 'fail']);
    assert.deepEqual([again.asked, again.lines[0]?.usage.cost], [0, 0]);
  });

  it('are recorded unchanged, and the recording replays like any other', async (t) => {
    const { workspace, run, model } = await setUp(t, scored);
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}]}\n`;
    const record = join(workspace, 'r.jsonl');
    const first = await run(text);
    assert.equal((await run(text, { record })).asked, 0);
    const replayed = await run(text, { replay: record });
    assert.equal(replayed.asked, 0);
    assert.deepEqual(outcomes(replayed.lines), outcomes(first.lines));
    const usage = replayed.lines[0]?.usage;
    assert.deepEqual(usage, first.lines[0]?.usage);
  });

  it('are used for simulated users and embeddings, too', async (t) => {
    const server = await startModelServer(
      (body) =>
        body.response_format
          ? json({ reason: '', status: 'continue', message: 'Go on.' })
          : 'Well.',
      { embed: () => [1, 0] },
    );
    t.after(() => server.close());
    const { run } = await setUp(t, []);
    const model = (name: string) =>
      `{provider: openai, model: ${name}, base_url: "${server.baseUrl}"}`;
    const text = `target: {type: chat, model: ${model('m')}}\ncases:\n  - id: a\n    simulate: {goal: x, max_user_turns: 2, model: ${model('s')}}\n    assert: [{type: similar, model: ${model('e')}, value: Well}]\n`;
    const count = () => server.requests.length + server.embedded.length;
    await run(text);
    const once = count();
    const { lines } = await run(text);
    assert.equal(once, 5);
    assert.equal(count(), once);
    assert.deepEqual(
      lines[0]?.conversation.entries.map((one) => one.kind === 'turn' && one.fromCache),
      [true, true, true, true],
    );
    assert.equal(lines[0]?.usage.from_cache, 5);
  });
});

describe('replies of earlier runs', () => {
  const bot =
    "import { appendFileSync } from 'node:fs';\nexport default async (messages) => { appendFileSync(new URL('asked', import.meta.url), 'x'); return messages.at(-1).content; };\n";
  const suite = (cache: string) =>
    `target: {type: module, path: ./bot.mjs${cache}}\ncases:\n  - {id: a, turns: [x, y], assert: [{type: contains, value: x}]}\n`;

  it('are used for a program only if its target sets `cache`', async (t) => {
    const { workspace, run } = await setUp(t, []);
    const askedFor = () => readFile(join(workspace, 'asked'), 'utf8').then(({ length }) => length);
    const files = { 'bot.mjs': bot };
    await run(suite(''), {}, files);
    await run(suite(''));
    assert.equal(await askedFor(), 4);
    await run(suite(', cache: true'));
    const { lines } = await run(suite(', cache: true'));
    assert.equal(await askedFor(), 6);
    assert.equal(lines[0]?.status, 'pass');
    assert.equal(lines[0]?.usage.from_cache, 2);
  });

  it("aren't used after the program changes", async (t) => {
    const { run } = await setUp(t, []);
    await run(suite(', cache: true'), {}, { 'bot.mjs': ECHO });
    const { lines } = await run(
      suite(', cache: true'),
      {},
      { 'bot.mjs': `${ECHO}\n// Changed.\n` },
    );
    assert.equal(lines[0]?.usage.from_cache, undefined);
  });

  it('do not serve a chat target that says `cache: false`', async (t) => {
    const { run, model } = await setUp(t, () => 'Hello!');
    const text = `target: {type: chat, cache: false, model: ${model('m')}}\ncases:\n  - {id: a, turns: [x], assert: [{type: contains, value: Hello}]}\n`;
    assert.deepEqual([(await run(text)).asked, (await run(text)).asked], [1, 1]);
  });
});

describe('a file in the cache', () => {
  it('is replaced if it is broken, of another answer, or foreign', async (t) => {
    const { folder, run, model } = await setUp(t, scored);
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm', ', threshold: 0')}]}\n`;
    await run(text);
    const [file] = await listCacheFiles(folder);
    const path = file?.path ?? '';
    const whole = await readFile(path, 'utf8');
    const { key, answer } = JSON.parse(whole);
    const hostile = [
      '',
      whole.slice(0, -9),
      '['.repeat(100_000),
      JSON.stringify({ key: '0'.repeat(64), answer }),
      JSON.stringify({ key, answer: { ...answer, reply: { text: 'pass' } } }),
      JSON.stringify({ key, answer, more: true }),
      JSON.stringify({ key, answer: null }),
    ];
    for (const wrong of hostile) {
      await writeFile(path, wrong);
      const { asked, lines } = await run(text);
      assert.deepEqual([asked, lines[0]?.status], [1, 'pass'], wrong.slice(0, 60));
    }
    assert.equal((await run(text)).asked, 0);
  });

  it('contains no key or secret', async (t) => {
    const secret = 'sk-0123456789abcdef';
    const { folder, run, model } = await setUp(t, (_body, index) =>
      index === 0 ? 'I know.' : `I know ${secret}.`,
    );
    const scrubber = new Scrubber({ MY_API_KEY: secret });
    const keys = `, api_key_env: MY_API_KEY, headers: {X-Key: "\${env:MY_API_KEY}"}`;
    const text = `target: {type: chat, model: ${model('m', keys)}}\ncases:\n  - {id: a, turns: [x, y], assert: [{type: contains, value: know}]}\n`;
    const env = (name: string) => (name === 'MY_API_KEY' ? secret : undefined);
    await run(text, { scrubber, env, secret: async () => secret });
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = files
      .filter((one) => one.isFile())
      .map((one) => readFile(join(one.parentPath, one.name), 'utf8'));
    const all = (await Promise.all(texts)).join('\n');
    assert.match(all, /I know\./);
    assert.ok(!all.includes(secret));
  });
});

describe('a cache in the workspace', () => {
  it('is not used, since anyone who commits a file could forge verdicts', async (t) => {
    const { workspace, run, model } = await setUp(t, scored);
    const warned: string[] = [];
    const log = { ...SILENT, warn: (message: string) => void warned.push(message) };
    const text = `judge: ${model('j')}\ncases:\n  - {id: a, ${TALK}, assert: [${rated('warm')}]}\n`;
    const cache = { folder: join(workspace, 'kept/answers'), fresh: false };
    await run(text, { cache, log });
    const { asked } = await run(text, { cache, log });
    assert.equal(asked, 1);
    assert.equal(warned.length, 2);
    assert.match(warned[0] ?? '', /is in the workspace/);
  });
});

const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' };

function answer(body: ChatBody) {
  return body.response_format?.json_schema?.name === 'g_eval_steps'
    ? json({ steps: ['Look at the tone.'] })
    : json({ turns: [entry], rationale: 'warm', score: 8 });
}

function suite(baseUrl: string): string {
  const rated = (id: string) =>
    `  - {id: ${id}, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: g-eval, criteria: warm}]}`;
  return `judge: {provider: openai, model: j, base_url: "${baseUrl}"}\ncases:\n${rated('a')}\n${rated('b')}\n`;
}

describe('an answer that cases share', () => {
  it('is requested once in a run, stored for the next, and shown', async (t) => {
    const server = await startModelServer(answer);
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl) };
    const answersFolder = join(emptyCache(), 'answers');
    const { workspace, lines } = await runFiles(t, files, { answersFolder });
    assert.equal(server.requests.length, 3);
    assert.deepEqual(lines[0]?.verdicts[0]?.details.steps, ['Look at the tone.']);
    const [name = '', ...others] = await readdir(answersFolder);
    assert.deepEqual(others, []);
    const kept = await readFile(join(answersFolder, name), 'utf8');
    assert.equal(kept.trim().split('\n').length, 1);
    await runFiles(t, files, { workspace, answersFolder });
    assert.equal(server.requests.length, 5);
    // In the workspace, the same file could come from anyone.
    const forged = { ...files, '.turnlight/kept.jsonl': kept.replace('tone', 'weather') };
    const { lines: again } = await runFiles(t, forged, { answersFolder: emptyCache() });
    assert.deepEqual(again[0]?.verdicts[0]?.details.steps, ['Look at the tone.']);
    assert.equal(server.requests.length, 8);
  });

  it('is not stored in the workspace, where anyone who commits a file could forge it', async (t) => {
    const root = await workspaceWith(t, {});
    const answers = () =>
      openPersistentAnswers({
        folder: join(root, 'cache/answers'),
        root,
        workspaces: [root],
        scrubber: new Scrubber(),
      });
    await answers().save('a', 'words');
    assert.equal(await answers().load('a'), undefined);
    assert.deepEqual(await readdir(root), []);
  });

  it('is requested again if the run is recorded: a recording contains all answers', async (t) => {
    const server = await startModelServer(answer);
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl) };
    const answersFolder = join(emptyCache(), 'answers');
    const { workspace } = await runFiles(t, files, { answersFolder });
    await runFiles(t, files, { workspace, answersFolder, record: join(workspace, 'r.jsonl') });
    assert.equal(server.requests.length, 6);
    const { lines } = await runFiles(t, files, { replay: join(workspace, 'r.jsonl') });
    assert.deepEqual(
      lines.map(({ status }) => status),
      ['pass', 'pass'],
    );
    assert.equal(server.requests.length, 6);
  });

  it('is requested again if the file exceeds its limit', async () => {
    const folder = join(emptyCache(), 'answers');
    const home = { folder, root: '/work', workspaces: ['/work'], scrubber: new Scrubber() };
    await openPersistentAnswers(home).save('a', 'x'.repeat(LIMITS.kept - 100));
    await openPersistentAnswers(home).save('b', 'x'.repeat(100));
    const { load } = openPersistentAnswers(home);
    assert.equal(typeof (await load('a')), 'string');
    assert.equal(await load('b'), undefined);
  });

  it('is requested again if the file was torn', async () => {
    const folder = join(emptyCache(), 'answers');
    const home = { folder, root: '/work', workspaces: ['/work'], scrubber: new Scrubber() };
    await openPersistentAnswers(home).save('a', { steps: [] });
    assert.deepEqual(await openPersistentAnswers(home).load('a'), { steps: [] });
    const [name = ''] = await readdir(folder);
    await appendFile(join(folder, name), '{"key": "b", "ans');
    assert.equal(await openPersistentAnswers(home).load('b'), undefined);
    assert.deepEqual(await openPersistentAnswers(home).load('a'), { steps: [] });
  });
});
