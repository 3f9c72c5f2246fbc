import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { judgeSawText } from '../../../src/report/judgeSawText.ts';
import { reconstructRequests } from '../../../src/runner/judgeRequests.ts';
import { answersFolder } from '../../../src/store/answers.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import { turnlight } from '../../support/commandLine.ts';
import { answer, entry } from '../../support/judging.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json, type Step } from '../../support/modelServer/steps.ts';
import { workspaceWith } from '../../support/runs.ts';

const CASE = `cases:
  - id: a
    transcript: [{user: Where is it?}, {assistant: "It comes.\\n=== ANSWER ==="}]
    assert:
      - ASSERTION
`;

async function ran(t: TestContext, assertion: string, steps: Step[], more: string[] = []) {
  const server = await startModelServer(steps);
  t.after(() => server.close());
  const models = `models: {j: {provider: openai, model: judge, base_url: "${server.baseUrl}", temperature: 0}}\njudge: j\n`;
  const text = `${models}${CASE.replace('ASSERTION', assertion)}`;
  const folder = await workspaceWith(t, { 'suite.eval.yaml': text });
  const cache = emptyCache();
  const env = { TURNLIGHT_CACHE_DIR: cache, OPENAI_API_KEY: 'sk-secret-key-of-mine' };
  const { err } = await turnlight(folder, ['run', ...more], env);
  const path = join(folder, 'suite.eval.yaml');
  const saw = async (index = 0) => {
    const [found] = await new LatestRuns().find(path, 'a');
    assert.ok(found, err);
    const { line } = found;
    const verdict = line.verdicts[index];
    const { suite } = await loadSuite(path, nodeFiles(), {
      workspace: folder,
      env: () => undefined,
    });
    const [suiteCase] = suite?.cases ?? [];
    assert.ok(verdict && suite && suiteCase);
    const host = {
      env: () => undefined,
      secret: async () => undefined,
      scrubber: new Scrubber({}),
      folder: answersFolder((name) => (name === 'TURNLIGHT_CACHE_DIR' ? cache : undefined)),
    };
    const seen = await reconstructRequests(line, verdict, suite, suiteCase, host);
    return { seen, text: seen && judgeSawText(seen, line), line: line as CaseLine };
  };
  return { server, path, folder, saw };
}

const GOOD = { ...json(answer(entry(2))), usage: { input: 321, output: 45 } };

describe('what the judge saw', () => {
  it('is the sent request, with the cached answer, its tokens, and its time', async (t) => {
    const { server, saw } = await ran(t, 'type: turn-relevancy', [GOOD]);
    const { seen, text = '' } = await saw();
    assert.equal(seen?.isSame, true);
    assert.deepEqual(seen?.requests[0]?.request.messages, server.requests[0]?.body.messages);
    assert.equal(seen?.requests[0]?.answers[0]?.text, GOOD.text);
    assert.match(text, /exactly what was sent/);
    assert.match(
      text,
      /\nANSWER \(found in the cache, 321 input tokens, 45 output tokens, took \d+/,
    );
    assert.doesNotMatch(text, /sk-secret/);
    // Content is indented; only our own lines start at the margin.
    assert.equal(text.match(/^=== ANSWER/gm), null);
    assert.match(text, /^ {4}\| === ANSWER ===$/m);
    assert.equal(server.requests.length, 1);
  });

  it('shows a repair with the repaired answer', async (t) => {
    const bad = json({ turns: [] });
    const { saw } = await ran(t, 'type: turn-relevancy', [bad, GOOD]);
    const { seen, text = '' } = await saw();
    assert.equal(seen?.requests.length, 2);
    assert.match(text, /REQUEST 2: repair of the answer to request 1, new messages only/);
    assert.match(text, /Your answer cannot be used/);
    assert.equal(text.match(/=== CONVERSATION ===/g)?.length, 1);
  });

  it('shows unusable answers, without secrets and within a limit', async (t) => {
    const first = `sk-secret-key-of-mine ${'é'.repeat(40_000)}`;
    const { saw } = await ran(t, 'type: turn-relevancy', [{ text: first }, { text: 'no JSON' }]);
    const { text = '', line } = await saw();
    const [verdict] = line.verdicts;
    assert.equal(verdict?.reason, 'malformed-json');
    const kept = verdict && 'unusable' in verdict ? (verdict.unusable ?? []) : [];
    assert.equal(kept.length, 2);
    assert.ok(Buffer.byteLength(kept.join('')) < 64_000);
    assert.match(text, /\nANSWER \(could not be used\)\n {4}\[hidden: OPENAI_API_KEY\] éé/);
    assert.match(text, /\nREPAIRED ANSWER \(could not be used\)\n {4}no JSON\n/);
    assert.doesNotMatch(text, /sk-secret|not in the cache/);
  });

  it('shows them for a question that shared its request', async (t) => {
    const both = 'The agent greets.\n      - The agent is polite.';
    const { saw } = await ran(t, both, [{ text: 'first' }, { text: 'second' }]);
    for (const index of [0, 1]) {
      const { text = '' } = await saw(index);
      assert.match(text, /ANSWER \(could not be used\)\n {4}first\n\nREPAIRED ANSWER/);
    }
  });

  it('of criteria that share a request is that request, for each of them', async (t) => {
    const criteria = [1, 2].map((criterion) => ({
      criterion,
      turns: [entry(2)],
      rationale: 'r',
      outcome: 'met',
    }));
    const { server, saw } = await ran(
      t,
      'One thing.\n      - Another thing.\n      - type: max-turns\n        max: 9',
      [json({ criteria, rationale: 'r' })],
    );
    const { seen } = await saw(1);
    assert.equal(seen?.isSame, true);
    assert.equal(seen?.requests.length, 1);
    assert.equal(server.requests.length, 1);
  });

  it('reports missing answers and changed questions', async (t) => {
    const { saw, path } = await ran(t, 'type: turn-relevancy', [GOOD], ['--no-cache']);
    const { text = '' } = await saw();
    assert.match(text, /exactly what was sent/);
    assert.match(text, /ANSWER: not in this computer's cache/);
    const { readFile, writeFile } = await import('node:fs/promises');
    const edited = (await readFile(path, 'utf8')).replace(
      'type: turn-',
      'at: [2]\n        type: turn-',
    );
    await writeFile(path, edited.replace('Where is it?', 'Where is it?'));
    const same = await saw();
    assert.equal(same.seen?.isSame, true);
    await writeFile(path, edited.replace('turn-relevancy', 'safety\n        name: turn-relevancy'));
    const other = await saw();
    assert.equal(other.seen?.isSame, false);
    assert.match(other.text ?? '', /NOT what was sent/);
  });
});
