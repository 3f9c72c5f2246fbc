import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { noRepeat } from '../../../src/assertions/types/no-repeat.ts';
import type { Conversation } from '../../../src/core/conversation.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import {
  EACH,
  findingOf,
  LAST,
  NOT,
  outcomeOf,
  replies,
  statuses,
  turnsAt,
} from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';
import { assertWork } from '../../support/work.ts';

function saying(...texts: string[]): Conversation {
  return replies(...texts.map((text) => [assistant(text)]));
}

const SHIPPED = 'Your order was shipped on Monday morning.';
const REFUND = 'The refund for the hat was sent today.';

describe('no-repeat', () => {
  const rows: [
    what: string,
    texts: string[],
    params: Record<string, unknown>,
    rest: Partial<Assertion>,
    score: number,
    entries: string[],
  ][] = [
    ['different replies', [SHIPPED, REFUND], {}, {}, 1, ['2 pass', '4 pass']],
    ['the same reply', [SHIPPED, SHIPPED], {}, {}, 0.5, ['2 pass', '4 fail']],
    ['an earlier one', [SHIPPED, REFUND, SHIPPED], {}, {}, 2 / 3, ['2 pass', '4 pass', '6 fail']],
    ['three times', [SHIPPED, SHIPPED, SHIPPED], {}, {}, 1 / 3, ['2 pass', '4 fail', '6 fail']],
    [
      'letters and marks',
      [SHIPPED, ` YOUR order —\nwas shipped: on Monday morning!`],
      {},
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
    [
      'full-width letters',
      ['order 98765 was shipped today', 'ｏｒｄｅｒ ９８７６５ was shipped today'],
      {},
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
    [
      'the same words in another order',
      ['one two three four five', 'five four three two one'],
      {},
      {},
      1,
      ['2 pass', '4 pass'],
    ],
    // 3 word sequences are in both texts, 5 in at least one.
    [
      'an overlap under the limit',
      ['a b c d e f', 'a b c d e g'],
      { similarity: 0.61 },
      {},
      1,
      ['2 pass', '4 pass'],
    ],
    [
      'an overlap at the limit',
      ['a b c d e f', 'a b c d e g'],
      { similarity: 0.6 },
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
    [
      'short ones',
      ['Hello there.', SHIPPED, 'Hello there.'],
      {},
      {},
      1,
      ['2 skipped', '4 pass', '6 skipped'],
    ],
    [
      'short ones, counted',
      ['Hello there.', 'Hello there.'],
      { min_words: 2 },
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
    [
      'one word, counted',
      ['Yes', 'No', 'yes'],
      { min_words: 1 },
      {},
      2 / 3,
      ['2 pass', '4 pass', '6 fail'],
    ],
    ['as many words as are needed', ['a b c d e', 'a b c d e'], {}, {}, 0.5, ['2 pass', '4 fail']],
    ['the last', [SHIPPED, REFUND, SHIPPED], {}, LAST, 0, ['6 fail']],
    ['the first of two', [SHIPPED, SHIPPED], {}, turnsAt(2), 1, ['2 pass']],
    ['each', [SHIPPED, SHIPPED], {}, EACH, 0.5, ['2 pass', '4 fail']],
    ['negated', [SHIPPED, SHIPPED], {}, NOT, 0.5, ['2 fail', '4 pass']],
    [
      'negated with a short one',
      ['Hello.', SHIPPED, SHIPPED],
      {},
      { ...LAST, ...NOT },
      1,
      ['6 pass'],
    ],
    [
      'Chinese',
      ['您的订单已于周一上午发货。', '您的订单已于周一上午发货'],
      {},
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
    [
      'other Chinese',
      ['您的订单已于周一上午发货。', '帽子的退款今天已经寄出了。'],
      {},
      {},
      1,
      ['2 pass', '4 pass'],
    ],
    [
      'Japanese',
      ['ご注文は月曜日に発送されました。', 'ご注文は月曜日に発送されました'],
      {},
      {},
      0.5,
      ['2 pass', '4 fail'],
    ],
  ];
  for (const [what, texts, params, rest, score, entries] of rows) {
    it(`${what}: ${score}`, async () => {
      const finding = await findingOf(noRepeat, params, saying(...texts), rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
    });
  }

  it('names the earlier turn that is repeated', async () => {
    const finding = await findingOf(noRepeat, {}, saying(SHIPPED, REFUND, SHIPPED));
    assert.deepEqual(finding.misses, ['Turn 6: repeats turn 2 (overlap 1.00)']);
    assert.deepEqual(finding.hits, [
      'Turn 2: is the first reply',
      'Turn 4: repeats no earlier reply (highest overlap 0.00, with turn 2)',
    ]);
    assert.equal(finding.rationale, 'Repeats no earlier reply: 2 of 3 turns.');
  });

  it('is skipped if all turns are too short', async () => {
    const outcome = await outcomeOf(noRepeat, {}, saying('Hi.', 'Hi.'));
    assert.deepEqual([outcome.kind, statuses(outcome)], ['skipped', ['2 skipped', '4 skipped']]);
    assert.equal(outcome.kind === 'skipped' && outcome.reason, 'too-short');
  });

  it('passes over replies of tool calls alone', async () => {
    const talk = replies(call('look', {}, SHIPPED, '1'), call('look', {}, SHIPPED, '2'));
    assert.deepEqual((await outcomeOf(noRepeat, {}, talk)).kind, 'skipped');
  });

  it('does not take the user for the assistant', async () => {
    // All user turns in `replies` have the same text.
    const finding = await findingOf(noRepeat, { min_words: 1 }, saying('Go on.', SHIPPED));
    assert.equal(finding.score, 1);
  });

  it('compares thousands of replies quickly', async () => {
    const texts = Array.from({ length: 2_000 }, (_, index) => `one two three four five ${index}`);
    await assertWork(500, async () => {
      const { score } = await findingOf(noRepeat, {}, saying(...texts));
      assert.equal(score, 1);
    });
  });

  it('refuses an overlap of nothing', () => {
    for (const params of [{ similarity: 0 }, { similarity: 1.1 }, { min_words: 0 }]) {
      assert.equal(noRepeat.params.safeParse(params).success, false);
    }
  });
});
