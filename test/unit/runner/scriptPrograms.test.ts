import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { botSuite, ECHO, runFiles } from '../../support/runs.ts';
import { gone, STUBBORN, startedIn } from '../../support/stubborn.ts';

const NODE = process.execPath;
const LINES = `let text = '';
process.stdin.on('data', (data) => { text += data; }).on('end', () => answer(JSON.parse(text)));
`;

interface Given {
  /** Arguments of the program. */
  readonly words?: readonly string[];
  readonly program?: string;
  readonly keys?: string;
  readonly timeout?: number;
}

/** The verdict of the program `check.mjs`, and its output in the run's log. */
async function verdictOf(t: TestContext, code: string, given: Given = {}) {
  const { words = ['check.mjs'], program = NODE, keys = '', timeout = 5_000 } = given;
  const { lines, events, workspace } = await runFiles(
    t,
    {
      'bot.mjs': ECHO,
      [words[0] ?? 'none.mjs']: code,
      'suite.eval.yaml': botSuite(
        `  - {id: a, turns: [one, two], assert: [{type: script, command: ${JSON.stringify([program, ...words])}${keys}}]}\n`,
      ),
    },
    { timeout, env: (name) => process.env[name] },
  );
  const output = events.flatMap((event) => (event.kind === 'output' ? [event.text] : []));
  const [verdict] = lines[0]?.verdicts ?? [];
  if (!verdict) throw new Error('There is no verdict.');
  return { verdict, output, folder: workspace };
}

describe('a script assertion with a command', () => {
  it('reads the conversation and its options from stdin, and its turns are shown', async (t) => {
    const { verdict, output } = await verdictOf(
      t,
      `${LINES}function answer({ case: id, conversation, chosen, options }) {
        console.error('of ' + id);
        console.log(JSON.stringify({
          label: chosen.join(),
          turns: conversation.turns.filter(({ side }) => side === 'assistant').map(({ number, text }) => ({
            turn: number, score: text === options.word ? 1 : 0, rationale: 'said ' + text, evidence: text,
          })),
        }, undefined, 2));
      }`,
      { keys: ', options: {word: one}' },
    );
    assert.deepEqual([verdict.status, verdict.score, verdict.label], ['fail', 0.5, '1,2,3,4']);
    assert.deepEqual(verdict.misses, ['Turn 4: said two']);
    assert.deepEqual(output, ['[check.mjs] of a']);
  });

  it('need not read its input', async (t) => {
    const { verdict } = await verdictOf(t, 'console.log(true);');
    assert.equal(verdict.status, 'pass');
  });

  for (const [name, code, message] of [
    [
      'that ends with a code, whatever it has printed',
      'console.log(true); console.error("no luck"); process.exitCode = 3;',
      /^The program exited with code 3\. Last output: no luck$/,
    ],
    ['that prints nothing', '', /^The program printed nothing\. Print one JSON value/],
    [
      'that prints words around its JSON',
      'console.log("Checking"); console.log("true");',
      /^The program did not print one JSON value: Checking\ntrue\. .* log to stderr\.$/,
    ],
    ['that prints another shape', 'console.log("[]");', /returned an invalid value/],
    ['with a score of 7', `console.log('{"score": 7}');`, /returned an invalid value/],
    [
      'that prints without end',
      'setInterval(() => process.stdout.write("1".repeat(100_000)), 1);',
      /^The program printed more than 1,000,000 characters\.$/,
    ],
    [
      'nested too deep',
      'console.log("[".repeat(5_000) + "]".repeat(5_000));',
      /not print one JSON/,
    ],
  ] as const) {
    it(`${name}: an error, never a pass`, async (t) => {
      const { verdict } = await verdictOf(t, code);
      assert.equal(verdict.status, 'error');
      assert.match(verdict.rationale, message);
    });
  }

  it('that is not installed is an error that says so', async (t) => {
    const { verdict } = await verdictOf(t, '', { program: 'turnlight-no-such-program', words: [] });
    assert.equal(verdict.status, 'error');
    assert.match(
      verdict.rationale,
      /^The program turnlight-no-such-program could not be started: /,
    );
    assert.match(verdict.rationale, /Is it installed and on the PATH\?$/);
  });

  it('that takes too long is ended with all its processes', async (t) => {
    const { verdict, folder } = await verdictOf(t, STUBBORN, { keys: ', timeout: 1500' });
    assert.equal(verdict.status, 'error');
    assert.match(
      verdict.rationale,
      /^The script did not reply within 1500 ms\. Raise its `timeout`/,
    );
    await gone(await startedIn(folder));
  });

  it('that leaves a process running answers at once, and its group is ended', async (t) => {
    const leaving = `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const ids = [false, true].map((detached) =>
        spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit', detached }).pid);
      writeFileSync('started', ids.join(' '));
      console.log(true);
      process.exit();`;
    const { verdict, folder } = await verdictOf(t, leaving, { timeout: 60_000 });
    const [near = 0, far = 0] = await startedIn(folder);
    process.kill(far);
    assert.equal(verdict.status, 'pass');
    await gone([near]);
  });

  it("inherits all variables except those with models' keys, unless it names them", async (t) => {
    process.env.OPENAI_API_KEY = 'usual';
    process.env.TURNLIGHT_TEST_PLAIN = 'plain';
    t.after(() => {
      delete process.env.OPENAI_API_KEY;
      delete process.env.TURNLIGHT_TEST_PLAIN;
    });
    const told = `const { OPENAI_API_KEY: key, TURNLIGHT_TEST_PLAIN: plain, OWN: own } = process.env;
      console.log(JSON.stringify({ score: 1, label: [key, plain, own].join() }));`;
    const labelWith = async (keys: string) => (await verdictOf(t, told, { keys })).verdict.label;
    assert.equal(await labelWith(''), ',plain,');
    const named = await labelWith(', pass_env: [OPENAI_API_KEY], env: {OWN: "1"}');
    assert.equal(named, 'usual,plain,1');
  });
});

const PYTHON = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0);

describe('the Python example of the manual', () => {
  it('scores each reply by the order that it names', {
    skip: !PYTHON && 'SKIPPED: there is no Python',
  }, async (t) => {
    const page = await readFile(resolve(import.meta.dirname, '../../../docs/scripts.md'), 'utf8');
    const code = /```py\n([\s\S]+?)```/.exec(page)?.[1] ?? '';
    const { verdict } = await verdictOf(t, code, {
      program: PYTHON ?? '',
      words: ['check.py'],
      keys: ', options: {word: one}',
    });
    assert.deepEqual([verdict.status, verdict.score], ['fail', 0.5]);
    assert.deepEqual(
      verdict.turns.map(({ turn, status, evidence }) => [turn, status, evidence?.text]),
      [
        [2, 'pass', 'one'],
        [4, 'fail', undefined],
      ],
    );
  });
});
