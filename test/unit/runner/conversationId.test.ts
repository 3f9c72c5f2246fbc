import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textOf, turnsOf } from '../../../src/core/conversation.ts';
import { earlierRuns } from '../../../src/store/records/list.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { type Ran, runFiles } from '../../support/runs.ts';
import { answerJson, startService } from '../../support/service.ts';

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
    it(`tells repetitions, variants and runs apart for a ${what} and a script`, async (t) => {
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

  it('stays with a conversation that is judged again', async (t) => {
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
