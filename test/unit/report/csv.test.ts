import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { writeCsv } from '../../../src/report/csv.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

function rows(...lines: readonly CaseLine[]): string[] {
  const text = reported(writeCsv, runEvents(lines));
  return text.trimEnd().split('\n');
}

test('has a row for each verdict and judged turn, and one for a case without any', () => {
  const turns = [
    { turn: 2, status: 'fail' as const, score: 0, rationale: 'It says "never", twice.' },
  ];
  const [head = '', ...found] = rows(
    buildCaseLine({
      id: 'a',
      status: 'fail',
      score: 0,
      conversation: talk('Hi', 'Never'),
      verdicts: [
        buildVerdict({
          name: 'Kind',
          status: 'fail',
          score: 0,
          turns,
          rationale: 'One turn fails.',
        }),
      ],
    }),
    buildCaseLine({ id: 'b', status: 'error', reason: 'target-error: it crashed' }),
  );
  const columns = head.split(',');
  const cell = (row: string | undefined, name: string) => row?.split(',')[columns.indexOf(name)];
  assert.deepEqual(
    found.map((row) =>
      ['suite', 'case', 'assertion', 'turn', 'status'].map((one) => cell(row, one)),
    ),
    [
      ['suite.eval.yaml', 'a', 'Kind', '', 'fail'],
      ['suite.eval.yaml', 'a', 'Kind', '2', 'fail'],
      ['suite.eval.yaml', 'b', '', '', ''],
    ],
  );
  assert.match(found[1] ?? '', /"It says ""never"", twice\."/);
  assert.equal(cell(found[2], 'case_reason'), 'target-error: it crashed');
});

test('contains no formula from an agent or a judge', () => {
  const formula = '=HYPERLINK("http://x")';
  const line = buildCaseLine({
    id: 'a',
    status: 'fail',
    reason: 'n;=1+2',
    verdicts: [buildVerdict({ name: formula, status: 'fail', score: 0, rationale: '+1' })],
  });
  const [, row = ''] = rows(line);
  assert.match(row, /"'=HYPERLINK/);
  assert.match(row, /,'\+1,/);
  assert.match(row, /n;'=1\+2/);
});
