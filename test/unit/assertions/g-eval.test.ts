import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScoredToken } from '../../../src/assertions/contract.ts';
import { gEval, weighScore } from '../../../src/assertions/types/g-eval.ts';
import type { Verdict } from '../../../src/core/verdict.ts';
import type { SharedAnswers } from '../../../src/judge/inquirer.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
import { FOUR, testFormulas, testMistakes } from '../../support/formulas.ts';
import {
  answer,
  away,
  buildAssertion,
  buildFacts,
  entry,
  fails,
  judge,
  judgeModel,
  judgeOne,
} from '../../support/judging.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { refusal } from '../../support/modelServer/faults.ts';
import { json, jsonInTokens } from '../../support/modelServer/steps.ts';

const CRITERIA = 'The assistant shows understanding.';
const STEPS = ['Look at the tone.', 'Look at the reasons.'];
const ASSERTION = buildAssertion('g-eval', { criteria: CRITERIA, steps: STEPS });
const ABOUT = { conversation: FOUR };

function said(score: unknown) {
  return { ...answer(entry(2), fails(4), entry(6), away(8)), score };
}

const NONE = 'none: the endpoint returned no log-probabilities';

testFormulas(ASSERTION, ABOUT, [
  ...[0, 3, 5, 10].map((score) => ({
    name: `value ÷ 10 of ${score}`,
    said: said(score),
    score: score / 10,
    value: score,
    status: score >= 5 ? ('pass' as const) : ('fail' as const),
    turns: ['2 pass 1', '4 fail 0', '6 pass 1', '8 skipped'],
    hits: ['Turn 2: r2', 'Turn 6: r6'],
    misses: ['Turn 4: r4'],
    details: { steps: STEPS, written_score: score, weighting: NONE },
  })),
  {
    name: 'weighted by the probabilities of the score: 0.75 × 8 + 0.25 × 6',
    said: jsonInTokens(said(8), '8', { 8: Math.log(0.75), 6: Math.log(0.25) }),
    score: 0.75,
    value: 7.5,
    status: 'pass',
  },
  {
    name: 'weighted: it decides what the written score alone would not',
    said: jsonInTokens(said(5), '5', { 5: Math.log(0.6), 0: Math.log(0.4) }),
    score: 0.3,
    value: 3,
    status: 'fail',
  },
  {
    name: 'weighted: 10 as one token',
    said: jsonInTokens(said(10), '10', { 10: Math.log(0.5), 9: Math.log(0.5) }),
    score: 0.95,
    status: 'pass',
  },
  {
    name: 'a probability of 0, as some endpoints write it, weighs nothing',
    said: jsonInTokens(said(8), '8', { 8: 0, 1: -9999 }),
    score: 0.8,
    status: 'pass',
    details: {
      steps: STEPS,
      written_score: 8,
      weighting: 'token probabilities',
      probabilities: { 1: 0, 8: 1 },
    },
  },
]);

testMistakes(ASSERTION, ABOUT, said(7), [
  ['85', said(85), 'out-of-range', /`score` is 85; it must be 0 to 10/],
  ['-1', said(-1), 'out-of-range', /`score` is -1/],
  ['half a point', said(7.5), 'out-of-range', /`score` must be a whole number/],
  ['a number in quotes', said('7'), 'wrong-type', /`score`/],
  ['no score', said(undefined), 'missing-field', /`score`/],
]);

describe('g-eval: log-probabilities', () => {
  it('are asked for; without them the written score counts and `details` says so', async (t) => {
    const verdict = await judgeOne(t, ASSERTION, [said(6)], ABOUT);
    assert.equal(verdict.requests[0]?.body.logprobs, true);
    assert.equal(verdict.details.weighting, NONE);
  });

  it('that the endpoint refuses are left out, and not asked for again', async (t) => {
    const two = [ASSERTION, { ...ASSERTION, index: 1 }];
    const { verdicts, server } = await judge(t, () => json(said(6)), two, {
      ...ABOUT,
      endpoint: { rejects: ['logprobs'] },
    });
    assert.deepEqual(
      verdicts.map(({ score, details }) => [score, details.weighting]),
      [
        [0.6, NONE],
        [0.6, NONE],
      ],
    );
    const third = await judgeOne(t, ASSERTION, [said(6)], {
      ...ABOUT,
      endpoint: { rejects: ['logprobs'] },
    });
    assert.deepEqual(
      third.requests.map(({ body }) => body.logprobs),
      [true, undefined],
    );
    assert.equal(third.usage.calls, 1);
    assert.ok(server.requests.length <= 4);
  });

  it('of a repaired answer are those of the repair', async (t) => {
    const bad = jsonInTokens(said(85), '85', { 85: 0 });
    const good = jsonInTokens(said(4), '4', { 4: Math.log(0.5), 2: Math.log(0.5) });
    assert.equal((await judgeOne(t, ASSERTION, [bad, good], ABOUT)).value, 3);
  });
});

