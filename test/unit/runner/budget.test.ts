import assert from 'node:assert/strict';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { Suite } from '../../../src/core/suite.ts';
import { refusedSuites } from '../../../src/runner/plan.ts';
import { runSuites } from '../../../src/runner/run.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { botSuite, ECHO, runFiles, suiteIn, workspaceWith } from '../../support/runs.ts';

const PRICE = 'price: {input: 1000, output: 1000}, max_tokens: 100, ';

async function suite(
  t: TestContext,
  price = PRICE,
  usage: { input: number; output: number } | null = { input: 10, output: 10 },
) {
  const script = () => ({ text: 'Hello!', usage });
  const server = await startModelServer(script);
  t.after(() => server.close());
  const model = `{provider: openai, model: m, ${price}base_url: "${server.baseUrl}"}`;
  const text = `models:
  m: ${model}
targets:
  bot: {type: chat, model: m}
target: bot
cases:
  - {id: a, turns: [x], assert: [{type: contains, value: Hello}]}
  - {id: b, turns: [y], assert: [{type: contains, value: Hello}]}
  - {id: c, turns: [z], assert: [{type: contains, value: Hello}]}
`;
  return { server, files: { 'suite.eval.yaml': text } };
}

// One reply costs 0.02, but is estimated in advance at up to about 0.1.
describe('a cost limit', () => {
  it('sends no request that could exceed it, keeps finished cases, and starts no others', async (t) => {
    const { server, files } = await suite(t);
    const { lines, end, record = '' } = await runFiles(t, files, { maxCost: 0.12, concurrency: 1 });
    assert.deepEqual(
      lines.map(({ id, status }) => [id, status]),
      [
        ['a', 'pass'],
        ['b', 'error'],
      ],
    );
    assert.match(lines[1]?.reason ?? '', /^over-budget: Not sent: 0\.0200 of the cost limit 0\.12/);
    assert.equal(end.stopped, 'max-cost');
    assert.equal(server.requests.length, 1);
    assert.deepEqual((await readRecord(record)).problems, []);
  });

  it("doesn't affect runs below it", async (t) => {
    const { files } = await suite(t);
    const { end } = await runFiles(t, files, { maxCost: 1 });
    assert.deepEqual([end.counts.pass, end.stopped], [3, undefined]);
  });

  it('counts parallel requests', async (t) => {
    const { server, files } = await suite(t);
    const { lines } = await runFiles(t, files, { maxCost: 0.15, concurrency: 3 });
    // The second request waits for the first; then 0.13 is left, and 0.11 for the third.
    assert.equal(server.requests.length, 2);
    assert.deepEqual(lines.map(({ status }) => status).sort(), ['error', 'pass', 'pass']);
  });

  it('assumes the maximum cost of a reply without usage', async (t) => {
    const { server, files } = await suite(t, PRICE, null);
    await runFiles(t, files, { maxCost: 0.2, concurrency: 1 });
    assert.equal(server.requests.length, 1);
  });

  it('limits answers to the length that the rest pays for', async (t) => {
    const { server, files } = await suite(t, 'price: {input: 1000, output: 1000}, ');
    await runFiles(t, files, { maxCost: 4, concurrency: 1 });
    const limits = server.requests.map(({ body }) => Number(body.max_tokens));
    assert.equal(limits.length, 3);
    for (const limit of limits) assert.ok(limit > 2_000 && limit < 4_000, String(limit));
  });

  it('reserves the cost of all answers of a request', async (t) => {
    const script = () => ({ text: '', refusal: 'no' });
    const server = await startModelServer(script);
    t.after(() => server.close());
    const text = `judge: {provider: openai, model: m, price: {input: 0, output: 1000}, base_url: "${server.baseUrl}"}
together: true
cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello!}]
    assert: [{type: coherence}, {type: safety}]
`;
    const asked = async (maxCost: number) => {
      await runFiles(t, { 'suite.eval.yaml': text }, { maxCost });
      return server.requests.length;
    };
    assert.equal(await asked(3.9), 0);
    assert.equal(await asked(4.1), 1);
  });

  it('starts nothing more if an answer cost more than expected', async (t) => {
    const { server, files } = await suite(t, PRICE, { input: 10, output: 5_000 });
    const { end } = await runFiles(t, files, { maxCost: 0.5, concurrency: 1 });
    assert.equal(server.requests.length, 1);
    assert.equal(end.stopped, 'max-cost');
  });

  it("refuses a run whose cost can't be known", async (t) => {
    const { server, files } = await suite(t, '');
    await assert.rejects(runFiles(t, files, { maxCost: 1 }), { reason: 'no-price' });
    assert.equal(server.requests.length, 0);
  });
});

const CASE =
  '{id: one, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]}';
const ASKS = `judge: openai:unheard-of\n${`cases: [${CASE}]`.replace('contains, value: Hello', 'criterion, criterion: Polite?')}`;

