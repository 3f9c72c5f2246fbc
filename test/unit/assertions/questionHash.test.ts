import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AssertionInput, CaseFacts } from '../../../src/assertions/contract.ts';
import { questionHash } from '../../../src/assertions/questionHash.ts';
import { typeOf } from '../../../src/assertions/registry.ts';
import { turnsOf } from '../../../src/core/conversation.ts';
import { START } from '../../../src/core/problem.ts';
import type { Assertion, ModelSpec } from '../../../src/core/suite.ts';
import { load, suiteWith } from '../../support/evalFiles.ts';
import { expecting } from '../../support/expecting.ts';
import { buildAssertion, buildPrompt } from '../../support/judging.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

function model(name: string, rest: Partial<ModelSpec> = {}): ModelSpec {
  const params = { provider: 'openai', model: name };
  return { id: `openai:${name}`, provider: 'openai', params, folder: '/work', ...rest };
}

const same = (a: Assertion, b: Assertion, facts = FULL_FACTS) =>
  questionHash(a, facts) === questionHash(b, facts);

const JUDGED = buildAssertion('guidelines', { guidelines: ['Be kind.'] }, { judge: model('a') });

/** Facts of a case, each set with one fact changed. */
const CHANGED: Readonly<Record<string, CaseFacts>> = {
  id: { ...FULL_FACTS, id: 'other' },
  role: { ...FULL_FACTS, role: 'A bank.' },
  topics: { ...FULL_FACTS, topics: ['refunds'] },
  tools: { ...FULL_FACTS, tools: [{ name: 'other', server: 'shop' }] },
  expectations: { ...FULL_FACTS, expectations: { outcome: 'Something else.' } },
  context: { ...FULL_FACTS, context: { city: 'Oslo' } },
};

/** The requests about a conversation, as text. */
function askedAbout(assertion: Assertion, facts: CaseFacts): string {
  const type = typeOf(assertion);
  const texts = [RICH_TALK, expecting(4), expecting(6)].flatMap((conversation): object[] => {
    const turns = turnsOf(conversation).filter(
      ({ side }) => type.side === 'both' || type.side === side,
    );
    const input: AssertionInput = { conversation, turns, assertion, facts };
    if (type.kind === 'judged') return [type.question(input)];
    if (type.kind === 'checklist') return [type.checklist([input])];
    if (type.kind !== 'procedure') return [];
    return type.plan(input).map((one): object => (one.kind === 'asked' ? one.about(turns) : one));
  });
  return JSON.stringify(texts, (_key, value) => (typeof value === 'function' ? undefined : value));
}

