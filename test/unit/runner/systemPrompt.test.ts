import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Conversation } from '../../../src/core/conversation.ts';
import type { RunOptions } from '../../../src/runner/runOptions.ts';
import { turnlight } from '../../support/commandLine.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { ECHO, runFiles, workspaceWith } from '../../support/runs.ts';

const RULES = 'You are a waiter. Never discuss politics.';
const VERDICT = {
  turns: [{ turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' }],
  rationale: 'r',
};

/** Runs one scripted turn that is judged for its role, with a server for the agent and its judge. */
async function adheres(
  t: TestContext,
  target: string,
  files: Readonly<Record<string, string>> = {},
  options: Partial<RunOptions> = {},
) {
  const server = await startModelServer((body) =>
    body.model === 'judge' ? json(VERDICT) : 'Hello',
  );
  t.after(() => server.close());
  const model = (name: string) =>
    `{provider: openai, model: ${name}, base_url: "${server.baseUrl}"}`;
  const suite = `models:
  agent: ${model('agent')}
judge: ${model('judge')}
target: ${target}
cases:
  - {id: a, turns: [Hi], assert: [{type: role-adherence}]}
`;
  const { lines } = await runFiles(t, { ...files, 'suite.eval.yaml': suite }, options);
  const asked = (name: string) =>
    server.requests.map(({ body }) => body).filter(({ model: of }) => of === name);
  return { line: lines[0], agent: asked('agent')[0], judge: asked('judge')[0] };
}

function readBy(judge: ChatBody | undefined): string {
  return judge?.messages.map(({ content }) => content).join('\n') ?? '';
}

/** Each entry as what it is and what it says. */
function entries(conversation: Conversation | undefined): unknown[] {
  return (conversation?.entries ?? []).map((entry) =>
    entry.kind === 'system' ? `${entry.role}: ${entry.text}` : entry.number,
  );
}

describe('the system text of a target', () => {
  it('is in the record, shown to the judge, and sent to the model once', async (t) => {
    const target = `{type: chat, model: agent, system: "${RULES}"}`;
    const { line, agent, judge } = await adheres(t, target);
    assert.deepEqual([line?.status, line?.reason], ['pass', undefined]);
    assert.deepEqual(entries(line?.conversation), [`system: ${RULES}`, 1, 2]);
    assert.deepEqual(
      agent?.messages.map(({ role, content }) => [role, content]),
      [
        ['system', RULES],
        ['user', 'Hi'],
      ],
    );
    assert.match(
      readBy(judge),
      new RegExp(`=== CONVERSATION ===\n\\[system text\\]\n\\| ${RULES}\n\\[1 user\\]`),
    );
  });

  it('is the first message for a program', async (t) => {
    const bot = 'export default (messages) => JSON.stringify(messages[0]);\n';
    const target = `{type: module, path: ./bot.mjs, system: "${RULES}"}`;
    const { line } = await adheres(t, target, { 'bot.mjs': bot });
    const said = line?.conversation.entries.at(-1);
    assert.ok(said?.kind === 'turn' && said.items[0]?.kind === 'text');
    assert.deepEqual(JSON.parse(said.items[0].text), { role: 'system', content: RULES });
    assert.deepEqual(entries(line?.conversation), [`system: ${RULES}`, 1, 2]);
  });

  it('is in the record if a reply returns it', async (t) => {
    const bot = `export default () => [
      { role: 'system', content: '${RULES}' },
      { role: 'assistant', content: 'Hello' },
    ];`;
    const { line, judge } = await adheres(t, '{type: module, path: ./bot.mjs}', { 'bot.mjs': bot });
    assert.deepEqual([line?.status, line?.reason], ['pass', undefined]);
    assert.deepEqual(entries(line?.conversation), [1, `system: ${RULES}`, 2]);
    assert.ok(readBy(judge).includes(RULES));
  });

  it('is in the record of a replayed run, too', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const target = `{type: chat, model: agent, system: "${RULES}"}`;
    const { line } = await adheres(t, target, {}, { record: recording });
    const replayed = await adheres(t, target, {}, { replay: recording });
    assert.equal(replayed.line?.status, 'pass');
    assert.equal(replayed.agent, undefined);
    assert.deepEqual(entries(replayed.line?.conversation), entries(line?.conversation));
  });
});

describe('a type that needs a role or a system text', () => {
  const asking = (target: string) =>
    load(suiteWith(`turns: [Hi]\ntarget: ${target}\nassert: [{type: role-adherence}]`));

  it('reports while typing that a chat target has none', async () => {
    const loaded = await asking('{type: chat, model: "openai:m"}');
    assert.deepEqual(placed(loaded), ['5:15 missing-need']);
  });

  it('accepts the `system` of any target', async () => {
    for (const target of ['{type: chat, model: "openai:m", ', '{type: module, path: bot.mjs, ']) {
      assert.deepEqual(placed(await asking(`${target}system: You are a waiter.}`)), []);
    }
  });

  it('waits for the replies of a program, which may contain one', async () => {
    assert.deepEqual(placed(await asking('{type: module, path: bot.mjs}')), []);
  });
});

const suite = (context: string) => `targets:
  bot: {type: module, path: ./bot.mjs, system: "You serve {{name}}."}
target: bot
cases:
  - id: a
    ${context}turns: [Hi]
    assert: [{type: contains, value: Hi}]
`;

describe("variables in a target's system text", () => {
  it('are filled in from the context of the case', async (t) => {
    const text = suite('context: {name: Ann}\n    ');
    const { lines } = await runFiles(t, { 'bot.mjs': ECHO, 'suite.eval.yaml': text });
    const [system] = lines[0]?.conversation.entries ?? [];
    assert.deepEqual(system, { kind: 'system', role: 'system', text: 'You serve Ann.' });
  });

  it('without a value in the case are errors, and nothing runs', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'suite.eval.yaml': suite('') });
    const { code, err } = await turnlight(folder, ['run']);
    assert.equal(code, 3);
    assert.match(err, /error unknown-variable The `system` of the target "bot" uses \{\{name\}\}/);
  });
});
