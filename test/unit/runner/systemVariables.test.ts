import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnlight, workspaceWith } from '../../support/commandLine.ts';
import { ECHO, runFiles } from '../../support/runs.ts';

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

  it('that the case has no value for are errors, and nothing runs', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'suite.eval.yaml': suite('') });
    const { code, err } = await turnlight(folder, ['run']);
    assert.equal(code, 3);
    assert.match(err, /error unknown-variable The `system` of the target "bot" uses \{\{name\}\}/);
  });
});
