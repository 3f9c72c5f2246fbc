import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaseLine } from '../../../../src/core/record/runRecord.ts';
import type { TurnVerdict } from '../../../../src/core/verdict.ts';
import { verdictMarks } from '../../../../src/language/features/verdictMarks.ts';
import { buildTurnVerdict, buildVerdict } from '../../../support/build.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';

const TRANSCRIPT = `cases:
  - id: one
    transcript:
      - user: Hi
      - user: Anyone?
      - assistant: |
          Hello
      - user: Bye
      - assistant: Bye
`;

/** The marks in a text after a run with an assertion's verdicts on turns of the case `one`. */
async function marksOf(
  text: string,
  turns: readonly TurnVerdict[],
  line: Partial<Pick<CaseLine, 'source'>> = {},
) {
  const verdicts = [buildVerdict({ status: 'fail', score: 0, turns: [...turns] })];
  const run = buildCaseLine({ id: 'one', status: 'fail', verdicts, ...line });
  return verdictMarks(await documentOf(text), {
    lastRuns: async (_suite, id) => (id === 'one' ? [run] : []),
  });
}

describe('verdictMarks', () => {
  it('appear at the line of each judged turn, with its status', async () => {
    const { suite } = await documentOf(TRANSCRIPT);
    const start = { line: 0, character: 0 };
    const hash = suite.outline[0]?.hash ?? '';
    const source = { path: '/x', range: { start, end: start }, hash };
    const turns = [
      buildTurnVerdict(1, 'pass', 1),
      buildTurnVerdict(2, 'fail', 0),
      buildTurnVerdict(4, 'error', null),
    ];
    assert.deepEqual(await marksOf(TRANSCRIPT, turns, { source }), [
      { line: 4, status: 'pass', stale: false },
      { line: 5, status: 'fail', stale: false },
      { line: 8, status: 'error', stale: false },
    ]);
  });

  it('appear at a turn without a reply', async () => {
    const scripted = 'cases:\n  - id: one\n    turns:\n      - Hi\n      - Bye\n';
    const failed_turn = { number: 4, side: 'assistant' } as const;
    const run = buildCaseLine({ id: 'one', status: 'error', reason: 'It hung.', failed_turn });
    assert.deepEqual(
      (await verdictMarks(await documentOf(scripted), { lastRuns: async () => [run] })).map(
        ({ line, status }) => `${line} ${status}`,
      ),
      ['4 error'],
    );
  });

  it('show the worst turn of a line', async () => {
    const scripted = 'cases:\n  - id: one\n    turns:\n      - Hi\n      - Bye\n';
    const turns = [
      buildTurnVerdict(1, 'pass', 1),
      buildTurnVerdict(2, 'fail', 0),
      buildTurnVerdict(3, 'skipped', null),
      buildTurnVerdict(4, 'pass', 1),
    ];
    const flow =
      'cases:\n  - {id: one, transcript: [{user: Hi}, {assistant: Hello}], assert: [x]}\n';
    assert.deepEqual(await marksOf(scripted, turns), [
      { line: 3, status: 'fail', stale: true },
      { line: 4, status: 'pass', stale: true },
    ]);
    assert.deepEqual(await marksOf(flow, turns), [{ line: 1, status: 'fail', stale: true }]);
  });

  it("don't appear in a file that never ran, or whose cases have no id", async () => {
    const never = async () => [];
    for (const text of [TRANSCRIPT, ...HARD_TEXTS]) {
      assert.deepEqual(await verdictMarks(await documentOf(text), { lastRuns: never }), []);
    }
  });
});