describe('the question hash', () => {
  it('is the same under another name, weight, threshold or gate, and elsewhere in the file', () => {
    const end = { line: 9, character: 9 };
    for (const rest of [
      { name: 'Other' },
      { key: 'other', index: 3 },
      { weight: 2 },
      { threshold: 0.9 },
      { required: true },
      { samples: 3 },
      { source: { path: '/elsewhere/suite.eval.yaml', range: { start: START.start, end } } },
    ]) {
      assert.ok(same(JUDGED, { ...JUDGED, ...rest }), JSON.stringify(rest));
    }
  });

  it('is another with another question, subject, judge or temperature', () => {
    const { judge: _, ...unjudged } = JUDGED;
    for (const rest of [
      { params: { guidelines: ['Be short.'] } },
      { type: 'criterion', params: { criterion: 'Be kind.' } },
      { at: { kind: 'last' as const } },
      { scriptedTurn: 1 },
      { granularity: 'turn' as const },
      { negate: true },
      { judge: model('b') },
      { temperature: 1 },
      { judge: model('a', { params: { ...model('a').params, temperature: 1 } }) },
    ]) {
      assert.ok(!same(JUDGED, { ...JUDGED, ...rest }), JSON.stringify(rest));
    }
    assert.ok(!same(JUDGED, unjudged));
  });

  it('ignores keys that are set to their defaults', () => {
    const plain = buildAssertion('contains', { value: 'x' });
    assert.ok(same(plain, buildAssertion('contains', { value: 'x', ignore_case: false })));
    assert.ok(!same(plain, buildAssertion('contains', { value: 'x', ignore_case: true })));
    assert.ok(same(JUDGED, { ...JUDGED, temperature: 0 }));
  });

  for (const assertion of judgedAssertions()) {
    for (const [fact, facts] of Object.entries(CHANGED)) {
      const isRead = askedAbout(assertion, facts) !== askedAbout(assertion, FULL_FACTS);
      it(`of ${assertion.type} ${isRead ? 'holds' : 'leaves out'} \`${fact}\``, () => {
        const changed = questionHash(assertion, facts) !== questionHash(assertion, FULL_FACTS);
        assert.equal(changed, isRead);
      });
    }
  }

  it("of a judge prompt includes its text, its scale, and its variables' facts, but not its path", () => {
    const own = (body: string, rest = {}) =>
      buildAssertion('llm-judge', { prompt: 'own.md' }, { prompt: buildPrompt(body, rest) });
    const text = 'Judge {{conversation}} by {{context.city}}.';
    const facts = { ...FULL_FACTS, context: { city: 'Rome' } };
    const moved = own(text, { path: '/moved.md', name: 'Own', threshold: 0.2 });
    assert.ok(same(own(text), moved, facts));
    assert.ok(!same(own(text), own(`${text} Be strict.`), facts));
    assert.ok(!same(own(text), own(text, { grading: { kind: 'scale', scale: [1, 5] } }), facts));
    const changed = questionHash(own(text), CHANGED.context ?? facts);
    assert.notEqual(changed, questionHash(own(text), facts));
  });

  it('of a script includes all facts, and its path relative to the file', () => {
    const script = (folder: string) =>
      buildAssertion(
        'script',
        { path: `${folder}/checks/a.mjs` },
        { source: { path: `${folder}/suite.eval.yaml`, range: START } },
      );
    assert.ok(same(script('/one'), script('/two')));
    assert.ok(!same(script('/one'), buildAssertion('script', { path: '/one/checks/b.mjs' })));
    for (const fact of ['role', 'topics', 'tools', 'expectations', 'context']) {
      const facts = CHANGED[fact] ?? FULL_FACTS;
      assert.notEqual(
        questionHash(script('/one'), facts),
        questionHash(script('/one'), FULL_FACTS),
        fact,
      );
    }
  });

  it('of a group includes the hashes of its assertions', () => {
    const group = (inner: Assertion) =>
      buildAssertion(
        'all-of',
        { assert: [null] },
        { nested: [{ path: 'assert.0', assertion: inner }] },
      );
    assert.ok(same(group(JUDGED), group({ ...JUDGED, name: 'Other', threshold: 1 })));
    assert.ok(!same(group(JUDGED), group({ ...JUDGED, at: { kind: 'last' } })));
  });

  it('is made before variables of the environment are filled in', async () => {
    const text = suiteWith(
      `transcript: [{user: Hi}, {assistant: Hello}]\nassert: [It is kind., {type: coherence, judge: "openai:\${env:OTHER}"}]`,
      `models:\n  mine: {provider: openai, model: "\${env:JUDGE}"}\njudge: mine\n`,
    );
    const hashesWith = async (name: string) => {
      const { suite } = await load(text, {}, { env: () => name });
      const [suiteCase] = suite?.cases ?? [];
      assert.ok(suiteCase);
      assert.equal(suiteCase.assertions[0]?.judge?.id, `openai:${name}`);
      assert.equal(suiteCase.assertions[1]?.judge?.id, `openai:${name}`);
      return suiteCase.assertions.map((one) => questionHash(one, suiteCase));
    };
    assert.deepEqual(await hashesWith('gpt-a'), await hashesWith('gpt-b'));
  });
});
