import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { type Ran, runFiles } from '../../support/runs.ts';

/** A program that handles each request with `body`; `give` prints a line. */
const agent = (body: string, first = '') => `import { createInterface } from 'node:readline';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
const note = (text) => appendFileSync('notes.txt', text + '\\n');
const give = (value) => console.log(JSON.stringify(value));
note('start');
${first}
for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const said = request.messages?.at(-1).content;
  ${body}
}
note('left');
`;

const suite = (keys: string, cases: string) =>
  `target: {type: command, command: [node, agent.mjs], ${keys}}\ncases:\n${cases}`;

const echoCase = (id: string, turns = `[${id} one, ${id} two]`, more = '') =>
  `  - {id: ${id}, turns: ${turns}, ${more}assert: [{type: contains, value: "${id}"}]}\n`;

const THREE = ['a', 'b', 'c'].map((id) => echoCase(id)).join('');

const repliesOf = ({ lines }: Ran) =>
  Object.fromEntries(
    lines.map(({ id, conversation, reason }) => [
      id,
      reason ??
        turnsOf(conversation)
          .filter(({ side }) => side === 'assistant')
          .map(textOf),
    ]),
  );

const notesOf = async ({ workspace }: Ran) =>
  (await readFile(join(workspace, 'notes.txt'), 'utf8')).trim().split('\n');

