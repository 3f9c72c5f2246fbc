import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { realText } from '../../support/realData.ts';
import { botSuite, runFiles } from '../../support/runs.ts';

/** Replies with the roles of what it got, the latest last. */
const ROLES = `export default async (messages) => messages.map(({ role }) => role[0]).join('');\n`;

const HISTORY = `    history:
      - system: Be brief.
      - user: I am Sarah.
      - assistant: Hello Sarah!
`;

const suite = (rest: string) => botSuite(`  - id: a\n${HISTORY}${rest}`);

async function lineOf(t: Parameters<typeof runFiles>[0], rest: string, bot = ROLES) {
  const ran = await runFiles(t, { 'bot.mjs': bot, 'suite.eval.yaml': suite(rest) });
  const [line] = ran.lines;
  assert.ok(line);
  return { ...ran, line };
}

describe('a case with a history', () => {
  it('gives it to the target and goes on from there', async (t) => {
    const { line } = await lineOf(t, '    turns: [Hi, Bye]\n    assert: [{type: no-repeat}]\n');
    const turns = turnsOf(line.conversation);
    assert.deepEqual(
      turns.map((turn) => [turn.number, turn.side, turn.history ?? false, textOf(turn)]),
      [
        [1, 'user', true, 'I am Sarah.'],
        [2, 'assistant', true, 'Hello Sarah!'],
        [3, 'user', false, 'Hi'],
        [4, 'assistant', false, 'suau'],
        [5, 'user', false, 'Bye'],
        [6, 'assistant', false, 'suauau'],
      ],
    );
    assert.equal(line.conversation.entries[0]?.kind, 'system');
  });

  it('tells the turns of the history first', async (t) => {
    const { events } = await lineOf(t, '    turns: [Hi]\n    assert: [{type: no-repeat}]\n');
    const told = events.flatMap((event) => (event.kind === 'turn' ? [event.turn.number] : []));
    assert.deepEqual(told, [1, 2, 3, 4]);
  });

  const rows: [string, number[]][] = [
    ['each', [3, 4, 5, 6]],
    ['live', [3, 4, 5, 6]],
    ['all', [1, 2, 3, 4, 5, 6]],
    ['first', [3]],
    ['last', [6]],
    ['-2', [5]],
    ['2', [2]],
    ['"2-4"', [2, 3, 4]],
  ];
  for (const [at, expected] of rows) {
    it(`looks at turns ${expected.join(', ')} with \`at: ${at}\``, async (t) => {
      const check = `{type: script, path: ./chosen.mjs, at: ${at}}`;
      const { lines } = await runFiles(t, {
        'bot.mjs': ROLES,
        'chosen.mjs':
          "export default ({ chosen }) => ({ score: 1, rationale: chosen.join(' ') });\n",
        'suite.eval.yaml': suite(`    turns: [Hi, Bye]\n    assert: [${check}]\n`),
      });
      assert.equal(lines[0]?.verdicts[0]?.rationale, expected.join(' '));
    });
  }

  it('checks plain types over live turns unless `at` says all', async (t) => {
    const { line } = await lineOf(
      t,
      `    turns: [Hi]
    assert:
      - {type: contains, value: Sarah}
      - {type: contains, value: Sarah, at: all}
      - {type: max-turns, max: 2}
      - {type: max-turns, max: 3, at: all}
      - {type: max-latency, max: 60000}
`,
    );
    assert.deepEqual(
      line.verdicts.map(({ status }) => status),
      ['fail', 'pass', 'pass', 'fail', 'pass'],
    );
  });

  it('checks an assertion under a turn in the reply to it, and stops there', async (t) => {
    const { line } = await lineOf(
      t,
      `    stop_on_failure: true
    turns:
      - {user: Hi, assert: [{type: contains, value: suau}]}
      - {user: More, assert: [{type: contains, value: nothing}]}
      - Never said
    assert: [{type: regex, pattern: a, at: each}]
`,
    );
    assert.equal(line.stop_reason, 'stop-on-failure');
    const scripted = line.verdicts.filter(({ assertion }) => assertion.type === 'contains');
    assert.deepEqual(
      scripted.map(({ status, turns }) => [status, turns.map(({ turn }) => turn)]),
      [
        ['pass', [4]],
        ['fail', [6]],
      ],
    );
  });

  it('is another input than the same turns with another history', async (t) => {
    const rest = '    turns: [Hi]\n    assert: [{type: no-repeat}]\n';
    const { line } = await lineOf(t, rest);
    const other = await runFiles(t, {
      'bot.mjs': ROLES,
      'suite.eval.yaml': suite(rest).replace('I am Sarah', 'I am Tom'),
    });
    assert.notEqual(line.input_hash, other.lines[0]?.input_hash);
  });

  const SEED = realText('peers/agentv/multi-turn-conversation.eval.yaml');

  it("runs the last user turn of AgentV's cases live", { skip: SEED.skip }, async (t) => {
    const { tests } = parse(SEED.text());
    const cases = tests.map(({ id, input, expected_output, assertions }: AgentvTest) => ({
      id,
      history: input.slice(0, -1),
      turns: [{ user: input.at(-1)?.content, expected: expected_output[0]?.content }],
      assert: assertions.filter(({ type }) => type === 'contains'),
    }));
    for (const one of cases) {
      if (one.assert.length === 0) one.assert = [{ type: 'contains', value: 'technician' }];
    }
    const { lines } = await runFiles(t, {
      'bot.mjs':
        "export default async ([{ role }, ...rest]) => [role, rest.length, '#98765, a technician'].join(' ');\n",
      'suite.eval.yaml': JSON.stringify({ target: { type: 'module', path: './bot.mjs' }, cases }),
    });
    const shown = lines
      .map(({ id, status, conversation }) => {
        const turns = turnsOf(conversation);
        return [id, status, turns.filter(({ history }) => history).length, turns.at(-1)?.number];
      })
      .sort();
    assert.deepEqual(shown, [
      ['support-context-retention', 'pass', 4, 6],
      ['support-troubleshooting-flow', 'pass', 4, 6],
    ]);
    const reply = turnsOf(lines[0]?.conversation ?? { entries: [], notes: [] }).at(-1);
    assert.match(reply ? textOf(reply) : '', /^system 5 /);
    assert.ok(reply?.expected);
  });
});

interface AgentvTest {
  readonly id: string;
  readonly input: readonly { readonly role: string; readonly content: string }[];
  readonly expected_output: readonly { readonly content: string }[];
  readonly assertions: { readonly type: string; readonly value?: string }[];
}
