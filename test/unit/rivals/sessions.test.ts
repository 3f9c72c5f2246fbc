import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const judged = (baseUrl: string) =>
  `judge: {provider: openai, model: judge, base_url: "${baseUrl}"}\n`;

const angry = (overall: string, score: number) =>
  json({
    turns: [{ turn: 1, applicable: true, rationale: 'It shouts.', evidence: 'Hi', score }],
    overall,
    rationale: 'The words say so.',
  });

describe('what session scorers elsewhere leave out', () => {
  it('labels such as unresolved: reported as a distribution, each with its rationale', async (t) => {
    const server = await startModelServer([angry('none', 0), angry('unresolved', 0.9)]);
    t.after(() => server.close());
    const cases = ['a', 'b'].map(
      (id) => `  - {id: ${id}, transcript: [{user: Hi}, {assistant: ${id}}]}\n`,
    );
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}defaults: {assert: [{type: user-frustration}]}\ncases:\n${cases.join('')}`,
    });
    const { out, code } = await turnlight(folder, ['run', '--concurrency', '1']);
    assert.match(out, /user-frustration mean 0\.50, 1 of 2 passed: none ×1, unresolved ×1/);
    assert.match(out, /The words say so\./);
    assert.equal(code, 1, 'an overall failure is told by the exit code, unasked');
  });

  it('expectations: told to the judge', async (t) => {
    const server = await startModelServer(['x', 'y']);
    t.after(() => server.close());
    await runFiles(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}cases:\n  - id: a\n    expectations: The order is found.\n    transcript: [{user: Hi}, {assistant: x}]\n    assert: [{type: llm-judge, instructions: "Judge {{conversation}} by {{expectations}}"}]\n`,
    });
    const asked = JSON.stringify(server.requests[0]?.body);
    assert.ok(asked.includes('outcome: The order is found.'));
  });

  it('the system prompt and turn numbers: before the judge, the history once', async (t) => {
    const server = await startModelServer(['x', 'y']);
    t.after(() => server.close());
    await runFiles(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}cases:\n  - id: a\n    transcript: [{system: Be kind.}, {user: first words}, {assistant: x}, {user: more}, {assistant: y}]\n    assert: [ok]\n`,
    });
    const asked = JSON.stringify(server.requests[0]?.body);
    assert.ok(asked.includes('| Be kind.') && asked.includes('[3 user]'));
    assert.equal(asked.split('first words').length, 2);
  });

  it('an error: counted and shown, and no mean without it', async (t) => {
    const server = await startModelServer([angry('none', 0), 'no JSON', 'no JSON']);
    t.after(() => server.close());
    const cases = ['a', 'b'].map(
      (id) => `  - {id: ${id}, transcript: [{user: Hi}, {assistant: ${id}}]}\n`,
    );
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': `${judged(server.baseUrl)}defaults: {assert: [{type: user-frustration}]}\ncases:\n${cases.join('')}`,
    });
    const { out, code } = await turnlight(folder, ['run', '--concurrency', '1']);
    assert.match(
      out,
      /user-frustration mean 1\.00, 1 of 1 passed: none ×1; 1 errored \(malformed-json ×1\)/,
    );
    assert.match(out, /Cases: 1 passed, 0 failed, 1 errored, 0 skipped/);
    assert.equal(code, 2);
  });

  it('a case is known by its id, not by its text cut short', async (t) => {
    const long = 'x'.repeat(300);
    const { lines } = await runFiles(t, {
      'suite.eval.yaml': `cases:\n${['a', 'b'].map((id) => `  - {id: ${id}, transcript: [{user: ${long}${id}}, {assistant: y}], assert: [{type: contains, value: y}]}\n`).join('')}`,
    });
    assert.deepEqual(
      lines.map(({ id }) => id),
      ['a', 'b'],
    );
  });
});
