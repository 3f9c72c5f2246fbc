import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeAnswer } from '../../../bench/judge-cost/judgeAnswer.ts';
import { conversationSchema } from '../../../src/core/conversation.ts';
import type { Message } from '../../../src/core/message.ts';
import { isError } from '../../../src/core/problem.ts';
import { conversationBlock } from '../../../src/judge/conversationBlock.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
import { claiming } from '../../support/claims.ts';
import { load, suiteWith } from '../../support/evalFiles.ts';
import {
  answer,
  assistant,
  away,
  buildAssertion,
  buildFacts,
  buildPrompt,
  call,
  entry,
  fails,
  judge,
  judgeModel,
  judgeOne,
  talk,
  user,
} from '../../support/judging.ts';
import { serverError } from '../../support/modelServer/faults.ts';
import { json, jsonInTokens } from '../../support/modelServer/steps.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

/** Situations that other tools were found to handle wrong. Each test is named after its situation. */

const relevancy = buildAssertion('turn-relevancy');
const completeness = buildAssertion('conversation-completeness');
const retention = buildAssertion('knowledge-retention');
const ownJudge = (scale: [number, number]) =>
  buildAssertion('llm-judge', { scale }, { prompt: buildPrompt('{{conversation}}') });

/** The given number of exchanges. The assistant speaks in turns 2, 4, 6 … */
function exchanges(count: number): Message[] {
  return Array.from({ length: count }, (_one, index) => [
    user(`Question ${index + 1}?`),
    assistant(`Answer ${index + 1}.`),
  ]).flat();
}

const evens = (count: number) => Array.from({ length: count }, (_one, index) => (index + 1) * 2);

function questionOf(verdict: Awaited<ReturnType<typeof judgeOne>>): string {
  return verdict.requests[0]?.body.messages[1]?.content ?? '';
}

