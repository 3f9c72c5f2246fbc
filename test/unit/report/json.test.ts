import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withCasePaths } from '../../../src/core/recordPaths.ts';
import { caseLineSchema, endLineSchema, runLineSchema } from '../../../src/core/runRecord.ts';
import { JsonReporter } from '../../../src/report/json.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';

test('holds the lines of the record, cases in the order of the files, no path of the machine', () => {
  const first = buildCaseLine({
    id: 'a',
    status: 'pass',
    conversation: talk('Hi', 'a\u001b[2J\u0000\ud800'),
    verdicts: [buildVerdict({ status: 'pass', score: 1, path: '/work/suite.eval.yaml' })],
  });
  const second = buildCaseLine({ id: 'b', status: 'error', reason: 'It crashed.' });
  const reporter = new JsonReporter();
  for (const event of runEvents([first, second], { finished: [second, first] }))
    reporter.event(event);
  const { run, cases, end } = JSON.parse(reporter.finish());
  runLineSchema.parse(run);
  endLineSchema.parse(end);
  assert.deepEqual(
    cases.map((line: unknown) => caseLineSchema.parse(line)),
    [first, second].map((line) => withCasePaths(line, () => 'suite.eval.yaml')),
  );
});

test('a run that never started is told by nulls', () => {
  assert.deepEqual(JSON.parse(new JsonReporter().finish()), { run: null, cases: [], end: null });
});
