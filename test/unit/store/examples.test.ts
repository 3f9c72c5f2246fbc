import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { questionHash } from '../../../src/assertions/questionHash.ts';
import { toConversation } from '../../../src/core/conversation.ts';
import type { Label } from '../../../src/core/record/label.ts';
import type { SuiteCase } from '../../../src/core/suite.ts';
import { loadSuite } from '../../../src/evalfile/load.ts';
import { expandSuite } from '../../../src/evalfile/loadedSuite.ts';
import { nodeFiles } from '../../../src/evalfile/nodeFiles.ts';
import { conversationHash } from '../../../src/node/hashes.ts';
import { examplesOf, findAssertion } from '../../../src/store/examples.ts';
import { appendLabels, saveLabeledConversation } from '../../../src/store/labels.ts';
import { workspaceWith } from '../../support/runs.ts';

const SUITE = `
judge: openai:judge
cases:
  - id: a
    transcript: [{user: First question}, {assistant: First reply}]
    assert: [{type: llm-judge, name: Tone, instructions: "Warm?", examples: labels}]
  - id: b
    transcript: [{user: Second question}, {assistant: Second reply}]
    assert: [{type: all-of, assert: [{type: llm-judge, name: Tone, instructions: "Warm?", examples: labels}]}]
  - id: c
    transcript: [{user: Third question}, {assistant: Third reply}]
    assert: [{type: llm-judge, name: Tone, instructions: "Short?"}]
  - id: d
    transcripts: data.jsonl
    assert: [{type: llm-judge, name: Tone, instructions: "Warm?", examples: labels}]
  - id: e
    transcript: [{user: Fifth question}, {assistant: Fifth reply}]
    assert: [{type: llm-judge, name: Tone, instructions: "Warm?", examples: labels}]
`;
const line = (id: string) =>
  JSON.stringify({
    id,
    messages: [
      { role: 'user', content: `Question of ${id}` },
      { role: 'assistant', content: `Reply to ${id}` },
    ],
  });

async function suiteAt(path: string) {
  const workspace = dirname(path);
  const { problems, suite } = await expandSuite(
    await loadSuite(path, nodeFiles(new Set()), { workspace, env: () => undefined }),
  );
  assert.deepEqual(problems, []);
  assert.ok(suite);
  return suite;
}

async function labeledSuite(t: TestContext) {
  const folder = await workspaceWith(t, {
    'suite.eval.yaml': SUITE,
    'data.jsonl': `${line('one')}\n${line('two')}\n`,
  });
  const path = join(folder, 'suite.eval.yaml');
  const suite = await suiteAt(path);
  const labels: Label[] = [];
  for (const one of suite.cases) {
    const { suiteCase = one } = (await one.open?.()) ?? {};
    assert.ok(suiteCase.origin.kind === 'transcript');
    const conversation = toConversation(suiteCase.origin.messages);
    await saveLabeledConversation(path, {
      conversation,
      facts: { topics: [], tools: [], expectations: {}, context: {} },
    });
    const key = suiteCase.id === 'b' ? 'all-of/Tone' : 'Tone';
    const found = findAssertion(suiteCase.assertions, key) ?? suiteCase.assertions[0];
    labels.push({
      case: one.id,
      ...(one.variant !== undefined && { variant: one.variant }),
      assertion: found?.key ?? '',
      conversation_hash: conversationHash(conversation),
      status: 'pass',
      at: '2026-01-01T00:00:00.000Z',
    });
  }
  await appendLabels(path, 'ann', labels);
  return { suite, path, labels };
}

async function namesFor(suite: { path: string; cases: readonly SuiteCase[] }, judged: SuiteCase) {
  const { suiteCase = judged } = (await judged.open?.()) ?? {};
  const [assertion] = suiteCase.assertions;
  assert.ok(assertion);
  const found = await examplesOf(suite)(suiteCase)(assertion);
  return found.map((one) => [one.case, one.variant].filter(Boolean).join('/'));
}

describe('the labeled conversations that may be examples', () => {
  it('are of other cases with the same question, or were recorded separately', async (t) => {
    const { suite } = await labeledSuite(t);
    const of = (id: string, variant?: string) => {
      const found = suite.cases.find((one) => one.id === id && one.variant === variant);
      assert.ok(found);
      return namesFor(suite, found);
    };
    assert.deepEqual(await of('a'), ['d/one', 'd/two', 'e']);
    assert.deepEqual(await of('d', 'one'), ['a', 'd/two', 'e']);
  });

  it("have the majority's labels, without ties", async (t) => {
    const { suite, path, labels } = await labeledSuite(t);
    const own = labels.find((one) => one.case === 'e');
    assert.ok(own);
    const at = (status: Label['status'], turn?: number): Label => ({
      ...own,
      status,
      ...(turn !== undefined && { turn }),
    });
    await appendLabels(path, 'bob', [at('fail'), { ...at('fail', 2), comment: 'No.' }]);
    const [judged] = suite.cases;
    const [assertion] = judged?.assertions ?? [];
    assert.ok(judged && assertion);
    const found = await examplesOf(suite)(judged)(assertion);
    const one = found.find(({ hash }) => hash === own.conversation_hash);
    assert.deepEqual(one?.verdicts, [{ turn: 2, status: 'fail', comments: ['No.'] }]);
  });

  it('stay examples if their case is renamed, even if all cases ask another question then', async (t) => {
    const { suite, path, labels } = await labeledSuite(t);
    const hashed = (all: readonly SuiteCase[], id: string) => {
      const [assertion] = all.find((one) => one.id === id)?.assertions ?? [];
      assert.ok(assertion && all[0]);
      return questionHash(assertion, all[0]);
    };
    const asked = labels.map((one) => ({
      ...one,
      question_hash: hashed(suite.cases, one.case === 'c' ? 'c' : 'a'),
      at: '2026-01-02T00:00:00.000Z',
    }));
    await appendLabels(path, 'ann', asked);
    const renamed = (text: string) =>
      text.replace('id: c', 'id: short').replace('id: e', 'id: new');
    for (const change of [renamed, (text: string) => renamed(text).replaceAll('Warm?', 'Hot?')]) {
      await writeFile(path, change(SUITE));
      const changed = await suiteAt(path);
      const judged = changed.cases.find(({ id }) => id === 'a');
      assert.ok(judged);
      assert.deepEqual(await namesFor(changed, judged), ['d/one', 'd/two', 'e']);
    }
  });

  it('are empty if the assertion uses no examples', async (t) => {
    const { suite } = await labeledSuite(t);
    const judged = suite.cases.find(({ id }) => id === 'c');
    assert.ok(judged);
    assert.deepEqual(await namesFor(suite, judged), []);
  });
});
