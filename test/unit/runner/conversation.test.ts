import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { failuresOf } from '../../../src/core/presentation/failureText.ts';
import { describeFailure } from '../../../src/report/failures.ts';
import { finishedSnapshot } from '../../../src/report/finishedSnapshot.ts';
import { createPaint } from '../../../src/report/style.ts';
import { earlierRuns } from '../../../src/store/records/list.ts';
import { unauthorized } from '../../support/modelServer/faults.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { realText } from '../../support/realData.ts';
import { botSuite, type Ran, runFiles } from '../../support/runs.ts';
import { answerJson, startService } from '../../support/service.ts';

/** Replies with the roles of the received messages, the latest one last. */
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
  it('passes it to the target and continues from there', async (t) => {
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

  it('reports the turns of the history first', async (t) => {
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

  it('checks plain types in live turns unless `at` says all', async (t) => {
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

  it('has another input hash than the same turns with another history', async (t) => {
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

/** Answers once, then fails. */
const BOT = `export default (messages) => {
  if (messages.length > 1) throw new Error('out of luck');
  return 'Hello';
};
`;

const CASE = `  - id: a
    turns:
      - Hi
      - How are you?
      - Bye
    assert: [{type: contains, value: Hello}]
`;

describe('a missing turn', () => {
  it('is recorded with its number, side, and the line that it answers', async (t) => {
    const { lines } = await runFiles(t, { 'bot.mjs': BOT, 'suite.eval.yaml': botSuite(CASE) });
    const [line = assert.fail()] = lines;
    assert.equal(line.status, 'error');
    const { number, side, source } = line.failed_turn ?? assert.fail();
    const [user] = turnsOf(line.conversation).slice(-1);
    assert.deepEqual([number, side, source], [4, 'assistant', user?.source]);
    assert.equal(turnsOf(line.conversation).length, 3);
  });

  it('shows its error in test messages, in text, and in the view', async (t) => {
    const { lines } = await runFiles(t, { 'bot.mjs': BOT, 'suite.eval.yaml': botSuite(CASE) });
    const [line = assert.fail()] = lines;
    const at = line.failed_turn?.source?.range.start.line ?? assert.fail();
    const [failure] = failuresOf(line);
    assert.equal(failure?.source.range.start.line, at);
    assert.match(failure?.text ?? '', /^Turn 4: The target failed: .*out of luck/);
    assert.deepEqual(failure?.links[0]?.turn, 4);
    const style = {
      paint: createPaint(false),
      shownPath: (path: string) => path.split('/').at(-1) ?? '',
    };
    const text = describeFailure(line, [], style).join('\n');
    assert.match(
      text,
      new RegExp(`\n  Turn 4, assistant  suite.eval.yaml:${at + 1}\n    The target`),
    );
    const shown = turnsOf(finishedSnapshot(line).conversation).at(-1);
    assert.equal(shown?.number, 4);
    assert.match(shown?.error ?? '', /out of luck/);
  });
});

const LIMITS = 'assert: [{type: max-tokens, max: 50}, {type: max-cost, max: 0.5}]';

async function statuses(t: Parameters<typeof runFiles>[0], usage: string) {
  const bot = `export default (messages) => {
    const first = messages.filter(({ role }) => role === 'user').length === 1;
    return { messages: [{ role: 'assistant', content: 'Hi' }], ${usage} };
  };`;
  const { lines } = await runFiles(t, {
    'bot.mjs': bot,
    'suite.eval.yaml': botSuite(`  - {id: a, turns: [x, y], ${LIMITS}}\n`),
  });
  return lines[0]?.verdicts.map(({ status }) => status);
}

describe("limits of a target's usage", () => {
  it('apply if every reply reports its usage', async (t) => {
    const usage = 'usage: { input_tokens: 10, output_tokens: 5, cost: 0.1 }';
    assert.deepEqual(await statuses(t, usage), ['pass', 'pass']);
  });

  it('are errors if a reply reports none, never a pass', async (t) => {
    const usage = '...(first && { usage: { input_tokens: 10, output_tokens: 5, cost: 0.1 } })';
    assert.deepEqual(await statuses(t, usage), ['error', 'error']);
  });

  it('of the cost are errors if the cost of a reply is unknown', async (t) => {
    const usage = 'usage: { input_tokens: 10, output_tokens: 5, ...(first && { cost: 0.1 }) }';
    assert.deepEqual(await statuses(t, usage), ['pass', 'error']);
  });
});

describe('a failed request', () => {
  it('counts as a request to the judge or target', async (t) => {
    const server = await startModelServer(() => unauthorized());
    t.after(() => server.close());
    const model = (name: string) =>
      `{provider: openai, model: ${name}, base_url: "${server.baseUrl}", api_key_env: KEY}`;
    const cases = Array.from(
      { length: 4 },
      (_one, index) =>
        `  - {id: j${index}, transcript: [{user: Hi}, {assistant: Hello}], assert: [It is kind.]}\n`,
    );
    const { lines } = await runFiles(t, {
      'suite.eval.yaml': `judge: ${model('judge')}\ntarget: {type: chat, model: ${model('bot')}}\ncases:\n${cases.join('')}  - {id: live, turns: [x], assert: [It is kind.]}\n`,
    });
    assert.deepEqual(
      lines.map(({ status, usage }) => [status, usage.calls]),
      lines.map(() => ['error', 1]),
    );
    assert.equal(server.requests.length, 5);
  });
});

const SAYS_ID = 'export default (messages, { conversation }) => conversation;\n';
const CHECK = `export default ({ conversation }) => ({
  score: 1, label: 'ok', rationale: conversation.id,
});\n`;

/** Two variants, each repeated twice. */
const CASES = `cases:
  - id: a
    repeat: 2
    matrix: {who: [Ann, Bob]}
    turns: [Hi, And again]
    assert: [{type: script, path: ./check.mjs}]
`;

const repliesOf = ({ lines }: Ran) =>
  lines.map(({ conversation }) =>
    turnsOf(conversation)
      .filter(({ side }) => side === 'assistant')
      .map(textOf),
  );

describe('the id of a conversation', () => {
  for (const [what, target, agent] of [
    ['module', '{type: module, path: ./agent.mjs}', SAYS_ID],
    [
      'command',
      '{type: command, command: [node, agent.mjs]}',
      `import { createInterface } from 'node:readline';
       for await (const line of createInterface({ input: process.stdin }))
         console.log(JSON.stringify({ content: JSON.parse(line).conversation }));\n`,
    ],
  ] as const) {
    it(`distinguishes repetitions, variants, and runs for a ${what} and a script`, async (t) => {
      const files = {
        'agent.mjs': agent,
        'check.mjs': CHECK,
        'suite.eval.yaml': `target: ${target}\n${CASES}`,
      };
      const runs = [await runFiles(t, files), await runFiles(t, files)];
      const replies = runs.flatMap(repliesOf);
      assert.equal(replies.length, 8);
      for (const [first, second] of replies) assert.equal(first, second);
      assert.equal(new Set(replies.map(([first]) => first)).size, 8);
      const lines = runs.flatMap((run) => run.lines);
      assert.deepEqual(
        lines.map(({ verdicts }) => verdicts[0]?.rationale),
        replies.map(([first]) => first),
      );
      assert.deepEqual(
        lines.map(({ conversation_id }) => conversation_id),
        replies.map(([first]) => first),
      );
    });
  }

  it('reaches a service and its script', async (t) => {
    const service = await startService(t, ({ body }, response) => answerJson(response, body));
    const { lines } = await runFiles(t, {
      'check.mjs': CHECK,
      'suite.eval.yaml': `target: {type: http, url: "${service.url}", body: {id: "{{conversation}}", messages: "{{messages}}"}, reply: /id}\n${CASES}`,
    });
    for (const { conversation, conversation_id, verdicts } of lines) {
      assert.deepEqual(turnsOf(conversation).map(textOf)[1], conversation_id);
      assert.equal(verdicts[0]?.rationale, conversation_id);
    }
    assert.equal(lines.length, 4);
  });

  it('reaches the functions of a `tool_module`', async (t) => {
    const server = await startModelServer(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? String(messages.at(-1)?.content)
        : { toolCalls: [{ name: 'who', arguments: {} }] },
    );
    t.after(() => server.close());
    const { lines } = await runFiles(t, {
      'tools.mjs': 'export const who = (args, { conversation }) => conversation;\n',
      'check.mjs': CHECK,
      'suite.eval.yaml': `target:
  type: chat
  model: {provider: openai, model: m, base_url: "${server.baseUrl}"}
  tools: [{name: who}]
  tool_module: ./tools.mjs
${CASES}`,
    });
    assert.equal(new Set(lines.map(({ verdicts }) => verdicts[0]?.rationale)).size, 4);
    for (const { conversation, verdicts } of lines) {
      assert.equal(turnsOf(conversation).map(textOf)[1], verdicts[0]?.rationale);
    }
  });

  it('stays the same if the conversation is rejudged', async (t) => {
    const files = {
      'agent.mjs': SAYS_ID,
      'check.mjs': CHECK,
      'suite.eval.yaml': `target: {type: module, path: ./agent.mjs}\n${CASES}`,
    };
    const { lines, workspace } = await runFiles(t, files);
    const earlier = await earlierRuns([join(workspace, 'suite.eval.yaml')]).next();
    assert.ok(!earlier.done);
    const again = await runFiles(t, {}, { workspace, judgeAgain: earlier.value });
    const idsOf = (run: typeof lines) => run.map(({ verdicts }) => verdicts[0]?.rationale).sort();
    assert.deepEqual(idsOf(again.lines), idsOf(lines));
  });
});
