import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { asksOneQuestion } from '../../../src/assertions/contract.ts';
import { questionHash } from '../../../src/assertions/questionHash.ts';
import { typeOf } from '../../../src/assertions/registry.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import { TOGETHER_PROTOCOL } from '../../../src/judge/protocol.ts';
import type { Model } from '../../../src/models/model.ts';
import {
  answer,
  buildAssertion,
  buildFacts,
  entry,
  fails,
  type JudgingOptions,
  judge,
  judgeModel,
} from '../../support/judging.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { unauthorized } from '../../support/modelServer/faults.ts';
import type { Script } from '../../support/modelServer/server.ts';
import { json } from '../../support/modelServer/steps.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

const GOOD = answer(entry(2), entry(4));
const BAD = answer(fails(2), entry(4));
const ROLE = buildFacts({ role: 'A service desk.' });

function asked(type: string, rest: Partial<Assertion> = {}): Assertion {
  return buildAssertion(type, {}, { together: true, ...rest });
}

const TWO = [asked('turn-relevancy'), asked('role-adherence')];

const states = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ status, reason }) => (reason === undefined ? status : `${status} ${reason}`));

function judged(t: TestContext, script: Script, assertions = TWO, rest: JudgingOptions = {}) {
  return judge(t, script, assertions, { facts: ROLE, ...rest });
}

function namesIn({ response_format }: ChatBody): string[] {
  const schema = response_format?.json_schema?.schema as { properties: object } | undefined;
  return Object.keys(schema?.properties ?? {});
}

describe('questions asked together', () => {
  it('are in one request, and each answer counts by the formula of its type', async (t) => {
    const both = { 'turn-relevancy': GOOD, 'role-adherence': BAD };
    const { verdicts, server } = await judged(t, [json(both)]);
    assert.equal(server.requests.length, 1);
    assert.deepEqual(
      verdicts.map(({ status, score }) => [status, score]),
      [
        ['pass', 1],
        ['pass', 0.5],
      ],
    );
    const [{ body } = assert.fail()] = server.requests;
    assert.deepEqual(namesIn(body), ['turn-relevancy', 'role-adherence']);
    const [system, question] = body.messages;
    assert.equal(system?.content, TOGETHER_PROTOCOL);
    assert.match(
      question?.content ?? '',
      /=== QUESTION turn-relevancy ===[\s\S]+Turns to judge: 2,4\./,
    );
    assert.equal(question?.content?.split('Where is my order').length, 2);
  });

  it('are counted once, and each verdict names the others', async (t) => {
    const both = { 'turn-relevancy': GOOD, 'role-adherence': GOOD };
    const { verdicts } = await judged(t, [json(both)]);
    assert.deepEqual(
      verdicts.map(({ usage, details }) => [usage.calls, details]),
      [
        [1, { asked_with: ['role-adherence'] }],
        [0, { asked_with: ['turn-relevancy'] }],
      ],
    );
    assert.equal(verdicts[0]?.judge?.prompt_hash, verdicts[1]?.judge?.prompt_hash);
  });

  it('result in the same verdicts as separate questions, for every type', async (t) => {
    const types = judgedAssertions()
      .filter((one) => asksOneQuestion(typeOf(one)) && !one.params.per_turn)
      .map((one): Assertion => ({ ...one, together: true }));
    const example = ({ type }: Assertion) =>
      JSON.parse(
        readFileSync(new URL(`../../fixtures/judging/${type}.json`, import.meta.url), 'utf8'),
      );
    const answers = types.map((one) => [one.key, example(one).answer]);
    const about = { conversation: RICH_TALK, facts: FULL_FACTS };
    const { verdicts, server } = await judge(t, [json(Object.fromEntries(answers))], types, about);
    assert.equal(server.requests.length, 1);
    assert.ok(verdicts.length > 20);
    for (const [index, verdict] of verdicts.entries()) {
      const { status, score, rationale, turns, hits, misses } = JSON.parse(JSON.stringify(verdict));
      const alone = example(types[index] ?? assert.fail()).verdict;
      assert.deepEqual(
        { status, score, rationale, turns, hits, misses },
        {
          status: alone.status,
          score: alone.score,
          rationale: alone.rationale,
          turns: alone.turns,
          hits: alone.hits,
          misses: alone.misses,
        },
        verdict.assertion.type,
      );
    }
  });

  it('have unique names that every model accepts as keys', async (t) => {
    const keys = ['Größe / 1', 'turns.1/Größe', 'a b', 'a/b', '丁寧', '礼', '__proto__'];
    const named = keys.map((key) => asked('turn-relevancy', { key }));
    const { server } = await judged(t, [{ text: '', refusal: 'no' }], named);
    assert.deepEqual(namesIn(server.requests[0]?.body ?? assert.fail()), [
      'Gr-e-1',
      'turns.1-Gr-e',
      'a-b',
      'a-b-2',
      'question',
      'question-2',
      'proto__',
    ]);
  });

  it('never include those with other turns, judges, temperatures, or samples, or from procedures', async (t) => {
    const other = { id: 'openai:other', provider: 'openai', params: {}, folder: '/' };
    const { together: _, ...turnwise } = asked('turn-relevancy', { granularity: 'turn' });
    const all = [
      ...TWO,
      turnwise,
      asked('turn-relevancy', { judge: other }),
      asked('turn-relevancy', { temperature: 1 }),
      asked('turn-relevancy', { samples: 2 }),
      buildAssertion('g-eval', { criteria: 'Is it warm?', steps: ['Look.'] }, { together: true }),
    ];
    const { server } = await judged(t, () => ({ text: '', refusal: 'no' }), all);
    const names = server.requests.map(({ body }) => body.response_format?.json_schema?.name);
    assert.equal(names.filter((name) => name === 'together').length, 1);
    // The first refusal ends an assertion's remaining turns and samples.
    assert.ok(names.length >= 6, String(names));
  });

  it('are asked as usual if there is only one', async (t) => {
    const [one] = TWO;
    const { verdicts, server } = await judged(t, [json(GOOD)], [one ?? assert.fail()]);
    const { together: _, ...alone } = one ?? assert.fail();
    const usual = await judged(t, [json(GOOD)], [alone]);
    assert.equal(server.requests[0]?.text, usual.server.requests[0]?.text);
    assert.deepEqual(verdicts, usual.verdicts);
  });

  it('are asked once per sample', async (t) => {
    const twice = TWO.map((one) => ({ ...one, samples: 3 }));
    const replies = [GOOD, BAD, BAD].map((one) =>
      json({ 'turn-relevancy': one, 'role-adherence': GOOD }),
    );
    const { verdicts, server } = await judged(t, replies, twice);
    assert.equal(server.requests.length, 3);
    assert.deepEqual(
      verdicts.map(({ score, judge: by }) => [score, by?.samples, by?.spread]),
      [
        [0.5, 3, 0.5],
        [1, 3, 0],
      ],
    );
  });

  it('have other question hashes than separate ones', () => {
    for (const one of TWO) {
      const { together: _, ...alone } = one;
      assert.notEqual(questionHash(one, ROLE), questionHash(alone, ROLE));
    }
  });
});

