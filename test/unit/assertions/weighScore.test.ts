import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScoredToken } from '../../../src/assertions/contract.ts';
import { weighScore } from '../../../src/assertions/shared/weighScore.ts';

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
  return weighScore(tokens.map(({ text }) => text).join(''), tokens, written, [0, 10]);
}

function meanOf(...given: Parameters<typeof weigh>): number {
  const weighed = weigh(...given);
  if (!('mean' in weighed)) throw new Error(weighed.why);
  return Math.round(weighed.mean * 1e9) / 1e9;
}

const START = token('{"rationale":"So.","score":');
const END = token('}');

describe('weighScore: the mean of the scores by the probability of their tokens', () => {
  it('of several tokens', () => {
    assert.equal(meanOf(8, START, token('8', ['8', 0.75], ['6', 0.25]), END), 7.5);
    const three = token('9', ['9', 0.5], ['8', 0.3], ['10', 0.2]);
    assert.equal(meanOf(9, START, three, END), 8.9);
  });

  it('of what is left where some alternatives are no scores: they do not count as 0', () => {
    const mixed = token('8', ['8', 0.4], ['"', 0.3], ['eight', 0.1], ['6', 0.1], ['11', 0.1]);
    assert.equal(meanOf(8, START, mixed, END), 7.6);
  });

  it('of the token of the score, not of a digit in the reason before it', () => {
    const reason = token('{"rationale":"Turn ');
    const digit = token('2', ['2', 0.1], ['9', 0.9]);
    const rest = token(' is good","score":');
    assert.equal(meanOf(8, reason, digit, rest, token('8', ['8', 1]), END), 8);
  });

  it('of the last score, where a reason quotes one', () => {
    const quoted = token('{"rationale":"He said \\"score\\": ');
    const low = token('1', ['1', 1]);
    assert.equal(meanOf(8, quoted, low, token('","score":'), token('8', ['8', 1]), END), 8);
  });

  it('of 10 as one token, and of 1 beside it', () => {
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

  it('of a probability that is no number: it is left out', () => {
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

describe('weighScore believes no probabilities that cannot be', () => {
  it('of more than 1', () => {
    const weighed = weigh(0, START, token('0', ['0', 0.9], ['10', 5e21]), END);
    assert.deepEqual(weighed, { why: 'a log-probability is above 0' });
  });

  it('that come to more than 1', () => {
    const weighed = weigh(0, START, token('0', ['0', 0.9], ['10', 0.9]), END);
    assert.deepEqual(weighed, { why: 'the probabilities come to more than 1' });
  });
});

describe('weighScore says why it cannot weigh', () => {
  const eight = token('8', ['8', 1]);
  const rows: [string, ReturnType<typeof weigh>, RegExp][] = [
    [
      'no log-probabilities',
      weighScore('{"score":8}', undefined, 8, [0, 10]),
      /no log-probabilities/,
    ],
    [
      '10 in two tokens',
      weigh(10, START, token('1', ['1', 1]), token('0'), END),
      /no token of its own/,
    ],
    [
      'the score in one token with what follows',
      weigh(8, START, token('8}', ['8}', 1])),
      /no token of its own/,
    ],
    [
      'tokens of another text',
      weighScore('{"score":8} ', [START, eight, END], 8, [0, 10]),
      /no token of its own/,
    ],
    ['no `score` in the text', weigh(8, token('{"value":'), eight, END), /no token of its own/],
    ['a token that is not what was read', weigh(7, START, eight, END), /no token of its own/],
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
