import assert from 'node:assert/strict';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { keptAnswers } from '../../../src/store/kept.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { runFiles, workspaceWith } from '../../support/runs.ts';

const entry = { turn: 2, applicable: true, verdict: 'pass', rationale: 'r', evidence: 'Hello' };

function answer(body: ChatBody) {
  return body.response_format?.json_schema?.name === 'g_eval_steps'
    ? json({ steps: ['Look at the tone.'] })
    : json({ turns: [entry], rationale: 'warm', score: 8 });
}

function suite(baseUrl: string): string {
  const rated = (id: string) =>
    `  - {id: ${id}, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: g-eval, criteria: warm}]}`;
  return `judge: {provider: openai, model: j, base_url: "${baseUrl}"}\ncases:\n${rated('a')}\n${rated('b')}\n`;
}

describe('what a judge is asked once', () => {
  it('is asked once in a run and kept for the next, and shown', async (t) => {
    const server = await startModelServer(answer);
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl) };
    const { workspace, lines } = await runFiles(t, files);
    assert.equal(server.requests.length, 3);
    assert.deepEqual(lines[0]?.verdicts[0]?.details.steps, ['Look at the tone.']);
    const kept = await readFile(join(workspace, '.turnlight/kept.jsonl'), 'utf8');
    assert.equal(kept.trim().split('\n').length, 1);
    await runFiles(t, files, { workspace });
    assert.equal(server.requests.length, 5);
  });

  it('is asked again where the run is recorded: a recording holds all that was asked', async (t) => {
    const server = await startModelServer(answer);
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl) };
    const { workspace } = await runFiles(t, files);
    await runFiles(t, files, { workspace, record: join(workspace, 'r.jsonl') });
    assert.equal(server.requests.length, 6);
    const { lines } = await runFiles(t, files, { replay: join(workspace, 'r.jsonl') });
    assert.deepEqual(
      lines.map(({ status }) => status),
      ['pass', 'pass'],
    );
    assert.equal(server.requests.length, 6);
  });

  it('is asked again where more is kept than is read', async (t) => {
    const workspace = await workspaceWith(t, {});
    const home = { root: workspace, kept: [workspace] };
    await keptAnswers(home, new Scrubber()).save('a', 'x'.repeat(LIMITS.kept - 100));
    await keptAnswers(home, new Scrubber()).save('b', 'x'.repeat(100));
    const { load } = keptAnswers(home, new Scrubber());
    assert.equal(typeof (await load('a')), 'string');
    assert.equal(await load('b'), undefined);
  });

  it('is asked again where the file was torn', async (t) => {
    const workspace = await workspaceWith(t, {});
    const home = { root: workspace, kept: [workspace] };
    await keptAnswers(home, new Scrubber()).save('a', { steps: [] });
    assert.deepEqual(await keptAnswers(home, new Scrubber()).load('a'), { steps: [] });
    await appendFile(join(workspace, '.turnlight/kept.jsonl'), '{"key": "b", "ans');
    assert.equal(await keptAnswers(home, new Scrubber()).load('b'), undefined);
    assert.deepEqual(await keptAnswers(home, new Scrubber()).load('a'), { steps: [] });
  });
});