describe('a repair of questions asked together', () => {
  const half = { 'turn-relevancy': GOOD, 'role-adherence': answer(entry(2)) };

  it('asks only for wrong answers', async (t) => {
    const { verdicts, server } = await judged(t, [json(half), json({ 'role-adherence': BAD })]);
    assert.deepEqual(
      verdicts.map(({ status, score }) => [status, score]),
      [
        ['pass', 1],
        ['pass', 0.5],
      ],
    );
    const [, { body } = assert.fail()] = server.requests;
    assert.deepEqual(namesIn(body), ['role-adherence']);
    const words = body.messages.at(-1)?.content ?? '';
    assert.match(words, /Question role-adherence: .*turn 4/);
    assert.doesNotMatch(words, /turn-relevancy/);
  });

  it('keeps good answers', async (t) => {
    for (const [second, reason] of [
      [json({}), 'missing-field'],
      ['no JSON', 'malformed-json'],
      [{ text: '', refusal: 'no' }, 'refusal'],
      [unauthorized(), 'unauthorized'],
    ] as const) {
      const { verdicts } = await judged(t, [json(half), second]);
      assert.deepEqual(states(verdicts), ['pass', `error ${reason}`]);
    }
  });

  it('asks for missing answers, or for all if the whole reply is unusable', async (t) => {
    const both = { 'turn-relevancy': GOOD, 'role-adherence': GOOD };
    for (const [first, names] of [
      [json({ 'turn-relevancy': GOOD }), ['role-adherence']],
      ['no JSON', ['turn-relevancy', 'role-adherence']],
    ] as const) {
      const { verdicts, server } = await judged(t, [first, json(both)]);
      assert.deepEqual(states(verdicts), ['pass', 'pass']);
      assert.deepEqual(namesIn(server.requests[1]?.body ?? assert.fail()), names);
    }
  });

  it('removes a reply from the cache if any of its answers is unusable', async (t) => {
    const { model } = await judgeModel(t, [json(half), 'no JSON']);
    const disowned: string[] = [];
    const keeping: Model = { ...model, complete: (...asked) => model.complete(...asked) };
    keeping.discard = ({ text }) => void disowned.push(text);
    await judged(t, [], TWO, { modelFor: async () => keeping });
    assert.deepEqual(disowned.sort(), [JSON.stringify(half), 'no JSON'].sort());
  });

  it("isn't requested if asking again can't help", async (t) => {
    const { verdicts, server } = await judged(t, [{ text: '{', finish: 'length' }]);
    assert.deepEqual(states(verdicts), ['error cut-off', 'error cut-off']);
    assert.equal(server.requests.length, 1);
  });
});

describe('questions that do not fit into one request', () => {
  it('are asked one by one, and the verdicts show it', async (t) => {
    const small = {
      id: 'openai:judge',
      provider: 'openai',
      params: { max_input_tokens: 1500 },
      folder: '/',
    };
    const script = (body: ChatBody) => {
      assert.deepEqual(namesIn(body), ['turns', 'rationale']);
      return json(GOOD);
    };
    const few = TWO.map((one) => ({ ...one, judge: small }));
    const { verdicts, server } = await judged(t, script, few);
    assert.equal(server.requests.length, 2);
    assert.deepEqual(states(verdicts), ['pass', 'pass']);
    assert.match(
      String(verdicts[0]?.details.asked_alone),
      /do not fit in the context window of .*: 1500\)/,
    );
  });
});