/** Answers a request for steps with steps, and any other request with a score. */
function answering(body: ChatBody) {
  return body.response_format?.json_schema?.name === 'g_eval_steps'
    ? json({ steps: STEPS })
    : json(said(8));
}

function keeping(): SharedAnswers & { readonly stored: Map<string, unknown> } {
  const stored = new Map<string, unknown>();
  return {
    stored,
    answers: new Map(),
    load: async (key) => stored.get(key),
    save: async (key, value) => {
      stored.set(key, value);
    },
  };
}

describe('g-eval: the steps', () => {
  const unstepped = buildAssertion('g-eval', { criteria: CRITERIA });

  it('are made from the criteria alone, and shown with them, each time', async (t) => {
    const { verdicts, server } = await judge(t, answering, [unstepped], ABOUT);
    const [making, rating] = server.requests.map(({ body }) => body.messages[1]?.content ?? '');
    assert.match(making ?? '', /\| The assistant shows understanding\./);
    assert.doesNotMatch(making ?? '', /=== CONVERSATION ===|Question 1/);
    assert.match(rating ?? '', /=== CONVERSATION ===/);
    assert.match(rating ?? '', /\| The assistant shows understanding\./);
    assert.match(rating ?? '', /Step 1:\n\| Look at the tone\.\nStep 2:\n\| Look at the reasons\./);
    assert.deepEqual(verdicts[0]?.details.steps, STEPS);
    assert.equal(verdicts[0]?.usage.calls, 2);
  });

  it('are asked for once in a run, also by several at once', async (t) => {
    const { model, server } = await judgeModel(t, answering);
    const kept = keeping();
    const run = () =>
      judgeAssertions({
        conversation: FOUR,
        facts: buildFacts(),
        assertions: [unstepped, { ...unstepped, index: 1 }],
        replyTurns: [],
        modelFor: async () => model,
        sharedAnswers: kept,
        signal: new AbortController().signal,
      });
    const verdicts = (await Promise.all([run(), run(), run()])).flat();
    assert.deepEqual(new Set(verdicts.map(({ score }) => score)), new Set([0.8]));
    assert.equal(server.requests.length, 1 + verdicts.length);
    assert.equal(kept.stored.size, 1);
  });

  it('that were kept are not asked for again, and leave the prompt hash as it was', async (t) => {
    const kept = keeping();
    const first = await judge(t, answering, [unstepped], { ...ABOUT, sharedAnswers: kept });
    const again = await judge(t, answering, [unstepped], {
      ...ABOUT,
      sharedAnswers: { ...kept, answers: new Map() },
    });
    assert.deepEqual([first.server.requests.length, again.server.requests.length], [2, 1]);
    const hash = ({ judge: by }: Verdict) => by?.prompt_hash;
    assert.deepEqual(again.verdicts.map(hash), first.verdicts.map(hash));
  });

  it('that were stored but are unusable are requested again', async (t) => {
    for (const broken of ['x', { steps: [] }, { steps: [' '] }, { steps: 'one' }]) {
      const kept = { ...keeping(), load: async () => broken };
      const { server, verdicts } = await judge(t, answering, [unstepped], {
        ...ABOUT,
        sharedAnswers: kept,
      });
      assert.equal(server.requests.length, 2);
      assert.equal(verdicts[0]?.status, 'pass');
    }
  });

  it('are of their criteria and their model alone', async (t) => {
    const kept = keeping();
    const other = buildAssertion('g-eval', { criteria: 'The assistant is brief.' });
    const { server } = await judge(t, answering, [unstepped, other], {
      ...ABOUT,
      sharedAnswers: kept,
    });
    assert.equal(server.requests.length, 4);
    assert.equal(kept.stored.size, 2);
  });

  it('that are empty are repaired, else an error; what failed may be asked again', async (t) => {
    const empty = json({ steps: ['', ' '] });
    const kept = keeping();
    const twice = await judgeOne(t, unstepped, [empty, empty], { ...ABOUT, sharedAnswers: kept });
    assert.deepEqual([twice.status, twice.reason], ['error', 'incomplete-list']);
    assert.equal(kept.stored.size, 0);
    const once = await judgeOne(t, unstepped, [empty, { steps: STEPS }, said(8)], {
      ...ABOUT,
      sharedAnswers: kept,
    });
    assert.equal(once.status, 'pass');
  });

  it('that are refused are an error', async (t) => {
    const verdict = await judgeOne(t, unstepped, [refusal('No.')], ABOUT);
    assert.deepEqual([verdict.status, verdict.reason], ['error', 'refusal']);
  });
});