describe('a worker', () => {
  it('serves all conversations in one process, and is told when each one ends', async (t) => {
    const ran = await runFiles(t, {
      'agent.mjs': agent(
        `if (request.end) note('end ' + request.end); else give({ id: request.id, content: said });`,
      ),
      'suite.eval.yaml': suite('worker: true', THREE),
    });
    assert.deepEqual(repliesOf(ran), {
      a: ['a one', 'a two'],
      b: ['b one', 'b two'],
      c: ['c one', 'c two'],
    });
    const notes = await notesOf(ran);
    const ends = ran.lines.map(({ conversation_id }) => `end ${conversation_id}`);
    assert.deepEqual(notes.toSorted(), ['start', 'left', ...ends].toSorted());
    assert.equal(notes.at(-1), 'left');
  });

  it('may answer out of order', async (t) => {
    const body = `if (request.end) continue;
      held.push({ id: request.id, content: said });
      if (held.length === 3) for (const one of held.splice(0).reverse()) give(one);`;
    const ran = await runFiles(t, {
      'agent.mjs': agent(body, 'const held = [];'),
      'suite.eval.yaml': suite('worker: true', THREE),
    });
    assert.deepEqual(repliesOf(ran), {
      a: ['a one', 'a two'],
      b: ['b one', 'b two'],
      c: ['c one', 'c two'],
    });
  });

  it('makes each conversation in progress an error if it crashes, and a new process serves the next', async (t) => {
    const body = `if (request.end) continue;
      if (said !== 'now') give({ id: request.id, content: said });
      else { await sleep(200); process.exit(3); }`;
    const ran = await runFiles(
      t,
      {
        'agent.mjs': agent(body),
        'suite.eval.yaml': suite(
          'worker: true',
          [echoCase('a', '[a one, now]'), echoCase('b', '[b one, now]'), echoCase('c')].join(''),
        ),
      },
      { concurrency: 2 },
    );
    const { a, b, c } = repliesOf(ran);
    assert.match(String(a), /target-crashed: .*exited with code 3/);
    assert.match(String(b), /target-crashed: .*exited with code 3/);
    assert.deepEqual(c, ['c one', 'c two']);
    assert.equal((await notesOf(ran)).filter((note) => note === 'start').length, 2);
    const [cut] = ran.lines.filter(({ id }) => id === 'a');
    assert.equal(turnsOf(cut?.conversation ?? { entries: [], notes: [] }).length, 3);
  });

  it('continues if one conversation times out, and its late answer is ignored', async (t) => {
    // The late answer arrives while the next conversation waits for its own.
    const body = `if (request.end) continue;
      if (said === 'slow') { late = request.id; continue; }
      if (said === 'b two') give({ id: late, content: 'late' });
      give({ id: request.id, content: said });`;
    const turns = '[b one, b two, b three, b four]';
    const files = {
      'agent.mjs': agent(body, 'let late;'),
      'suite.eval.yaml': suite(
        'worker: true, timeout: 3000',
        echoCase('a', '[slow]') + echoCase('b', turns),
      ),
    };
    const ran = await runFiles(t, files, { concurrency: 1 });
    const { a, b } = repliesOf(ran);
    assert.match(String(a), /^target-timeout/);
    assert.deepEqual(b, ['b one', 'b two', 'b three', 'b four']);
  });

  for (const [what, answer, words] of [
    ['nobody asked for', '{ id: 77, content: said }', /without a request: \{"id":77/],
    ['without an id', '{ content: said }', /must repeat the `id` of its request/],
    [
      'that is a reply of a user',
      '{ id: request.id, role: "user", content: "x" }',
      /only as the assistant/,
    ],
    ['that is an error', '{ id: request.id, error: "no luck" }', /The program failed: no luck/],
  ] as const) {
    it(`with an answer ${what} is an error`, async (t) => {
      const ran = await runFiles(t, {
        'agent.mjs': agent(`if (!request.end) give(${answer});`),
        'suite.eval.yaml': suite('worker: true', echoCase('a')),
      });
      assert.match(String(repliesOf(ran).a), words);
    });
  }
});

describe('a program that reports when it is ready', () => {
  const slow = 'await sleep(2500); give({ ready: true });';
  for (const worker of [false, true]) {
    const keys = `ready: true, worker: ${worker}`;
    it(`is timed from then on (worker: ${worker})`, async (t) => {
      const { lines } = await runFiles(t, {
        'agent.mjs': agent('if (!request.end) give({ id: request.id, content: said });', slow),
        'suite.eval.yaml': suite(
          keys,
          '  - {id: a, turns: [Hi, Ho], assert: [{type: max-turns, max: 4}]}\n',
        ),
      });
      const [line] = lines;
      assert.equal(line?.status, 'pass', line?.reason ?? line?.verdicts[0]?.rationale);
      assertStartupApart(line);
      assert.equal(turnsOf(line.conversation)[3]?.startup, undefined);
    });

    it(`is a separate error if it never does (worker: ${worker})`, async (t) => {
      const { lines } = await runFiles(t, {
        'agent.mjs': agent('', 'await sleep(60_000);'),
        'suite.eval.yaml': suite(`${keys}, timeout: 1000`, echoCase('a')),
      });
      assert.match(lines[0]?.reason ?? '', /^target-not-ready: .*not ready within 1000 ms/);
    });
  }

  it('prints this before anything else, and only if `ready` is set', async (t) => {
    const files = (keys: string, first: string) => ({
      'agent.mjs': agent('give({ content: said });', first),
      'suite.eval.yaml': suite(keys, echoCase('a')),
    });
    const early = await runFiles(t, files('ready: true', 'give({ content: "hello" });'));
    assert.match(early.lines[0]?.reason ?? '', /printed a line before it was ready/);
    const unasked = await runFiles(t, files('timeout: 5000', 'give({ ready: true });'));
    assert.notEqual(unasked.lines[0]?.status, 'pass');
  });
});

/** Asserts that the first reply's latency doesn't include the startup: otherwise, both take longer than the case. */
function assertStartupApart({ conversation, duration }: CaseLine): void {
  const { startup = 0, latency = Number.POSITIVE_INFINITY } = turnsOf(conversation)[1] ?? {};
  assert.ok(startup >= 2000, `a startup of ${startup} ms`);
  assert.ok(startup + latency <= duration + 100, `${startup} + ${latency} of ${duration} ms`);
}

describe('functions that load slowly', () => {
  it('are timed after loading', async (t) => {
    const { lines } = await runFiles(t, {
      'agent.mjs': `await new Promise((done) => setTimeout(done, 2500));
export default (messages) => messages.at(-1).content;\n`,
      'suite.eval.yaml': `target: {type: module, path: ./agent.mjs}
cases: [{id: a, turns: [Hi], assert: [{type: max-turns, max: 2}]}]\n`,
    });
    assert.equal(lines[0]?.status, 'pass', lines[0]?.reason ?? lines[0]?.verdicts[0]?.rationale);
    assertStartupApart(lines[0]);
  });

  it('are a separate error if they never load', async (t) => {
    const { lines } = await runFiles(t, {
      'agent.mjs':
        'await new Promise((done) => setTimeout(done, 60_000));\nexport default () => 1;\n',
      'suite.eval.yaml': `target: {type: module, path: ./agent.mjs, timeout: 1000}
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]\n`,
    });
    assert.match(lines[0]?.reason ?? '', /^target-not-ready: .*did not load within 1000 ms/);
  });
});
