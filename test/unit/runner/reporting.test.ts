import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { EXIT } from '../../../src/cli/exitCode.ts';
import { REPORTS } from '../../../src/core/conversation.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { reuseConversation } from '../../../src/runner/earlierRun.ts';
import { turnlight } from '../../support/commandLine.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';
import { answerJson, startService } from '../../support/service.ts';

const ABSENCE = `
      - {type: tool-not-called, name: refund}
      - {type: tool-called, name: refund, negate: true}
      - {type: tool-sequence, tools: [look_up], match: subset}
      - {type: all-of, assert: [{type: contains, value: Done}, {type: tool-not-called, name: refund}]}
      - {type: any-of, assert: [{type: contains, value: Done}, {type: tool-not-called, name: refund}]}
      - {type: all-of, negate: true, assert: [{type: tool-called, name: refund}]}
`;
const SAYS_DONE = 'export default () => "Done.";\n';
const LOOKS_UP = `export default () => [
  { role: 'assistant', content: null, tool_calls: [{ id: '1', type: 'function', function: { name: 'look_up', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: '1', content: 'ok' },
  { role: 'assistant', content: 'Done.' },
];
`;

const suite = (assertions: string, reports = '', more = '') =>
  `target: {type: module, path: ./bot.mjs${reports}}\ncases:\n  - id: a\n    turns: [Hi]\n    assert:${assertions}${more}`;

async function verdictsOf(t: TestContext, bot: string, text: string): Promise<readonly Verdict[]> {
  const { lines } = await runFiles(t, { 'bot.mjs': bot, 'suite.eval.yaml': text });
  return lines[0]?.verdicts ?? [];
}

const reasonsOf = (verdicts: readonly Verdict[]) =>
  verdicts.map((one) => ('reason' in one ? `${one.status} ${one.reason}` : one.status));

const ERROR = 'error not-reported';

describe("data that a target doesn't report", () => {
  it('passes no check, even negated or in a group, and the error names the key', async (t) => {
    const verdicts = await verdictsOf(t, SAYS_DONE, suite(ABSENCE));
    assert.deepEqual(
      reasonsOf(verdicts),
      verdicts.map(() => ERROR),
    );
    assert.equal(verdicts.length, 6);
    for (const { rationale } of verdicts) assert.match(rationale, /reports: \[tool_calls\]/);
  });

  it('leaves its case without a score, whatever the other checks find', async (t) => {
    const checks = '\n      - {type: contains, value: Done}\n      - {type: tool-not-called}\n';
    const files = { 'bot.mjs': SAYS_DONE, 'suite.eval.yaml': suite(checks) };
    const { lines } = await runFiles(t, files);
    assert.deepEqual(
      lines.map(({ status, score }) => [status, score]),
      [['error', null]],
    );
  });

  it('can be checked if the target declares it', async (t) => {
    for (const reports of ['all', '[tool_calls]']) {
      const verdicts = await verdictsOf(t, SAYS_DONE, suite(ABSENCE, `, reports: ${reports}`));
      assert.deepEqual(
        verdicts.map(({ status }) => status),
        verdicts.map(() => 'pass'),
      );
    }
  });

  it('is known from the replies of the same conversation', async (t) => {
    const verdicts = await verdictsOf(t, LOOKS_UP, suite(ABSENCE));
    assert.deepEqual(
      verdicts.map(({ status }) => status),
      verdicts.map(() => 'pass'),
    );
  });

  it('stays unknown in other conversations of the run, whatever their order', async (t) => {
    const bot = `${LOOKS_UP.replace('() =>', '(messages) => messages[0].content === "no" ? "Done." :')}`;
    const text = suite(
      ABSENCE,
      '',
      '  - {id: b, turns: ["no"], assert: [{type: tool-not-called}]}\n',
    );
    for (const concurrency of [1, 4]) {
      const files = { 'bot.mjs': bot, 'suite.eval.yaml': text };
      const { lines } = await runFiles(t, files, { concurrency });
      assert.deepEqual(Object.fromEntries(lines.map(({ id, status }) => [id, status])), {
        a: 'pass',
        b: 'error',
      });
    }
  });

  it('is known in a history, which is in the file', async (t) => {
    const text = `target: {type: module, path: ./bot.mjs}
cases:
  - id: a
    history: [{user: Hi}, {assistant: Hello}]
    turns: [Bye]
    assert:
      - {type: tool-not-called, at: 2}
      - {type: tool-not-called, at: [2, 4]}
`;
    assert.deepEqual(reasonsOf(await verdictsOf(t, SAYS_DONE, text)), ['pass', ERROR]);
  });

  it('stops a case with stop_on_failure, like any error', async (t) => {
    const text = `target: {type: module, path: ./bot.mjs}
cases:
  - id: a
    stop_on_failure: true
    turns: [{user: Hi, assert: [{type: tool-not-called}]}, {user: Bye, assert: [{type: contains, value: Done}]}]
`;
    assert.deepEqual(reasonsOf(await verdictsOf(t, SAYS_DONE, text)), [
      ERROR,
      'skipped not-reached',
    ]);
  });

  it('includes usage: its limits are errors', async (t) => {
    const limits = '\n      - {type: max-tokens, max: 10}\n      - {type: max-cost, max: 1}\n';
    const verdicts = await verdictsOf(t, SAYS_DONE, suite(limits));
    assert.deepEqual(reasonsOf(verdicts), [ERROR, ERROR]);
  });

  it("doesn't ask a judge about unreported calls or context", async (t) => {
    const judged = `
      - {type: tool-use}
      - {type: tool-call-efficiency}
      - {type: groundedness}
      - {type: turn-faithfulness}
`;
    const text = `judge: openai:never-asked\ntools: [{name: refund}]\n${suite(judged)}`;
    const verdicts = await verdictsOf(t, SAYS_DONE, text);
    assert.deepEqual(reasonsOf(verdicts), [ERROR, ERROR, ERROR, ERROR]);
    assert.match(verdicts[2]?.rationale ?? '', /retrieved context or tool calls/);
  });
});

