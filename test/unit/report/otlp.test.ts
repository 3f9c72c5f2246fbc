import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeOtlp } from '../../../src/report/otlp.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

test('writes an event per verdict as in the conventions, with score, label, and reason', () => {
  const turns = [{ turn: 2, status: 'fail' as const, score: 0, rationale: 'It asks again.' }];
  const line = buildCaseLine({
    id: 'order',
    status: 'error',
    reason: 'It timed out.',
    verdicts: [
      buildVerdict({ name: 'Memory', status: 'fail', score: 0.5, rationale: 'Forgot it.', turns }),
      buildVerdict({ name: 'Tone', status: 'error', score: null, reason: 'timeout' }),
    ],
  });
  const text = reported(writeOtlp, runEvents([line]));
  const { resourceLogs } = JSON.parse(text);
  const [{ resource, scopeLogs }] = resourceLogs;
  assert.deepEqual(resource.attributes[0], {
    key: 'service.name',
    value: { stringValue: 'turnlight' },
  });
  const records: readonly Record<string, unknown>[] = scopeLogs[0].logRecords;
  assert.deepEqual(
    records.map(({ eventName, timeUnixNano }) => [eventName, timeUnixNano]),
    [...Array.from({ length: 3 }, () => ['gen_ai.evaluation.result', '1767225601200000000'])],
  );
  const [memory, tone, whole] = records.map(({ attributes }) =>
    Object.fromEntries(
      (attributes as { key: string; value: Record<string, unknown> }[]).map(({ key, value }) => [
        key,
        Object.values(value)[0],
      ]),
    ),
  );
  assert.equal(memory?.['gen_ai.evaluation.name'], 'Memory');
  assert.equal(memory?.['gen_ai.evaluation.score.value'], 0.5);
  assert.equal(memory?.['gen_ai.evaluation.score.label'], 'fail');
  assert.equal(memory?.['gen_ai.evaluation.explanation'], 'Forgot it.');
  assert.equal(memory?.['turnlight.evaluation.failed_turns'], '2');
  assert.equal(tone?.['error.type'], 'timeout');
  assert.ok(tone && !('gen_ai.evaluation.score.value' in tone));
  assert.equal(whole?.['gen_ai.evaluation.explanation'], 'It timed out.');
  assert.equal(whole?.['error.type'], 'error');
  assert.equal(whole?.['turnlight.suite'], 'suite.eval.yaml');
  assert.equal(whole?.['turnlight.case.repetition'], '1');
});
