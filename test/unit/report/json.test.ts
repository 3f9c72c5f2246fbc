import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  caseLineSchema,
  endLineSchema,
  runLineSchema,
} from '../../../src/core/record/runRecord.ts';
import { mapCasePaths } from '../../../src/node/paths.ts';
import { writeJson } from '../../../src/report/json.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

test("contains the record's lines in the order of the files, without paths of the machine", () => {
  const first = buildCaseLine({
    id: 'a',
    status: 'pass',
    conversation: talk('Hi', 'a\u001b[2J\u0000\ud800'),
    verdicts: [buildVerdict({ status: 'pass', score: 1, path: '/work/suite.eval.yaml' })],
  });
  const second = buildCaseLine({ id: 'b', status: 'error', reason: 'It crashed.' });
  const text = reported(writeJson, runEvents([first, second], { finished: [second, first] }));
  const { run, cases, end } = JSON.parse(text);
  runLineSchema.parse(run);
  endLineSchema.parse(end);
  assert.deepEqual(
    cases.map((line: unknown) => caseLineSchema.parse(line)),
    [first, second].map((line) => mapCasePaths(line, () => 'suite.eval.yaml')),
  );
});

test('has nulls for a run that never started', () => {
  assert.deepEqual(JSON.parse(reported(writeJson, [])), {
    run: null,
    cases: [],
    assertions: [],
    pass_at_all: [],
    variants: [],
    end: null,
  });
});

test('summarizes each assertion of a suite: mean, passes, errors, and the count of each value', () => {
  const line = (id: string, ...verdicts: Parameters<typeof buildVerdict>[0][]) =>
    buildCaseLine({ id, status: 'pass', verdicts: verdicts.map((one) => buildVerdict(one)) });
  const kind = { name: 'Kind', status: 'pass', score: 1, label: 'yes' } as const;
  const lines = [
    line('a', kind, { name: 'Share', status: 'pass', score: 0.75 }),
    line('b', kind, { name: 'Share', status: 'skipped', score: null }),
    line('c', { ...kind, status: 'fail', score: 0.5, label: 'no' }),
    line('d', { name: 'Kind', status: 'error', score: null, reason: 'quota' }),
  ];
  const text = reported(writeJson, runEvents(lines));
  const none = { thresholds: [0.5], passed: 0, failed: 0, skipped: 0, errored: {}, values: {} };
  assert.deepEqual(JSON.parse(text).assertions, [
    {
      ...none,
      suite: 'suite.eval.yaml',
      name: 'Kind',
      mean: 2.5 / 3,
      passed: 2,
      failed: 1,
      errored: { quota: 1 },
      values: { yes: 2, no: 1 },
    },
    { ...none, suite: 'suite.eval.yaml', name: 'Share', mean: 0.75, passed: 1, skipped: 1 },
  ]);
});