describe('g-eval: the rubric', () => {
  const faults = (...ranges: [number, number][]) =>
    (
      gEval.faults?.({
        criteria: CRITERIA,
        rubric: ranges.map((range) => ({ range, means: 'm' })),
      }) ?? []
    ).map(({ path, message }) => `${path.join('.')}: ${message}`);

  const rows: [string, string[], RegExp | undefined][] = [
    ['whole, in any order', faults([5, 10], [0, 4]), undefined],
    ['bands of one score', faults([0, 0], [1, 9], [10, 10]), undefined],
    ['a gap', faults([0, 4], [6, 10]), /^rubric\.1\.range: No band covers 5/],
    ['no beginning', faults([1, 10]), /^rubric\.0\.range: No band covers 0/],
    [
      'no end',
      faults([0, 4], [5, 9]),
      /^rubric\.1\.range: No band covers 10\. The last band must end at 10/,
    ],
    ['an overlap', faults([0, 5], [5, 10]), /^rubric\.1\.range: 5 is already in another band/],
    ['a band twice', faults([0, 10], [0, 10]), /^rubric\.1\.range: 0 is already in another band/],
    [
      'a band backwards',
      faults([4, 0], [5, 10]),
      /^rubric\.0\.range: The band is reversed: 4 to 0/,
    ],
  ];
  for (const [name, found, expected] of rows) {
    it(`${name}: ${expected ? 'reported as you type' : 'valid'}`, () => {
      if (!expected) return assert.deepEqual(found, []);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', expected);
    });
  }

  it('is shown to the judge with the criteria', async (t) => {
    const rubric = [
      { range: [0, 4], means: 'It passes over them.' },
      { range: [5, 10], means: 'It takes them up.' },
    ];
    const ruled = buildAssertion('g-eval', { criteria: CRITERIA, steps: STEPS, rubric });
    const { requests } = await judgeOne(t, ruled, [said(5)], ABOUT);
    const asked = requests[0]?.body.messages[1]?.content ?? '';
    assert.match(asked, /0 to 4:\n\| It passes over them\.\n5 to 10:\n\| It takes them up\./);
  });
});

type Alternatives = readonly (readonly [text: string, probability: number])[];

function token(text: string, ...top: Alternatives): ScoredToken {
  return {
    text,
    top: top.map(([alternative, probability]) => ({
      text: alternative,
      logprob: Math.log(probability),
    })),
  };
}

function weigh(written: number, ...tokens: ScoredToken[]) {
  return weighScore(tokens.map(({ text }) => text).join(''), tokens, written);
}

function meanOf(...given: Parameters<typeof weigh>): number {
  const weighed = weigh(...given);
  if (!('mean' in weighed)) throw new Error(weighed.why);
  return Math.round(weighed.mean * 1e9) / 1e9;
}

const START = token('{"rationale":"So.","score":');
const END = token('}');

