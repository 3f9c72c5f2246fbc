import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { ProgramLog } from '../../../src/targets/programs/outputLines.ts';
import { botSuite, runFiles } from '../../support/runs.ts';

const SECRET = 'sk-0123456789abcdef';
const COMMAND = `command: ["${process.execPath}", bot.mjs]`;
const CHECK = 'assert: [{type: contains, at: last, value: right}]';

/** Runs a case whose target is a program that can call `reply(content)`, and returns its log output. */
async function ran(t: TestContext, onRequest: string, { first = '', turns = '[a, b]' } = {}) {
  const bot = `import { createInterface } from 'node:readline';
const reply = (content) => console.log(JSON.stringify({ content }));
const later = (work) => setTimeout(work, 50);
const written = (stream, text) => new Promise((done) => stream.write(text, done));
let turn = 0;
${first}
for await (const line of createInterface({ input: process.stdin })) { turn += 1; ${onRequest} }
`;
  const { lines, events } = await runFiles(
    t,
    {
      'bot.mjs': bot,
      'suite.eval.yaml': `target: {type: command, ${COMMAND}}\ncases:\n  - {id: a, turns: ${turns}, ${CHECK}}\n`,
    },
    { scrubber: new Scrubber({ MY_API_KEY: SECRET }) },
  );
  const output = events.flatMap((event) => (event.kind === 'output' ? [event.text] : []));
  const { status, reason = '' } = lines[0] ?? {};
  return { status, reason, output };
}

describe('an unrequested line', () => {
  for (const [what, onRequest, about] of [
    ['before the first request', 'reply("right");', { first: 'reply("stray");' }],
    ['before the only request', 'reply("right");', { first: 'reply("stray");', turns: '[a]' }],
    [
      'before a request that takes a while',
      'later(() => reply("right"));',
      { first: 'reply("right");', turns: '[a]' },
    ],
    ['right after a reply', 'reply("right"); reply("right");', {}],
    ['a moment after a reply', 'reply("right"); later(() => reply("right"));', {}],
    ['after the last reply', 'reply("right"); if (turn === 2) reply("right");', {}],
    ['that is not JSON, after a reply', 'reply("right"); console.log("done");', {}],
  ] as const) {
    it(`${what} is an error, never a reply`, async (t) => {
      const { status, reason } = await ran(t, onRequest, about);
      assert.equal(status, 'error', reason);
      assert.match(reason, /^target-malformed-reply: /);
    });
  }

  it('is logged if it is a goodbye', async (t) => {
    const first = 'process.on("exit", () => console.log("goodbye"));';
    const { status, output } = await ran(t, 'reply("right");', { first });
    assert.equal(status, 'pass');
    assert.deepEqual(output, ['[command] goodbye']);
  });
});

describe('the output of a program', () => {
  it('has a maximum length per line', async (t) => {
    const { reason } = await ran(t, 'for (;;) await written(process.stdout, "x".repeat(1 << 20));');
    assert.match(reason, /^target-too-much-output: The reply is longer than 1,000,000 characters/);
  });

  it('has a maximum length per conversation', async (t) => {
    const many = `[${Array.from({ length: 12 }, () => 'a').join(', ')}]`;
    const { reason } = await ran(t, 'reply("x".repeat(9e5));', { turns: many });
    assert.match(reason, /^target-too-much-output: The replies of this conversation/);
  });

  it('of a module has a maximum length per reply', async (t) => {
    const { lines } = await runFiles(t, {
      'bot.mjs': 'export default () => "x".repeat(1e6);\n',
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    });
    assert.match(lines[0]?.reason ?? '', /^target-too-much-output: The reply is longer/);
  });

  it('of a module has a maximum depth', async (t) => {
    const { lines } = await runFiles(t, {
      'bot.mjs': `const nested = (depth) => (depth === 0 ? [] : [nested(depth - 1)]);
export default () => ({ content: '', tool_calls: [{ id: 'a', name: 'a', arguments: nested(1000) }] });
`,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    });
    assert.match(lines[0]?.reason ?? '', /^target-too-much-output: The reply is nested too deep/);
  });

  it('may be a flood on stderr: the reply still arrives, and little of the flood is kept', async (t) => {
    const before = process.memoryUsage.rss();
    const flood =
      'const flood = () => process.stderr.write("flood\\\\n".repeat(10000), flood); flood();';
    const first = `import { spawn } from 'node:child_process';
spawn(process.execPath, ['-e', '${flood}'], { stdio: ['ignore', 'ignore', 'inherit'] });`;
    const { status, reason, output } = await ran(t, 'setTimeout(() => reply("right"), 500);', {
      first,
    });
    assert.equal(status, 'pass', reason);
    assert.ok(output.length < 15_000, String(output.length));
    assert.equal(output.at(-1), '[command] Too much output; the rest is omitted.');
    assert.ok(process.memoryUsage.rss() - before < 200e6);
  });

  it('is shown if it ends without a reply, even after a flood', async (t) => {
    const flood = 'await written(process.stderr, "flood\\n".repeat(500000) + "out of luck\\n");';
    const { reason } = await ran(t, 'process.exit(4);', { first: flood });
    assert.match(reason, /exited with code 4.* flood \/ out of luck$/);
  });
  for (const [how, before, after] of [
    ['where a line is cut', 9_990, 'more'],
    ['where a line is cut after a part of the secret', 9_999, ''],
    ['at the end of a line', 9_981, ''],
  ] as const) {
    it(`contains no part of a secret ${how}`, async (t) => {
      const long = `"x".repeat(${before}) + "${SECRET}${after}".repeat(3)`;
      const { reason, output } = await ran(
        t,
        `await written(process.stderr, ${long} + "\\n"); await written(process.stderr, ${long}); process.exit(4);`,
      );
      for (const text of [reason, ...output]) {
        assert.match(text, /x{100}/);
        assert.doesNotMatch(text, /xs|sk|01/);
      }
    });
  }

  it('contains no part of a secret that began before the latest output', () => {
    const log = new ProgramLog(() => {}, new Scrubber({ MY_API_KEY: SECRET }));
    log.add(Buffer.from('x\n'.repeat(20_000)));
    log.add(Buffer.from(SECRET.slice(0, 8)));
    log.add(Buffer.from(`${SECRET.slice(8)}\nout of luck\n`));
    assert.equal(log.tail(), ' Last output: x / x / x / x / out of luck');
  });

  it('takes linear time and little memory if it is one long line', () => {
    const log = new ProgramLog(() => {}, new Scrubber({ MY_API_KEY: SECRET }));
    const chunk = Buffer.from(SECRET.repeat(3_000));
    const before = process.memoryUsage.rss();
    for (let count = 0; count < 2_000; count += 1) log.add(chunk);
    assert.ok(process.memoryUsage.rss() - before < 200e6);
    assert.doesNotMatch(log.tail(), /sk-/);
  });
});
