import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { writeJUnit } from '../../../src/report/junit.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

function report(lines: readonly CaseLine[], pass = 1): string {
  return reported(writeJUnit, runEvents(lines, { pass }));
}

test('distinguishes failures, errors, and skipped cases, each with file and line', () => {
  const xml = report([
    buildCaseLine({ id: 'ok', status: 'pass' }),
    buildCaseLine({
      id: 'bad',
      status: 'fail',
      line: 20,
      verdicts: [
        buildVerdict({
          name: 'Kind',
          status: 'fail',
          score: 0,
          path: '/work/suite.eval.yaml',
          misses: ['Turn 2: was rude'],
          turns: [{ turn: 2, status: 'fail', score: 0, rationale: 'Rude.' }],
        }),
      ],
    }),
    buildCaseLine({
      id: 'broken',
      status: 'error',
      verdicts: [buildVerdict({ name: 'Kind', status: 'error', score: null, reason: 'cut-off' })],
    }),
    buildCaseLine({
      id: 'later',
      status: 'skipped',
      reason: 'Not yet.',
    }),
  ]);
  assert.equal(
    xml,
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="Turnlight" tests="4" failures="1" errors="1" skipped="1" time="4.800">
  <testsuite name="Suite" file="suite.eval.yaml" timestamp="2026-01-01T00:00:00" tests="4" failures="1" errors="1" skipped="1" time="4.800">
    <testcase classname="Suite" name="ok" file="suite.eval.yaml" line="10" time="1.200"/>
    <testcase classname="Suite" name="bad" file="suite.eval.yaml" line="20" time="1.200">
      <failure message="Kind failed: Turn 2: was rude" type="failed">✗ bad  suite.eval.yaml:20
  ✗ Kind: 0.00 (threshold 0.50)  suite.eval.yaml:1
    Turn 2, assistant  suite.eval.yaml:12
      &gt; Hello
      Rude.</failure>
    </testcase>
    <testcase classname="Suite" name="broken" file="suite.eval.yaml" line="10" time="1.200">
      <error message="Kind could not be judged" type="cut-off">⚠ broken  suite.eval.yaml:10
  ⚠ Kind: cut-off  /suite.eval.yaml:1</error>
    </testcase>
    <testcase classname="Suite" name="later" file="suite.eval.yaml" line="10" time="1.200">
      <skipped message="Not yet."/>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('escapes hostile text, and writes well-formed XML', () => {
  const evil = `]]></failure><script>&"'\u0000\u001b[2J\ud800\ufffe\r\n\tend`;
  const xml = report([
    buildCaseLine({
      id: 'c',
      status: 'fail',
      suite_name: evil,
      conversation: talk('Hi', evil),
      verdicts: [
        buildVerdict({
          name: evil,
          status: 'fail',
          score: 0,
          rationale: evil,
          misses: [evil],
          turns: [
            {
              turn: 2,
              status: 'fail',
              score: 0,
              rationale: evil,
              evidence: { text: evil, verified: false },
            },
          ],
        }),
      ],
    }),
  ]);
  assert.doesNotMatch(xml, /[^\P{Cc}\n\t]|[\ufffe\uffff\p{Cs}]/u);
  assert.doesNotMatch(xml, /<script>|]]>/);
  // Apart from our own tags, no angle brackets or unescaped ampersands are left.
  const rest = xml
    .replace(/<\?xml [^?]*\?>/, '')
    .replace(/<\/?(testsuites|testsuite|testcase|failure)( [a-z]+="[^"<>]*")*\/?>/g, '');
  assert.doesNotMatch(rest, /[<>]|&(?!(amp|lt|gt|quot|#\d+);)/);
});

const REPEATED = (['pass', 'fail'] as const).map((status, index) =>
  buildCaseLine({
    id: 'c',
    status,
    repetition: index + 1,
    repetitions: 2,
    verdicts: [buildVerdict({ name: 'Kind', status, score: status === 'pass' ? 1 : 0 })],
  }),
);

test('combines repetitions into one test case: a failure if all must pass', () => {
  const xml = report(REPEATED);
  assert.match(xml, /tests="1" failures="1"/);
  assert.match(xml, /<failure message="c 2\/2: Kind failed" type="failed">✗ c 2\/2 /);
});

test('shows failed repetitions as output if enough others passed', () => {
  const xml = report(REPEATED, 0.5);
  assert.match(xml, /tests="1" failures="0"/);
  assert.match(xml, /<system-out>✗ c 2\/2 /);
});
