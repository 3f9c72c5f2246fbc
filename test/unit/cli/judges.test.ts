import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { questionHash } from '../../../src/assertions/questionHash.ts';
import type { Label } from '../../../src/core/record/label.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { appendLabels, saveLabeledConversation } from '../../../src/store/labels.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import { talk } from '../../support/buildRun.ts';
import { start, turnlight } from '../../support/commandLine.ts';
import { buildVerdict, judgedLine, writeRun } from '../../support/comparing.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { workspaceWith } from '../../support/runs.ts';

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/next-step');

async function exampleFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-judges-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(EXAMPLE, folder, { recursive: true });
  return folder;
}

/** Two judges with one endpoint. One always answers "met"; the other only if the conversation names a day. */
async function endpoint(t: TestContext, latency?: Promise<void>) {
  const server = await startModelServer(async (body) => {
    await latency;
    const text = body.messages.map(({ content }) => content).join('\n');
    const block =
      /=== CONVERSATION ===\n([\s\S]*?)=== END OF CONVERSATION ===/.exec(text)?.[1] ?? '';
    const isMet = body.model === 'mild' || /day|tomorrow|sent|unlocked/.test(block);
    const verdict = isMet ? 'pass' : 'fail';
    const turn = { turn: 2, applicable: true, rationale: 'r', evidence: '', verdict };
    const one = { criterion: 1, turns: [turn], rationale: 'r', outcome: isMet ? 'met' : 'not-met' };
    return { ...json({ criteria: [one], rationale: 'r' }), usage: { input: 100, output: 10 } };
  });
  t.after(() => server.close());
  return server;
}

