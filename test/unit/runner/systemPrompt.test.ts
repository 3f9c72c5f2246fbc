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

/** Runs one scripted turn and judges its role adherence, with a server for the agent and the judge. */
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
  - {id: a, turns: [Hi], context: {name: Ann}, assert: [{type: role-adherence}]}
`;
  const { lines } = await runFiles(t, { ...files, 'suite.eval.yaml': suite }, options);
  const asked = (name: string) =>
    server.requests.map(({ body }) => body).filter(({ model: of }) => of === name);
  return { line: lines[0], agent: asked('agent')[0], judge: asked('judge')[0] };
}

function readBy(judge: ChatBody | undefined): string {
  return judge?.messages.map(({ content }) => content).join('\n') ?? '';
}

/** System entries as `role: text`, and turns as their number. */
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
    const said = line?.conversation.entries.at(-1);
    assert.ok(said?.kind === 'turn' && said.latency !== undefined);
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

describe('a system text in a file', () => {
  const target = '{type: chat, model: agent, system: {file: ./prompt.md}}';
  const text = `You are a \${env:JOB}.\n\nServe {{name}}.\n`;
  const filled = 'You are a waiter.\n\nServe Ann.';
  const env = (job: string) => ({ env: (name: string) => (name === 'JOB' ? job : undefined) });

  it('is sent, recorded, and judged like one in the eval file', async (t) => {
    const files = { 'prompt.md': text };
    const { line, agent, judge } = await adheres(t, target, files, env('waiter'));
    assert.deepEqual([line?.status, line?.reason], ['pass', undefined]);
    assert.deepEqual(entries(line?.conversation), [`system: ${filled}`, 1, 2]);
    assert.equal(agent?.messages[0]?.content, filled);
    assert.match(readBy(judge), /\| Serve Ann\./);
  });

  it('is part of the identity of the target', async (t) => {
    const digest = async (prompt: string) =>
      (await adheres(t, target, { 'prompt.md': prompt }, env('waiter'))).line?.target?.digest;
    assert.equal(await digest(text), await digest(text));
    assert.notEqual(await digest(text), await digest(`${text}Be brief.`));
  });

  it('sends no variable that the host may not get', async (t) => {
    const files = {
      'prompt.md': `My password: \${env:DB_PASSWORD}`,
      'suite.eval.yaml': `target: {type: chat, model: "openai:m", system: {file: prompt.md}}
cases:
  - {id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}
`,
    };
    const folder = await workspaceWith(t, files);
    const keys = { OPENAI_API_KEY: 'key-of-openai', DB_PASSWORD: 'a-long-password' };
    const { code, err } = await turnlight(folder, ['run'], keys);
    assert.equal(code, 3);
    assert.match(err, /wants to send DB_PASSWORD to api\.openai\.com/);
  });

  const loaded = (file: string, files: Readonly<Record<string, string>> = {}) =>
    load(
      suiteWith(
        `turns: [Hi]
target: {type: chat, model: "openai:m", system: {file: ${file}}}
assert: [{type: contains, value: Hi}]`,
      ),
      files,
    );

  it('is an error if the file is missing, empty, outside of the workspace, or private', async () => {
    const codes = async (file: string, files: Readonly<Record<string, string>> = {}) =>
      placed(await loaded(file, files));
    assert.deepEqual(await codes('./none.md'), ['4:60 file-missing']);
    assert.deepEqual(await codes('./blank.md', { 'blank.md': ' \n' }), ['4:60 empty-file']);
    assert.deepEqual(await codes('../secret.md'), ['4:60 path-outside']);
    assert.deepEqual(await codes('.env', { '.env': 'KEY=x' }), ['4:60 private-file']);
  });

  it('is a dependency of the eval file', async () => {
    const { dependencies } = await loaded('./prompt.md', { 'prompt.md': 'Be brief.' });
    assert.ok([...dependencies].some((path) => path.endsWith('/prompt.md')));
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
