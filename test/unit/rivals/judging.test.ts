import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Message } from '../../../src/core/message.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
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
import { json } from '../../support/modelServer/steps.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

/** Rows of what other tools were measured to do wrong; each test is named by its situation. */

const relevancy = buildAssertion('turn-relevancy');
const completeness = buildAssertion('conversation-completeness');
const retention = buildAssertion('knowledge-retention');
const ownJudge = (scale: [number, number]) =>
  buildAssertion('llm-judge', { scale }, { prompt: buildPrompt('{{conversation}}') });

/** So many exchanges: the assistant speaks in turns 2, 4, 6 … */
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
    for (const { status, reason, score } of verdicts) {
      assert.deepEqual([status, reason, score], ['error', 'server-error', null]);
    }
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
      const said = { ...answer(entry(2), entry(4)), label: null, details: [], score };
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

describe('composing, where rivals fall', () => {
  it('an unparsable judge answer: error, and the agent does not fail with 0', async (t) => {
    const verdict = await judgeOne(t, relevancy, ['Great job!', 'Great job!']);
    assert.deepEqual(
      [verdict.status, verdict.reason, verdict.score],
      ['error', 'malformed-json', null],
    );
  });

  it('{"score": 0} without `pass`: fail, as pass is computed', async (t) => {
    const said = { ...answer(entry(2), entry(4)), label: null, details: [], score: 0, pass: true };
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
      [{ ...answer(entry(2), entry(4)), label: null, details: [], score: 1 }],
      { facts: buildFacts({ expectations: { outcome: 'The refund is confirmed.' } }) },
    );
    assert.match(questionOf(verdict), /\| outcome: The refund is confirmed\./);
  });
});