describe('turnlight judges', () => {
  it('measures a judge with and without examples, on held-out conversations', async (t) => {
    const folder = await exampleFolder(t);
    const ran = await turnlight(folder, ['run', '.', '--reporter', 'terminal']);
    assert.equal(ran.code, 1);
    const before = await turnlight(folder, ['agreement', '--format', 'json']);
    assert.equal(JSON.parse(before.out).rows[0].compared, 12);
    const { code, out, err } = await turnlight(folder, [
      'judges',
      '--examples',
      '--format',
      'json',
    ]);
    assert.equal(code, 0, err);
    assert.match(err, /^24 conversations to judge: about 24 requests, \d+k tokens, free\.\n/);
    const found = JSON.parse(out);
    assert.deepEqual([found.conversations, found.folds], [12, 5]);
    const measured = found.judges.map(({ name, rows }: (typeof found.judges)[0]) => [
      name,
      rows[0].accuracy.toFixed(2),
      rows[0].kappa.kappa.toFixed(2),
    ]);
    assert.deepEqual(measured, [
      ['replay:example-judge', '0.50', '0.00'],
      ['replay:example-judge with examples', '0.92', '0.83'],
    ]);
    const [{ onlyFirst, onlySecond, p }] = found.pairs;
    assert.deepEqual([onlyFirst, onlySecond, p], [0, 5, 0.0625]);
  });

  it('shows why verdicts are missing', async (t) => {
    const folder = await exampleFolder(t);
    const args = ['judges', 'openai:keyless'];
    const text = await turnlight(folder, args, { OPENAI_API_KEY: '' });
    assert.equal(text.code, 2);
    assert.match(text.out, /Errors\n {2}openai:keyless, 12 verdicts: .*OPENAI_API_KEY/);
    const markdown = await turnlight(folder, [...args, '--format', 'markdown'], {
      OPENAI_API_KEY: '',
    });
    assert.match(markdown.out, /## Errors\n\n- openai:keyless, 12 verdicts/);
  });

  it('compares judges with people and with each other, with their costs', async (t) => {
    const folder = await exampleFolder(t);
    const { baseUrl } = await endpoint(t);
    const args = ['judges', 'openai:mild', 'openai:strict', '--base-url', baseUrl];
    const env = { OPENAI_API_KEY: 'k', TURNLIGHT_CACHE_DIR: emptyCache() };
    const text = await turnlight(folder, args, env);
    assert.equal(text.code, 0, text.err);
    assert.match(text.out, /openai:mild +all +cases +12 +0\.50/);
    assert.match(text.out, /openai:strict +Next step +cases +12 +0\.92 +1\.00 +0\.83 +0\.83/);
    assert.match(text.out, /Only openai:mild is right on 0, only openai:strict on 5 \(p 0\.06\)\./);
    const again = await turnlight(folder, [...args, '--format', 'markdown'], env);
    assert.match(again.out, /^# Judges compared\n\n\| Judge \|/);
    assert.match(again.out, /12 of 12 answers from the cache/);
    const hiding = { ...env, SSH_KEY: 'conversations' };
    const found = await turnlight(folder, [...args, '--format', 'json'], hiding);
    assert.equal(JSON.parse(found.out).conversations, 12);
  });

  it('judges each of two cases with the same conversation by its own question, even if renamed', async (t) => {
    const conversation = talk('Hi', 'The parcel comes on Monday.');
    const suite = (id: string) =>
      ['A day is named', 'The customer is greeted']
        .map((criterion, index) => {
          const name = index === 0 ? id : 'greeting';
          return `  - {id: ${name}, transcript: [{user: Hi}, {assistant: The parcel comes on Monday.}], assert: [{type: criterion, criterion: ${criterion}}]}\n`;
        })
        .join('');
    const text = (id: string) => `judge: openai:mild\ncases:\n${suite(id)}`;
    const folder = await workspaceWith(t, { 'suite.eval.yaml': text('day') });
    const path = join(folder, 'suite.eval.yaml');
    const server = await startModelServer((body) => {
      const said = body.messages.map(({ content }) => content).join('\n');
      const verdict = said.includes('A day is named') ? 'pass' : 'fail';
      const turn = { turn: 2, applicable: true, rationale: 'r', evidence: '', verdict };
      const outcome = verdict === 'pass' ? 'met' : 'not-met';
      const one = { criterion: 1, turns: [turn], rationale: 'r', outcome };
      return json({ criteria: [one], rationale: 'r' });
    });
    t.after(() => server.close());
    const loaded = await loadSuite(path, nodeFiles(), { workspace: folder, env: () => undefined });
    const facts = { topics: [], tools: [], expectations: {}, context: {} };
    const conversation_hash = await saveLabeledConversation(path, { conversation, facts });
    const labels = (loaded.suite?.cases ?? []).map((one, index): Label => {
      const [assertion] = one.assertions;
      assert.ok(assertion);
      return {
        ...{ case: one.id, assertion: assertion.key, conversation_hash },
        question_hash: questionHash(assertion, one),
        status: index === 0 ? 'pass' : 'fail',
        at: `2026-01-0${index + 1}T00:00:00.000Z`,
      };
    });
    assert.equal(new Set(labels.map(({ assertion }) => assertion)).size, 1);
    await appendLabels(path, 'ann', labels);
    const env = { OPENAI_API_KEY: 'k', TURNLIGHT_CACHE_DIR: emptyCache() };
    const judgesAre = async (id: string, model: string) => {
      await writeFile(path, text(id));
      const args = ['judges', model, '--base-url', server.baseUrl, '--format', 'json'];
      const { out, err } = await turnlight(folder, args, env);
      const { judges, left, conversations } = JSON.parse(out || err);
      assert.equal(conversations, 2, id);
      const none = { failPass: 0, passFail: 0 };
      assert.deepEqual(judges[0].rows[0].confusion, { failFail: 1, passPass: 1, ...none });
      assert.equal(left['no-case'], 0);
    };
    await judgesAre('day', 'openai:mild');
    await judgesAre('weekday', 'openai:mild');
    // The question's hash includes the judge. With another judge, the record says which case has the conversation.
    const lines = labels.map(({ assertion: key, case: id, question_hash: question = '' }) =>
      judgedLine(id === 'day' ? 'weekday' : id, [buildVerdict(1, { key, question })], {
        conversation,
      }),
    );
    await writeRun(folder, { lines });
    await judgesAre('weekday', 'openai:other');
  });

  it("enforces the cost limit, and refuses one that it can't enforce", async (t) => {
    const folder = await exampleFolder(t);
    const { baseUrl } = await endpoint(t);
    const args = ['judges', 'openai:mild', '--base-url', baseUrl, '--max-cost', '1'];
    const { code, err } = await turnlight(folder, args, { OPENAI_API_KEY: 'k' });
    assert.equal(code, 3);
    assert.match(err, /the price of openai:mild is unknown/);
  });

  it('can be canceled', async (t) => {
    const folder = await exampleFolder(t);
    let release = () => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { baseUrl } = await endpoint(t, waiting);
    const running = start(folder, ['judges', 'openai:mild', '--base-url', baseUrl], {
      OPENAI_API_KEY: 'k',
    });
    await running.shows('conversations to judge');
    await new Promise((done) => setTimeout(done, 300));
    running.interrupt();
    const { code, err } = await running.ended;
    release();
    assert.equal(code, 130);
    assert.match(err, /Cancelled\./);
  });

  it('reports missing labels, judges, and conversations', async (t) => {
    const folder = await exampleFolder(t);
    const gone = (await turnlight(folder, ['judges', '--file', 'nowhere'])).err;
    assert.match(gone, /nowhere/);
    await rm(join(folder, 'next-step.labels/conversations'), { recursive: true });
    const { code, err } = await turnlight(folder, ['judges']);
    assert.equal(code, 3);
    assert.match(err, /12 labels: their conversation is not in NAME\.labels\/conversations\./);
    await writeFile(join(folder, 'next-step.labels/ann.jsonl'), 'what?\n');
    assert.match((await turnlight(folder, ['judges'])).err, /ann\.jsonl:1: This line is not JSON/);
    const bare = await workspaceWith(t, {
      'a.eval.yaml': 'cases: [{id: a, transcript: [{user: x}, {assistant: y}], assert: [x y]}]\n',
    });
    assert.match((await turnlight(bare, ['judges'])).err, /These files have no labels/);
  });
});
