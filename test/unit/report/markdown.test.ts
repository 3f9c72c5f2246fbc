import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { writeAnnotations } from '../../../src/report/github.ts';
import { writeMarkdown } from '../../../src/report/markdown.ts';
import type { RunEvent } from '../../../src/runner/events.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

function report(...lines: readonly CaseLine[]): string {
  return reported(writeMarkdown, runEvents(lines)).replace(/&#(\d+);/g, (_found, code: string) =>
    String.fromCodePoint(Number(code)),
  );
}

test('starts with the result, then shows each failure with its line', () => {
  const turns = [{ turn: 2, status: 'fail' as const, score: 0, rationale: 'It promises.' }];
  const text = report(
    buildCaseLine({ id: 'ok', status: 'pass', score: 1 }),
    buildCaseLine({
      id: 'refund',
      status: 'fail',
      score: 0.25,
      conversation: talk('Hi', 'You will get it back.'),
      verdicts: [buildVerdict({ name: 'Careful', status: 'fail', score: 0.25, turns })],
    }),
  );
  assert.match(text, /^# ✗ 1 of 2 evals did not pass\n/);
  assert.match(text, /^- Cases: 1 passed, 1 failed/m);
  assert.match(
    text,
    /^## ✗ refund, score 0\.25\n\n\*\*suite\.eval\.yaml:12\*\*\n\n> Turn 2: It promises\./m,
  );
  assert.match(text, /^> The assistant said: “You will get it back\.”/m);
});

test('says if all passed', () => {
  assert.match(report(buildCaseLine({ id: 'ok', status: 'pass' })), /^# ✓ Evals passed\n/);
});

test('says if a run was canceled, was stopped, or had nothing to run', () => {
  const skipped = buildCaseLine({ id: 'a', status: 'skipped' });
  assert.match(report(skipped), /^# ○ No eval was run\n/);
  const title = (events: readonly RunEvent[]) => reported(writeMarkdown, events).split('\n')[0];
  const passed = buildCaseLine({ id: 'a', status: 'pass' });
  assert.equal(title(runEvents([passed], { cancelled: true })), '# ⚠ The run was canceled');
  const other = buildCaseLine({ id: 'b', status: 'pass' });
  const one = runEvents([passed, other], { finished: [passed] });
  assert.equal(title(one), '# ⚠ 1 not finished');
});

test('omits failed repetitions if enough others passed', () => {
  const line = (repetition: number, status: 'pass' | 'fail') =>
    buildCaseLine({ id: 'flaky', status, repetition, repetitions: 3 });
  const events = runEvents([line(1, 'pass'), line(2, 'fail'), line(3, 'pass')], { pass: 0.6 });
  const text = reported(writeMarkdown, events);
  assert.match(text, /^# ✓ Evals passed\n/);
  assert.doesNotMatch(text, /^## /m);
  assert.equal(reported(writeAnnotations, events), '');
});

test("counts the failures that don't fit into a step summary of GitHub", () => {
  const long = 'long '.repeat(20_000);
  const lines = Array.from({ length: 400 }, (_, index) =>
    buildCaseLine({
      id: `case-${index}`,
      status: 'error',
      reason: index === 0 ? long : '長い'.repeat(900),
    }),
  );
  const text = reported(writeMarkdown, runEvents(lines));
  const bytes = Buffer.byteLength(text);
  assert.ok(bytes < 1_048_576, String(bytes));
  const shown = [...text.matchAll(/^## /gm)].length;
  assert.ok(shown > 100, String(shown));
  assert.ok(text.endsWith(`\n\n${400 - shown} more failures did not fit in this summary.\n`));
});
