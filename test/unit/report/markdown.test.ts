import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseLine } from '../../../src/core/runRecord.ts';
import { writeMarkdown } from '../../../src/report/markdown.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents, talk } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

function report(...lines: readonly CaseLine[]): string {
  const text = reported(writeMarkdown, runEvents(lines));
  return reporter
    .finish()
    .replace(/&#(\d+);/g, (_found, code: string) => String.fromCodePoint(Number(code)));
}

test('says first how it came out, then tells each failure at its line', () => {
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

test('says that all passed', () => {
  assert.match(report(buildCaseLine({ id: 'ok', status: 'pass' })), /^# ✓ Evals passed\n/);
});

test('counts the failures that a step summary of GitHub has no room for', () => {
  const reason = 'long '.repeat(20_000);
  const lines = Array.from({ length: 30 }, (_, index) =>
    buildCaseLine({ id: `case-${index}`, status: 'error', reason }),
  );
  const text = reported(writeMarkdown, runEvents(lines));
  assert.ok(text.length < 1_000_000, String(text.length));
  const shown = [...text.matchAll(/^## /gm)].length;
  assert.ok(shown > 0);
  assert.ok(text.endsWith(`\n\n${30 - shown} more did not fit into this summary.\n`));
});