describe('a record', () => {
  it('contains the reports, so that rejudging finds the same', async (t) => {
    for (const [bot, reports, status] of [
      [SAYS_DONE, '', 'error'],
      [SAYS_DONE, ', reports: [tool_calls]', 'pass'],
      [LOOKS_UP, '', 'pass'],
    ] as const) {
      const first = suite(ABSENCE, reports);
      const folder = await workspaceWith(t, { 'bot.mjs': bot, 'suite.eval.yaml': first });
      await turnlight(folder, ['run', '--reporter', 'json=first.json']);
      // Changing what the target reports doesn't affect what was visible in the earlier run.
      const now = suite(ABSENCE, status === 'error' ? ', reports: all' : '');
      await writeFile(join(folder, 'suite.eval.yaml'), now);
      const again = await turnlight(folder, ['judge', '--reporter', 'json']);
      const [line] = JSON.parse(again.out).cases ?? [];
      assert.equal(line?.status, status, again.out + again.err);
    }
  });

  it('of an earlier version shows what its conversations contain', () => {
    const line = (type: string, reported?: string[]) =>
      ({
        origin: 'turns',
        target: { name: 'bot', type, digest: '' },
        conversation: { entries: [], notes: [] },
        ...(reported && { reported }),
      }) as unknown as CaseLine;
    const shown = (one: CaseLine) => reuseConversation(one).reporting?.reports;
    assert.deepEqual(shown(line('module')), []);
    assert.deepEqual(shown(line('chat')), REPORTS);
    assert.deepEqual(shown(line('chat', ['usage', 'of-a-later-version'])), ['usage']);
    assert.equal(
      reuseConversation({ ...line('module'), origin: 'transcript' }).reporting,
      undefined,
    );
  });
});

describe('data that a service has no pointer for', () => {
  it('is an error at the assertion before the run', async (t) => {
    const { url, requests } = await startService(t, (_request, response) =>
      answerJson(response, { text: 'Done.' }),
    );
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': `targets:
  bot: {type: http, url: "${url}", reply: /text}
target: bot
cases:
  - id: a
    turns: [Hi]
    assert:
      - {type: any-of, assert: [{type: tool-not-called, name: refund}]}
      - {type: turn-faithfulness}
`,
    });
    const { out, err, code } = await turnlight(folder, ['check']);
    assert.equal(code, EXIT.invalid);
    const told = out + err;
    assert.match(
      told,
      /:8:\d+.*tool-not-called can't be checked: the target "bot" doesn't report tool calls/,
    );
    assert.match(told, /:9:\d+.*Set `retrieval_context` on the target/);
    assert.equal((await turnlight(folder, ['run'])).code, EXIT.invalid);
    assert.equal(requests.length, 0);
  });
});
