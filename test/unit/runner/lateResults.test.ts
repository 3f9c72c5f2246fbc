import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import { runFiles } from '../../support/runs.ts';

/**
 * An agent that calls a tool, and returns the result after the user approved the call. @param id call id in the result
 */
const botOf = (
  id: string,
) => `const call = { id: 'c1', type: 'function', function: { name: 'refund', arguments: '{"order":7}' } };
const done = [{ role: 'tool', tool_call_id: '${id}', content: 'refunded' }, { role: 'assistant', content: 'Done.' }];
const asks = { role: 'assistant', content: 'May I refund it?', tool_calls: [call] };
const reply = (users) => (users === 1 ? asks : done);
`;

const MODULE =
  'export default (messages) => reply(messages.filter(({ role }) => role === "user").length);\n';

const PROGRAM = `import { createInterface } from 'node:readline';
for await (const line of createInterface(process.stdin)) {
  const { messages } = JSON.parse(line);
  const { length } = messages.filter(({ role }) => role === 'user');
  console.log(JSON.stringify({ messages: [reply(length)].flat() }));
}
`;

const CASES = `cases:
  - id: a
    turns: [Refund order 7., Yes.]
    assert:
      - {type: tool-called, name: refund, args: {order: 7}, times: 1}
`;

async function lineOf(t: TestContext, target: string, bot: string, cases = CASES) {
  const text = `target: ${target}\n${cases}`;
  const { lines } = await runFiles(t, { 'bot.mjs': bot, 'suite.eval.yaml': text });
  return lines[0] ?? assert.fail();
}

const TARGETS = [
  ['module', '{type: module, path: ./bot.mjs}', MODULE],
  ['command', '{type: command, command: [node, bot.mjs]}', PROGRAM],
] as const;

describe('a tool result one turn after its call', () => {
  for (const [type, target, body] of TARGETS) {
    it(`is the result of its call: ${type}`, async (t) => {
      const line = await lineOf(t, target, botOf('c1') + body);
      assert.equal(line.status, 'pass', line.reason);
      const [, asking] = turnsOf(line.conversation);
      assert.deepEqual(
        asking?.items.flatMap((item) =>
          item.kind === 'tool-call' ? [[item.call.name, item.result]] : [],
        ),
        [['refund', 'refunded']],
      );
    });
  }

  it('is an error if it answers no call', async (t) => {
    const line = await lineOf(t, TARGETS[0][1], botOf('c2') + MODULE);
    assert.equal(line.status, 'error');
    assert.match(line.reason ?? '', /^target-malformed-reply: .*"c2"/);
  });

  it('is an error if it answers a call again', async (t) => {
    const cases = CASES.replace('Yes.]', 'Yes., Again.]');
    const line = await lineOf(t, TARGETS[0][1], botOf('c1') + MODULE, cases);
    assert.equal(line.status, 'error');
    assert.equal(line.failed_turn?.number, 6);
  });
});