describe('judging, where rivals fall', () => {
  for (const [place, bad] of [
    ['first', 2],
    ['in the middle', 6],
    ['last', 10],
  ] as const) {
    it(`5 exchanges, one of them bad, placed ${place}: 0.8`, async (t) => {
      const turns = evens(5).map((turn) => (turn === bad ? fails(turn) : entry(turn)));
      const verdict = await judgeOne(t, relevancy, [answer(...turns)], {
        conversation: talk(...exchanges(5)),
      });
      assert.equal(verdict.score, 0.8);
      assert.equal(verdict.requests.length, 1);
    });
  }

  it('only small talk: nothing to complete or to remember, skipped and never 0 or 1', async (t) => {
    const conversation = talk(user('Hi!'), assistant('Hello!'), user('Bye!'), assistant('Bye!'));
    const nothing = answer(away(2), away(4));
    const said: [typeof relevancy, object][] = [
      [completeness, { intentions: [], ...nothing }],
      [
        retention,
        { facts: [], ...answer(...nothing.turns.map((one) => ({ ...one, forgot: [] }))) },
      ],
      [relevancy, nothing],
    ];
    for (const [assertion, given] of said) {
      const verdict = await judgeOne(t, assertion, [given], { conversation });
      assert.deepEqual([verdict.status, verdict.score], ['skipped', null]);
    }
  });

  it('a side that never speaks: skipped, no call', async (t) => {
    for (const conversation of [talk(user('Hi'), user('Hello?')), talk(assistant('Welcome!'))]) {
      const { verdicts, server } = await judge(t, [], judgedAssertions(), {
        conversation,
        facts: FULL_FACTS,
      });
      assert.deepEqual([...new Set(verdicts.map(({ status }) => status))], ['skipped']);
      assert.equal(server.requests.length, 0);
    }
  });

  it('all verdict calls failed: error, each of them', async (t) => {
    const { verdicts } = await judge(t, () => serverError(), judgedAssertions(), {
      conversation: RICH_TALK,
      facts: FULL_FACTS,
    });
    for (const { status, reason = '', score } of verdicts) {
      assert.deepEqual([status, score], ['error', null]);
      // After three errors, no more requests are sent to the endpoint.
      assert.match(reason, /^(server-error|endpoint-down)$/);
    }
    assert.ok(verdicts.some(({ reason }) => reason === 'server-error'));
  });

  it('the judge says "No, it did not" where an enumeration is asked: repaired, else error', async (t) => {
    const said = answer(entry(2, { verdict: 'No, it did not' }), entry(4));
    const twice = await judgeOne(t, relevancy, [said, said]);
    assert.deepEqual([twice.status, twice.reason], ['error', 'unknown-value']);
    const once = await judgeOne(t, relevancy, [said, answer(fails(2), fails(4))]);
    assert.deepEqual([once.status, once.score], ['fail', 0]);
  });

  for (const [situation, turns] of [
    ['a turn twice', [entry(2), fails(2), entry(4)]],
    ["a user's turn", [entry(2), fails(3), entry(4)]],
    ['turn 99', [entry(2), entry(4), fails(99)]],
  ] as const) {
    it(`the judge names ${situation}: repaired, else error`, async (t) => {
      const said = answer(...turns);
      const twice = await judgeOne(t, relevancy, [said, said]);
      assert.deepEqual([twice.status, twice.reason], ['error', 'turns-mismatch']);
      const once = await judgeOne(t, relevancy, [said, answer(entry(2), entry(4))]);
      assert.deepEqual([once.status, once.score], ['pass', 1]);
    });
  }

  for (const [situation, scale, score] of [
    ['7.5 on 0 to 1', [0, 1], 7.5],
    ['85 on 0 to 10', [0, 10], 85],
  ] as const) {
    it(`score ${situation}: refused, repaired once, else error`, async (t) => {
      const said = { ...answer(entry(2), entry(4)), details: [], score };
      const assertion = ownJudge([...scale]);
      const twice = await judgeOne(t, assertion, [said, said]);
      assert.deepEqual([twice.status, twice.reason, twice.score], ['error', 'out-of-range', null]);
      const once = await judgeOne(t, assertion, [said, { ...said, score: 0 }]);
      assert.deepEqual([once.status, once.score], ['fail', 0]);
    });
  }

  it("the assistant greets first: the first user turn is the goal's", async (t) => {
    const conversation = talk(assistant('Welcome!'), user('My order?'), assistant('On its way.'));
    const goal = (asked_turn: number) => ({
      intentions: [
        { intention: 'order', asked_turn, satisfied: true, satisfied_turn: 3, evidence: '' },
      ],
      ...answer(away(1), entry(3)),
    });
    const verdict = await judgeOne(t, completeness, [goal(1), goal(2)], { conversation });
    assert.match(verdict.requests[1]?.body.messages.at(-1)?.content ?? '', /no turn of the user/);
    assert.deepEqual([verdict.status, verdict.score], ['pass', 1]);
    assert.match(questionOf(verdict), /\[1 assistant\]\n\| Welcome!\n\[2 user\]/);
  });

  it("the user's last turn is unanswered: shown and told to the judge", async (t) => {
    const conversation = talk(...exchanges(1), user('And my refund?'));
    const verdict = await judgeOne(t, relevancy, [answer(entry(2))], { conversation });
    assert.match(questionOf(verdict), /\[3 user\]\n\| And my refund\?/);
    assert.match(questionOf(verdict), /the user's last turn is unanswered/);
  });

  it('"Yes, book it." is judged with the whole conversation', async (t) => {
    const conversation = talk(
      user('A table for two?'),
      assistant('At eight?'),
      user('Yes, book it.'),
      assistant('Booked.'),
    );
    const last = { ...relevancy, at: { kind: 'last' } } as const;
    const verdict = await judgeOne(t, last, [answer(entry(4))], { conversation });
    for (const text of ['A table for two?', 'At eight?', 'Yes, book it.', 'Booked.']) {
      assert.ok(questionOf(verdict).includes(`| ${text}`));
    }
    assert.match(questionOf(verdict), /Turns to judge: 4\./);
  });

  it('a user corrects a fact: the new one counts, and the old cannot be forgotten', async (t) => {
    const conversation = talk(
      user('My order is 1.'),
      assistant('Order 1.'),
      user('Sorry, it is 2.'),
      assistant('Order 2 it is.'),
    );
    const facts = [
      { fact: 'order 1', turn: 1, superseded_by: 2 },
      { fact: 'order 2', turn: 3, superseded_by: null },
    ];
    const right = { facts, ...answer(entry(2, { forgot: [] }), entry(4, { forgot: [] })) };
    const wrong = { facts, ...answer(entry(2, { forgot: [] }), fails(4, { forgot: [1] })) };
    const verdict = await judgeOne(t, retention, [wrong, right], { conversation });
    assert.match(
      verdict.requests[1]?.body.messages.at(-1)?.content ?? '',
      /cannot forget fact 1: the user had corrected it by then/,
    );
    assert.deepEqual([verdict.status, verdict.score], ['pass', 1]);
    assert.deepEqual(verdict.details.facts, facts);
  });

  it('several wishes in one message: each an intention with its turn, neither 0 nor 1', async (t) => {
    const conversation = talk(user('A refund, and a new hat?'), assistant('The refund is sent.'));
    const wish = (intention: string, satisfied_turn: number | null) => ({
      intention,
      asked_turn: 1,
      satisfied: satisfied_turn !== null,
      satisfied_turn,
      evidence: '',
    });
    const said = { intentions: [wish('refund', 2), wish('hat', null)], ...answer(entry(2)) };
    const verdict = await judgeOne(t, completeness, [said], { conversation });
    assert.equal(verdict.score, 0.5);
    assert.deepEqual(verdict.misses, ['Turn 1: never dealt with: hat']);
  });

  it('20 exchanges, every judged type: one request for each assertion', async (t) => {
    const contexts = ['one', 'two', 'three'];
    const exchange = (_one: unknown, index: number) => [
      user(`Question ${index + 1}?`),
      ...call('lookup', { index }, 'found'),
      assistant(`Answer ${index + 1}.`, contexts),
    ];
    const conversation = talk(...Array.from({ length: 20 }, exchange).flat());
    const { model, server } = await judgeModel(t, () => json({}));
    await judgeAssertions({
      conversation,
      facts: FULL_FACTS,
      assertions: judgedAssertions(),
      replyTurns: [],
      modelFor: async () => model,
      signal: new AbortController().signal,
    });
    const first = server.requests.filter(({ body }) => body.messages.length === 2);
    assert.equal(first.length, judgedAssertions().length);
  });

  it('reasons and quotes of every turn are kept', async (t) => {
    const said = answer(
      entry(2, { rationale: 'It says when.', evidence: 'shipped on Monday' }),
      fails(4, { rationale: 'Of another hat.', evidence: 'sent today' }),
    );
    const { turns } = await judgeOne(t, relevancy, [said]);
    assert.deepEqual(turns, [
      {
        turn: 2,
        status: 'pass',
        score: 1,
        rationale: 'It says when.',
        evidence: { text: 'shipped on Monday', verified: true },
      },
      {
        turn: 4,
        status: 'fail',
        score: 0,
        rationale: 'Of another hat.',
        evidence: { text: 'sent today', verified: true },
      },
    ]);
  });
});

describe('judging what was retrieved and called, where rivals fall', () => {
  for (const [place, bad] of [
    ['first', 2],
    ['in the middle', 6],
    ['last', 10],
  ] as const) {
    it(`5 exchanges, one claim each, the false one placed ${place}, faithfulness: 0.8`, async (t) => {
      const conversation = talk(
        ...evens(5).flatMap((turn) => [
          user(`Question ${turn}?`),
          assistant(`Answer ${turn}.`, [`Context ${turn}.`]),
        ]),
      );
      const turns = evens(5).map((turn) => claiming(turn, turn !== bad));
      const faithfulness = buildAssertion('turn-faithfulness');
      const verdict = await judgeOne(t, faithfulness, [answer(...turns)], { conversation });
      assert.equal(verdict.score, 0.8);
      assert.equal(verdict.requests.length, 1);
    });
  }

  it('no retrieval context, the four retrieval metrics: skipped, no call', async (t) => {
    const { verdicts, server } = await judge(
      t,
      [],
      ['faithfulness', 'contextual-relevancy', 'contextual-precision', 'contextual-recall'].map(
        (metric) => buildAssertion(`turn-${metric}`),
      ),
      { facts: FULL_FACTS },
    );
    assert.deepEqual(
      verdicts.map(({ status, reason, score }) => [status, reason, score]),
      Array(4).fill(['skipped', 'no-retrieval-context', null]),
    );
    assert.equal(server.requests.length, 0);
  });

  it('no tool used, none needed: skipped, not 0', async (t) => {
    const unused = (turn: number) => ({ ...away(turn), selection: 0, arguments: null });
    const about = { facts: FULL_FACTS };
    for (const type of ['tool-use', 'mcp-use']) {
      const said = answer(unused(2), unused(4));
      const verdict = await judgeOne(t, buildAssertion(type), [said], about);
      assert.deepEqual([verdict.status, verdict.score], ['skipped', null]);
    }
    const efficiency = await judgeOne(t, buildAssertion('tool-call-efficiency'), [], about);
    assert.deepEqual([efficiency.status, efficiency.requests.length], ['skipped', 0]);
  });

  it('only small talk, topic adherence: skipped, not 0', async (t) => {
    const conversation = talk(user('Hi!'), assistant('Hello!'), user('Bye!'), assistant('Bye!'));
    const said = { pairs: [], ...answer(away(2), away(4)) };
    const verdict = await judgeOne(t, buildAssertion('topic-adherence'), [said], {
      conversation,
      facts: FULL_FACTS,
    });
    assert.deepEqual([verdict.status, verdict.score], ['skipped', null]);
  });

  it('20 exchanges with three contexts each, eleven metrics: at most 16 requests', async (t) => {
    const conversation = talk(
      ...evens(20).flatMap((turn) => [
        user(`Question ${turn}?`),
        ...call('lookup', { turn }, 'found', `call_${turn}`),
        assistant(`Answer ${turn}.`, ['one', 'two', 'three']),
      ]),
    );
    const eleven = [
      'turn-relevancy',
      'conversation-completeness',
      'knowledge-retention',
      'role-adherence',
      'topic-adherence',
      'goal-accuracy',
      'tool-use',
      'turn-faithfulness',
      'turn-contextual-relevancy',
      'turn-contextual-precision',
      'turn-contextual-recall',
    ].map((type) => buildAssertion(type));
    const { verdicts, server } = await judge(t, (body) => judgeAnswer(body), eleven, {
      conversation,
      facts: FULL_FACTS,
    });
    assert.ok(server.requests.length <= 16, `${server.requests.length} requests`);
    assert.equal(server.requests.length, eleven.length);
    for (const { status, rationale } of verdicts) assert.ok(status !== 'error', rationale);
  });
});

describe('G-Eval, where rivals fall', () => {
  const criteria = 'The agent is warm.';
  const graded = buildAssertion('g-eval', { criteria, steps: ['Look at the tone.'] });
  const said = (score: number, rationale = 'So.') => ({
    ...answer(entry(2), entry(4)),
    rationale,
    score,
  });

  it('a digit in the reason before the score: the token of the score is weighed', async (t) => {
    const given = jsonInTokens(said(8, 'In turn 3 it was cold.'), '8', { 8: 0, 3: -9999 });
    const [before, ...rest] = given.tokens ?? [];
    const [start = '', end = ''] = before?.text.split('turn 3') ?? [];
    const tokens = [
      { text: `${start}turn ` },
      { text: '3', top: { 3: 0 } },
      { text: end },
      ...rest,
    ];
    const verdict = await judgeOne(t, graded, [{ ...given, tokens }]);
    assert.deepEqual([verdict.value, verdict.details.weighting], [8, 'token probabilities']);
  });

  it('alternatives that are no score of 0 to 10: left out, none divides by zero', async (t) => {
    const some = jsonInTokens(said(8), '8', { 8: Math.log(0.5), 85: Math.log(0.5) });
    assert.equal((await judgeOne(t, graded, [some])).value, 8);
    const none = jsonInTokens(said(8), '8', {});
    assert.equal((await judgeOne(t, graded, [none])).value, 8);
  });

  it('no log-probabilities: the written score, and `details` says so', async (t) => {
    const verdict = await judgeOne(t, graded, [said(8)]);
    assert.equal(verdict.value, 8);
    assert.match(String(verdict.details.weighting), /^none: /);
  });

  it('criteria and steps: both are before the judge, and the steps are shown', async (t) => {
    const verdict = await judgeOne(t, graded, [said(8)]);
    assert.match(questionOf(verdict), /\| The agent is warm\./);
    assert.match(questionOf(verdict), /\| Look at the tone\./);
    assert.deepEqual(verdict.details.steps, ['Look at the tone.']);
  });

  it('five cases with the same criteria: the steps are made once', async (t) => {
    const stepless = buildAssertion('g-eval', { criteria });
    const { model, server } = await judgeModel(t, ({ response_format }) =>
      json(response_format?.json_schema?.name === 'g_eval' ? said(8) : { steps: ['Look.'] }),
    );
    const kept = { answers: new Map(), load: async () => undefined, save: async () => {} };
    const one = () =>
      judgeAssertions({
        conversation: talk(...exchanges(2)),
        facts: buildFacts(),
        assertions: [stepless],
        replyTurns: [],
        modelFor: async () => model,
        sharedAnswers: kept,
        signal: new AbortController().signal,
      });
    const verdicts = (await Promise.all([one(), one(), one(), one(), one()])).flat();
    assert.equal(server.requests.length, 6);
    assert.deepEqual([...new Set(verdicts.map(({ score }) => score))], [0.8]);
  });
});

describe('decision graphs, where rivals fall', () => {
  const graph = (nodes: string) =>
    suiteWith(
      `transcript: [{user: Hi}, {assistant: Hello}]\nassert:\n  - type: decision-graph\n    nodes:\n${nodes}`,
    );
  const node = (name: string, yes: string, no: string) =>
    `      ${name}: {type: yes-no, question: Why?, if_yes: ${yes}, if_no: ${no}}\n`;

  for (const [situation, nodes, said] of [
    ['a cycle', node('a', 'b', '0') + node('b', 'a', '1'), /creates a cycle/],
    ['a hole', node('a', 'nowhere', '0'), /There is no node "nowhere"/],
    ['an unreachable node', node('a', '1', '0') + node('b', '1', '0'), /unreachable/],
    ['a missing branch', '      a: {type: yes-no, question: Why?, if_yes: 1}\n', /if_no/],
    [
      'a doubled branch',
      '      a: {type: choice, question: Why?, choices: {Good: 1, good: 0}}\n',
      /Duplicate answer/,
    ],
  ] as const) {
    it(`${situation}: refused while typing, at its place`, async () => {
      const { problems } = await load(graph(nodes));
      const errors = problems.filter(isError);
      assert.equal(errors.length, 1, errors.map(({ message }) => message).join('\n'));
      assert.match(errors[0]?.message ?? '', said);
      assert.ok((errors[0]?.range.start.line ?? 0) >= 5);
    });
  }

  it('two ways to two ends: the one that the answers take, and it is shown', async (t) => {
    const nodes = {
      done: { type: 'yes-no', question: 'Done?', if_yes: 10, if_no: 'kind' },
      kind: { type: 'yes-no', question: 'Kind?', if_yes: 6, if_no: 0 },
    };
    const bare = (turn: number) => ({ turn, applicable: false, rationale: '', evidence: '' });
    const said = (given: string) => ({ turns: [bare(2), bare(4)], rationale: '', answer: given });
    const verdict = await judgeOne(t, buildAssertion('decision-graph', { nodes }), [
      said('no'),
      said('yes'),
    ]);
    assert.equal(verdict.value, 6);
    assert.match(verdict.rationale, /^done: no → kind: yes → 6 of 10/);
  });
});

describe('what is kept, where rivals fall', () => {
  it('claims and pairs: in the record, with their turns', async (t) => {
    const about = { conversation: RICH_TALK, facts: FULL_FACTS };
    const claims = await judgeOne(
      t,
      buildAssertion('turn-faithfulness'),
      [answer(claiming(2, true, false), claiming(4, true))],
      about,
    );
    assert.deepEqual(claims.details.claims, [
      { turn: 2, claim: 'c2.1', holds: true },
      { turn: 2, claim: 'c2.2', holds: false },
      { turn: 4, claim: 'c4.1', holds: true },
    ]);
    const pair = {
      question: 'q',
      asked_turn: 1,
      answered_turn: 2,
      on_topic: true,
      reaction: 'answered',
    };
    const pairs = { pairs: [pair], ...answer(entry(2), entry(4)) };
    const verdict = await judgeOne(t, buildAssertion('topic-adherence'), [pairs], about);
    assert.deepEqual(verdict.details.pairs, [pair]);
  });

  it('a conversation saved and loaded: identical, tools and context with it', () => {
    const loaded = conversationSchema.parse(JSON.parse(JSON.stringify(RICH_TALK)));
    assert.deepEqual(loaded, RICH_TALK);
    assert.equal(conversationBlock(loaded), conversationBlock(RICH_TALK));
  });
});

describe('composing, where rivals fall', () => {
  it('an unparsable judge answer: error, and the agent does not fail with 0', async (t) => {
    const verdict = await judgeOne(t, relevancy, ['Great job!', 'Great job!']);
    assert.deepEqual(
      [verdict.status, verdict.reason, verdict.score],
      ['error', 'malformed-json', null],
    );
  });

  it('{"score": 0} without `pass`: fail, as pass is computed', async (t) => {
    const said = { ...answer(entry(2), entry(4)), details: [], score: 0, pass: true };
    const verdict = await judgeOne(t, ownJudge([0, 1]), [said]);
    assert.deepEqual([verdict.status, verdict.score], ['fail', 0]);
  });

  it('the judge sees the whole numbered conversation, not the last output alone', async (t) => {
    const verdict = await judgeOne(t, relevancy, [answer(entry(2), entry(4))]);
    const headers = questionOf(verdict).match(/^\[\d+ \w+\]$/gm);
    assert.deepEqual(headers, ['[1 user]', '[2 assistant]', '[3 user]', '[4 assistant]']);
  });

  it("a judge's partial checklist: repaired, else error, and nothing leaves the denominator", async (t) => {
    const rules = buildAssertion('guidelines', { guidelines: ['Be kind.', 'No dates.'] });
    const first = { guideline: 1, outcome: 'met', violated_in: [], rationale: '' };
    const second = { guideline: 2, outcome: 'violated', violated_in: [4], rationale: '' };
    const partial = { guidelines: [first], ...answer(entry(2), entry(4)) };
    const whole = { guidelines: [first, second], ...answer(entry(2), fails(4)) };
    const twice = await judgeOne(t, rules, [partial, partial]);
    assert.deepEqual([twice.status, twice.reason], ['error', 'incomplete-list']);
    const once = await judgeOne(t, rules, [partial, whole]);
    assert.deepEqual([once.status, once.score], ['fail', 0.5]);
  });

  it('expectations reach the judge of a conversation', async (t) => {
    const prompt = buildPrompt('{{conversation}} {{expectations}}');
    const verdict = await judgeOne(
      t,
      buildAssertion('llm-judge', {}, { prompt }),
      [{ ...answer(entry(2), entry(4)), details: [], score: 1 }],
      { facts: buildFacts({ expectations: { outcome: 'The refund is confirmed.' } }) },
    );
    assert.match(questionOf(verdict), /\| outcome: The refund is confirmed\./);
  });
});
