import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxLatency } from '../../../src/assertions/types/max-latency.ts';
import { type Conversation, toConversation } from '../../../src/core/conversation.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
import { EACH, findingOf, LAST, NOT, outcomeOf, statuses } from '../../support/deterministic.ts';
import { assistant, buildAssertion, buildFacts, user } from '../../support/judging.ts';

/** Turns 2, 4, 6 and so on took so many milliseconds. */
function taking(...latencies: (number | undefined)[]): Conversation {
  return toConversation(
    latencies.flatMap((latency) => [
      { message: user('Go on.') },
      { message: assistant('Done.'), ...(latency !== undefined && { latency }) },
    ]),
  );
}

describe('max-latency', () => {
  const rows: [
    latencies: (number | undefined)[],
    max: number,
    rest: Partial<Assertion>,
    score: number,
    entries: string[],
  ][] = [
    [[800, 900], 1000, {}, 1, ['2 pass', '4 pass']],
    [[800, 1200, 900], 1000, {}, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    [[800, 1200, 900], 1000, EACH, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    [[800, 1200, 900], 1000, LAST, 1, ['6 pass']],
    [[800, 1200, 900], 1000, NOT, 1 / 3, ['2 fail', '4 pass', '6 fail']],
    [[1000], 1000, {}, 1, ['2 pass']],
    [[1000.2], 1000, {}, 0, ['2 fail']],
    [[0], 1, {}, 1, ['2 pass']],
    [[undefined, 1200, 900], 1000, {}, 0.5, ['2 skipped', '4 fail', '6 pass']],
    [[undefined, 1200], 1000, NOT, 1, ['2 skipped', '4 pass']],
  ];
  for (const [latencies, max, rest, score, entries] of rows) {
    const given = latencies.map((latency) => latency ?? 'none').join(', ');
    it(`${given} of ${max} ${JSON.stringify(rest)}: ${score}`, async () => {
      const finding = await findingOf(maxLatency, { max }, taking(...latencies), rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
    });
  }

  it('reports the time of each turn, and the slowest', async () => {
    const finding = await findingOf(maxLatency, { max: 1000 }, taking(800, 1000.2, undefined));
    assert.deepEqual(finding.hits, ['Turn 2: took 800 ms; the limit is 1000 ms']);
    assert.deepEqual(finding.misses, ['Turn 4: took 1001 ms; the limit is 1000 ms']);
    assert.equal(finding.turns[2]?.rationale, 'was not measured');
    assert.deepEqual([finding.value, finding.details], [1001, { slowest: 1000.2, measured: 2 }]);
  });

  for (const rest of [{}, NOT]) {
    it(`is an error where nothing was measured ${JSON.stringify(rest)}`, async () => {
      const talk = taking(undefined, undefined);
      await assert.rejects(outcomeOf(maxLatency, { max: 1 }, talk, rest), /Nothing was measured/);
    });
  }

  it('is an error where the chosen turn alone was not measured', async () => {
    await assert.rejects(outcomeOf(maxLatency, { max: 9 }, taking(5, undefined), LAST), /measured/);
  });

  it('comes out as the verdict `error`', async () => {
    const [verdict] = await judgeAssertions({
      conversation: taking(undefined),
      facts: buildFacts(),
      assertions: [buildAssertion('max-latency', { max: 1 })],
      replyTurns: [],
      modelFor: async () => undefined,
      signal: new AbortController().signal,
    });
    assert.deepEqual([verdict?.status, verdict?.score], ['error', null]);
    assert.match(verdict?.rationale ?? '', /A transcript has no timing/);
  });

  it('refuses an invalid time', () => {
    for (const max of [0, -1, '1', Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.equal(maxLatency.params.safeParse({ max }).success, false);
    }
  });
});