describe('weighScore weights scores by the probabilities of their tokens', () => {
  it('of several tokens', () => {
    assert.equal(meanOf(8, START, token('8', ['8', 0.75], ['6', 0.25]), END), 7.5);
    const three = token('9', ['9', 0.5], ['8', 0.3], ['10', 0.2]);
    assert.equal(meanOf(9, START, three, END), 8.9);
  });

  it('ignores alternatives that are not scores instead of counting them as 0', () => {
    const mixed = token('8', ['8', 0.4], ['"', 0.3], ['eight', 0.1], ['6', 0.1], ['11', 0.1]);
    assert.equal(meanOf(8, START, mixed, END), 7.6);
  });

  it('of the token of the score, not of a digit in the reason before it', () => {
    const reason = token('{"rationale":"Turn ');
    const digit = token('2', ['2', 0.1], ['9', 0.9]);
    const rest = token(' is good","score":');
    assert.equal(meanOf(8, reason, digit, rest, token('8', ['8', 1]), END), 8);
  });

  it('uses the last score if a rationale quotes one', () => {
    const quoted = token('{"rationale":"He said \\"score\\": ');
    const low = token('1', ['1', 1]);
    assert.equal(meanOf(8, quoted, low, token('","score":'), token('8', ['8', 1]), END), 8);
  });

  it('of 10 as one token, and of 1 next to it', () => {
    assert.equal(meanOf(10, START, token('10', ['10', 0.5], ['9', 0.5]), END), 9.5);
    assert.equal(meanOf(1, START, token('1', ['1', 0.5], ['10', 0.5]), END), 5.5);
  });

  it('of 0', () => assert.equal(meanOf(0, START, token('0', ['0', 1]), END), 0));

  it('of tokens with white space before them, added to those without', () => {
    const spaced = token(' 8', [' 8', 0.5], ['8', 0.25], [' 4', 0.25]);
    const weighed = weigh(8, START, spaced, END);
    assert.deepEqual('mean' in weighed && weighed, {
      mean: 7,
      probabilities: { 4: 0.25, 8: 0.75 },
    });
  });

  it('of an alternative that cannot be (-Infinity): it weighs nothing', () => {
    assert.equal(meanOf(8, START, token('8', ['8', 0.5], ['2', 0]), END), 8);
  });

  it('ignores a probability that is not a number', () => {
    const broken = {
      text: '8',
      top: [
        { text: '8', logprob: -1 },
        { text: '2', logprob: Number.NaN },
      ],
    };
    assert.equal(meanOf(8, START, broken, END), 8);
  });
});

describe('weighScore rejects impossible probabilities', () => {
  it('of more than 1', () => {
    const weighed = weigh(0, START, token('0', ['0', 0.9], ['10', 5e21]), END);
    assert.deepEqual(weighed, { why: 'a log-probability is above 0' });
  });

  it('that come to more than 1', () => {
    const weighed = weigh(0, START, token('0', ['0', 0.9], ['10', 0.9]), END);
    assert.deepEqual(weighed, { why: 'the probabilities add up to more than 1' });
  });
});

describe('weighScore reports why it cannot weight a score', () => {
  const eight = token('8', ['8', 1]);
  const rows: [string, ReturnType<typeof weigh>, RegExp][] = [
    ['no log-probabilities', weighScore('{"score":8}', undefined, 8), /no log-probabilities/],
    [
      '10 in two tokens',
      weigh(10, START, token('1', ['1', 1]), token('0'), END),
      /not a separate token/,
    ],
    [
      'the score in one token with what follows',
      weigh(8, START, token('8}', ['8}', 1])),
      /not a separate token/,
    ],
    [
      'tokens of another text',
      weighScore('{"score":8} ', [START, eight, END], 8),
      /not a separate token/,
    ],
    ['no `score` in the text', weigh(8, token('{"value":'), eight, END), /not a separate token/],
    ['a token that is not what was read', weigh(7, START, eight, END), /not a separate token/],
    [
      'nothing but impossible alternatives',
      weigh(8, START, token('8', ['8', 0]), END),
      /no alternative/,
    ],
    ['no alternatives', weigh(8, START, token('8'), END), /no alternative/],
  ];
  for (const [name, weighed, why] of rows) {
    it(name, () => assert.match('why' in weighed ? weighed.why : `mean ${weighed.mean}`, why));
  }
});