/** Suites in folders that keep their own records. */
async function suites(t: TestContext, texts: Readonly<Record<string, string>>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-refused-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const made: Suite[] = [];
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(join(root, name, '.turnlight'), { recursive: true });
    await writeFile(join(root, name, 'suite.eval.yaml'), `${text}\n`);
    made.push(await suiteIn(join(root, name)));
  }
  return { root, made };
}

/** Names of the folders whose suites are reported as the cause. */
async function refused(made: readonly Suite[], maxCost?: number): Promise<string[]> {
  const chosen = made.map((suite) => ({ suite, cases: suite.cases }));
  const error = await runSuites({
    suites: made,
    concurrency: 1,
    timeout: 1_000,
    forbidOnly: false,
    keepRecord: true,
    described: {},
    ...(maxCost !== undefined && { maxCost }),
    secret: async () => undefined,
    env: () => undefined,
    scrubber: new Scrubber({}),
    log: SILENT,
    signal: new AbortController().signal,
    onEvent: () => {},
  }).then(
    () => assert.fail('It was not refused.'),
    (reason: unknown) => reason,
  );
  return refusedSuites(error, chosen).map(({ suite }) => suite.path.split(/[\\/]/).at(-2) ?? '');
}

describe('the suites that make a run fail to start', () => {
  it("are those whose record can't be written, and the others leave no record", async (t) => {
    const { root, made } = await suites(t, { free: `cases: [${CASE}]`, full: `cases: [${CASE}]` });
    await writeFile(join(root, 'full/.turnlight/runs'), '');
    assert.deepEqual(await refused(made), ['full']);
    assert.deepEqual(await readdir(join(root, 'free/.turnlight/runs')), []);
  });

  it('are those whose models have no price if the cost is limited', async (t) => {
    const { made } = await suites(t, { free: `cases: [${CASE}]`, dear: ASKS });
    assert.deepEqual(await refused(made, 1), ['dear']);
  });

  it('are the suites with too many repetitions', async (t) => {
    const often = Array.from({ length: 201 }, (_, index) =>
      CASE.replace('id: one', `id: c${index}, repeat: 1000`),
    );
    const { made } = await suites(t, { once: `cases: [${CASE}]`, often: `cases: [${often}]` });
    assert.deepEqual(await refused(made), ['often']);
  });
});

/** Simulates a full disk: writes succeed until a line contains the given words; that line is only written in half. */
async function fillDisk(t: TestContext, words: string): Promise<void> {
  const file = await open(import.meta.filename);
  const handle: FileHandle = Object.getPrototypeOf(file);
  await file.close();
  const { appendFile } = handle;
  t.mock.method(handle, 'appendFile', async function (this: FileHandle, text: string) {
    if (!text.includes(words)) return appendFile.call(this, text);
    await appendFile.call(this, text.slice(0, text.length / 2));
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  });
}

const SUITE = botSuite(
  ['one', 'two', 'three']
    .map((id) => `  - {id: ${id}, turns: [x], assert: [{type: contains, value: x}]}\n`)
    .join(''),
);

describe('a disk that fills up during a run', () => {
  it('is reported, changes no verdict, and leaves earlier lines readable', async (t) => {
    await fillDisk(t, '"id":"two"');
    const told: string[] = [];
    const log = { debug() {}, info() {}, warn() {}, error: (text: string) => told.push(text) };
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': SUITE };
    const ran = await runFiles(t, files, { concurrency: 1, log });
    assert.deepEqual(ran.end.counts, { pass: 3, fail: 0, error: 0, skipped: 0 });
    assert.equal(ran.lines.length, 3);
    const message = `The record cannot be written to ${ran.record}: the disk is full. Free some space.`;
    assert.deepEqual(
      ran.writeErrors.map((error) => error.message),
      [message],
    );
    assert.deepEqual(told, [`${message} The run continues without it.`]);
    const { cases, problems } = await readRecord(ran.record ?? '');
    assert.deepEqual(
      cases.map(({ id }) => id),
      ['one'],
    );
    assert.equal(problems.length, 1);
  });

  it('ends a recording, but no case', async (t) => {
    await fillDisk(t, 'second words');
    const server = await startModelServer(() => 'x');
    t.after(() => server.close());
    const target = `{type: chat, model: {provider: openai, model: m, base_url: "${server.baseUrl}"}}`;
    const cases = ['first', 'second', 'third'].map(
      (id) => `  - {id: ${id}, turns: [${id} words], assert: [{type: contains, value: x}]}\n`,
    );
    const suite = `target: ${target}\ncases:\n${cases.join('')}`;
    const record = join(await workspaceWith(t, {}), 'r.jsonl');
    const options = { record, concurrency: 1, keepRecord: false };
    const ran = await runFiles(t, { 'suite.eval.yaml': suite }, options);
    assert.deepEqual(ran.end.counts, { pass: 3, fail: 0, error: 0, skipped: 0 });
    assert.deepEqual(
      ran.writeErrors.map((error) => error.message),
      [`The recording cannot be written to ${record}: the disk is full. Free some space.`],
    );
    assert.ok(!(await readFile(record, 'utf8')).includes('third'));
  });
});
