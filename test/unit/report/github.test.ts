import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeAnnotations } from '../../../src/report/github.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

test('annotates the line of each failed turn, and escapes commands in its text', () => {
  const turns = [
    { turn: 2, status: 'fail' as const, score: 0, rationale: '100% sure:\n::error::x' },
  ];
  const line = buildCaseLine({
    id: 'a:b,c',
    status: 'fail',
    conversation: talk('Hi', 'Hello'),
    verdicts: [buildVerdict({ name: 'Careful', status: 'fail', score: 0, turns })],
  });
  const text = reported(
    writeAnnotations,
    runEvents([line, buildCaseLine({ id: 'ok', status: 'pass' })]),
  );
  const [annotation = '', ...rest] = text.split('\n');
  assert.deepEqual(rest, ['']);
  assert.ok(
    annotation.startsWith(
      '::error file=suite.eval.yaml,line=12,title=a%3Ab%2Cc::Turn 2: 100%25 sure:%0A: :error::x%0A',
    ),
    annotation,
  );
});
