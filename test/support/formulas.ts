import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Conversation } from '../../src/core/conversation.ts';
import type { Message } from '../../src/core/message.ts';
import type { Assertion } from '../../src/core/suite.ts';
import { type Status, type Verdict, verdictSchema } from '../../src/core/verdict.ts';
import { assistant, type JudgingOptions, judgeOne, talk, user } from './judging.ts';
import type { Step } from './modelServer/steps.ts';

/** The given number of exchanges. The user speaks in turns 1, 3, 5 …, and the assistant in turns 2, 4, 6 … */
export function exchanges(count: number): Message[] {
  return Array.from({ length: count }, (_one, index) => [
    user(`Question ${index + 1}?`),
    assistant(`Answer ${index + 1}.`),
  ]).flat();
}

/** Four exchanges. The assistant's turns are 2, 4, 6, and 8. */
export const FOUR: Conversation = talk(...exchanges(4));

/** A judge's answer and the resulting verdict. Keys that are left out aren't compared. */
export interface FormulaRow {
  readonly name: string;
  readonly said: object;
  readonly score: number | null;
  readonly status: Status;
  readonly reason?: string;
  readonly label?: string;
  readonly value?: number;
  /** The turn, status, and score of each entry: `2 pass 1`. */
  readonly turns?: readonly string[];
  readonly hits?: readonly string[];
  readonly misses?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  /** Overrides the table's assertion. */
  readonly assertion?: Assertion;
  readonly about?: JudgingOptions;
}

/** Tests each row with one request and one verdict. */
export function testFormulas(
  assertion: Assertion,
  about: JudgingOptions,
  rows: readonly FormulaRow[],
): void {
  describe(`${assertion.type}: the formula`, () => {
    for (const row of rows) {
      it(row.name, async (t) => {
        const { requests, ...verdict } = await judgeOne(
          t,
          row.assertion ?? assertion,
          [row.said],
          row.about ?? about,
        );
        assert.equal(requests.length, 1);
        assertRow(verdict, row);
      });
    }
  });
}

export function assertRow(verdict: Verdict, row: Omit<FormulaRow, 'name' | 'said'>): void {
  assert.equal(verdict.status, row.status, verdict.rationale);
  if (row.score === null) assert.equal(verdict.score, null);
  else assert.ok(Math.abs((verdict.score ?? -1) - row.score) < 1e-9, `score ${verdict.score}`);
  for (const key of ['reason', 'label', 'hits', 'misses', 'details'] as const) {
    if (key in row) assert.deepEqual(verdict[key], row[key]);
  }
  if (row.value !== undefined) assert.equal(verdict.value, row.value);
  if (row.turns) assert.deepEqual(shownTurns(verdict), row.turns);
  if (row.status === 'skipped') assert.ok(verdict.reason);
  assertStorable(verdict);
}

/** Checks that the verdict can be stored: what is written to a run record must be readable again. */
function assertStorable(verdict: Verdict): void {
  const { requests: _, ...stored } = JSON.parse(JSON.stringify(verdict));
  assert.deepEqual(verdictSchema.parse(stored), stored);
}

/** The turn, status, and score of each entry: `2 pass 1`. */
export function shownTurns({ turns }: Pick<Verdict, 'turns'>): string[] {
  return turns.map(
    ({ turn, status, score }) =>
      `${turn} ${status}${score === null ? '' : ` ${Number(score.toFixed(4))}`}`,
  );
}

/** A judge's mistake: its answer, the reason of the error, and the text of the repair request. */
export type MistakeRow = readonly [name: string, said: Step | object, reason: string, told: RegExp];

interface WithTurns {
  readonly turns: readonly object[];
}

/**
 * Checks that each mistake is repaired once, as well as duplicate, missing, and nonexistent turns. If the second answer
 * is good, it counts; if it is bad too, the result is an error.
 */
export function testMistakes(
  assertion: Assertion,
  about: JudgingOptions,
  good: WithTurns,
  rows: readonly MistakeRow[],
): void {
  describe(`${assertion.type}: mistakes are repaired once or become an error`, () => {
    for (const [name, said, reason, told] of [...turnRows(good), ...rows]) {
      it(`${name}: ${reason}`, async (t) => {
        const twice = await judgeOne(t, assertion, [said, said], about);
        assert.deepEqual([twice.status, twice.reason], ['error', reason], twice.rationale);
        assert.deepEqual([twice.score, twice.usage.calls], [null, 2]);
        const once = await judgeOne(t, assertion, [said, good], about);
        assert.notEqual(once.status, 'error', once.rationale);
        assert.match(once.requests[1]?.body.messages.at(-1)?.content ?? '', told);
      });
    }

    it('turns can be in any order', async (t) => {
      const turned = { ...good, turns: [...good.turns].reverse() };
      const verdict = await judgeOne(t, assertion, [turned], about);
      const straight = await judgeOne(t, assertion, [good], about);
      assert.deepEqual(shownTurns(verdict), shownTurns(straight));
      assert.equal(verdict.score, straight.score);
    });
  });
}

function turnRows(good: WithTurns): MistakeRow[] {
  const [first, ...rest] = good.turns;
  if (!first) throw new Error('A good answer has turns.');
  const more = (turn: unknown) => ({ ...good, turns: [...good.turns, { ...first, turn }] });
  const mismatch = 'turns-mismatch';
  return [
    [
      'a turn twice',
      more(Reflect.get(first, 'turn')),
      mismatch,
      /has 2 entries for turn \d+; it needs exactly one/,
    ],
    ['a turn missing', { ...good, turns: rest }, mismatch, /has no entry for turn \d+/],
    ['turn 99', more(99), mismatch, /turn 99, which is not to be judged/],
  ];
}
