import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { TerminalReporter } from '../../../src/report/terminal.ts';
import type { RunEvent } from '../../../src/runner/events.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, buildSuiteCase, refOf, runEvents, talk } from '../../support/buildRun.ts';

interface Setup {
  readonly live?: boolean;
  readonly colors?: boolean;
  readonly columns?: number;
}

function report(events: readonly RunEvent[], setup: Setup = {}): string {
  const written: string[] = [];
  let time = 0;
  const reporter = new TerminalReporter({
    write: (text) => written.push(text),
    live: setup.live ?? false,
    colors: setup.colors ?? false,
    size: () => ({ columns: setup.columns ?? 100, rows: 30 }),
    folder: '/work',
    now: () => (time += 1000),
  });
  for (const event of events) reporter.event(event);
  reporter.finish();
  return written.join('');
}

const PASSED = buildCaseLine({
  id: 'order-status',
  status: 'pass',
  score: 1,
  verdicts: [
    buildVerdict({ name: 'Completeness', status: 'pass', score: 1, label: 'yes' }),
    buildVerdict({ name: 'Frustration', status: 'pass', score: 1, label: 'none' }),
  ],
  usage: { ...NO_USAGE, calls: 2, input_tokens: 100, output_tokens: 10, cost: 0.01 },
});

const FAILED = buildCaseLine({
  id: 'frustrated-customer',
  status: 'fail',
  score: 0.25,
  threshold: 0.6,
  line: 20,
  conversation: talk('Where is my refund?', 'You get it in 3 days.\nPromised!'),
  verdicts: [
    buildVerdict({
      name: 'Completeness',
      status: 'fail',
      score: 0.5,
      threshold: 1,
      path: '/work/shared.eval.yaml',
      line: 4,
      rationale: 'One wish was left open.',
      turns: [
        {
          turn: 2,
          status: 'fail',
          score: 0,
          rationale: 'It promises a date.',
          evidence: { text: 'in 3 days', verified: true },
        },
      ],
      misses: ['Turn 2: promised a date', 'Turn 1: never taken up'],
    }),
    buildVerdict({
      name: 'Frustration',
      status: 'fail',
      score: 0,
      label: 'unresolved',
      path: '/elsewhere/x.eval.yaml',
      line: 6,
      required: true,
    }),
  ],
  usage: { ...NO_USAGE, calls: 2, input_tokens: 50, cached_tokens: 20, output_tokens: 5 },
});

test('prints plain lines, a table, each failure with turn, reason, quote, and location, and sums', () => {
  assert.equal(
    report(runEvents([PASSED, FAILED])),
    `✓ order-status  1.2 s
✗ frustrated-customer  1.2 s

Suite  suite.eval.yaml
Case                   Completeness  Frustration
✓ order-status         ✓ yes         ✓ none
✗ frustrated-customer  ✗ 0.50        ✗ unresolved

✗ frustrated-customer  suite.eval.yaml:20
  Score 0.25 is below the threshold 0.60.
  ✗ Completeness: 0.50 (threshold 1.00)  shared.eval.yaml:4
    One wish was left open.
    Turn 2, assistant  suite.eval.yaml:12
      > You get it in 3 days. Promised!
      It promises a date.
      Quote: “in 3 days”
    Turn 1: never taken up
  ✗ Frustration: unresolved (score 0.00, threshold 0.50), required  /elsewhere/x.eval.yaml:6

Completeness mean 0.75, 1 of 2 passed: yes ×1
Frustration mean 0.50, 1 of 2 passed: none ×1, unresolved ×1
Cases: 1 passed, 1 failed, 0 errored, 0 skipped
Model usage: 4 requests, 150 input tokens (20 cached), 15 output tokens, cost 0.0100
Time: 1.0 s

Record: .turnlight/runs/r1.jsonl
`,
  );
});

test('lists cases in the order of the files', () => {
  const text = report(runEvents([PASSED, FAILED], { finished: [FAILED, PASSED] }));
  const table = text.slice(text.indexOf('Case '));
  assert.ok(table.indexOf('order-status') < table.indexOf('frustrated-customer'));
});

test('shows the reason of an errored case, and the last output of its target', () => {
  const line = buildCaseLine({ id: 'c', status: 'error', reason: 'The target crashed.' });
  const [start, ...rest] = runEvents([line]);
  assert.ok(start);
  const output: RunEvent = {
    kind: 'output',
    ref: refOf(line),
    text: 'Traceback:\n  boom\u001b[2J\n',
  };
  const text = report([start, output, ...rest]);
  assert.match(
    text,
    /⚠ c {2}suite\.eval\.yaml:10\n {2}The target crashed\.\n {2}Last output of the target:\n {4}Traceback:\n {6}boom\[U\+001B\]\[2J/,
  );
});

test('shows why an assertion could not be judged, separately from failures', () => {
  const line = buildCaseLine({
    id: 'c',
    status: 'error',
    verdicts: [
      buildVerdict({
        name: 'A',
        status: 'error',
        score: null,
        reason: 'cut-off',
        rationale: 'Its answer was cut off.',
      }),
      buildVerdict({ name: 'B', status: 'skipped', score: null, reason: 'not-applicable' }),
    ],
  });
  const text = report(runEvents([line]));
  assert.match(text, /⚠ A: cut-off .*\n {4}Its answer was cut off\./);
  assert.match(text, /^A 1 errored \(cut-off ×1\)$/m);
  assert.match(text, /^B 1 skipped$/m);
  assert.match(text, /0 passed, 0 failed, 1 errored, 0 skipped/);
});

test("text from an agent, a judge, or a file can't control the terminal", () => {
  const evil = 'a\u001b]0;title\u0007b\u001b[2J\u009b31m\rc\u202ed';
  const line = buildCaseLine({
    id: 'c',
    status: 'fail',
    suite_name: evil,
    reason: evil,
    conversation: talk('Hi', evil),
    verdicts: [
      buildVerdict({
        name: evil,
        status: 'fail',
        score: 0,
        label: evil,
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
  });
  const text = report(runEvents([line]));
  assert.doesNotMatch(text, /[^\P{Cc}\n]|\u202e/u);
  assert.match(text, /\[U\+001B\]\[2J/);
  assert.match(text, /not found in this turn/);
});

test('truncates long texts, and shows a table that is too wide as a list', () => {
  const verdicts = Array.from({ length: 9 }, (_, index) =>
    buildVerdict({ name: `Criterion number ${index}`, status: 'pass', score: 1 }),
  );
  const wide = buildCaseLine({
    id: 'c',
    status: 'pass',
    conversation: talk('Hi', 'x'.repeat(5000)),
    verdicts,
  });
  const text = report(runEvents([wide]), { live: true, columns: 80 });
  assert.match(text, /✓ c\n {4}✓ 1\.00 {2}Criterion number 0\n/);
});

test('lists thousands of cases with their own assertions, and counts what passed', () => {
  const cases = Array.from({ length: 3000 }, (_, index) =>
    buildCaseLine({
      id: `case-${index}`,
      status: index === 2000 ? 'fail' : 'pass',
      verdicts: [
        index === 2000
          ? buildVerdict({ name: `Sentence ${index}`, status: 'fail', score: 0 })
          : buildVerdict({ name: `Sentence ${index}`, status: 'pass', score: 1 }),
      ],
    }),
  );
  // A table would have nine million cells.
  const text = report(runEvents(cases), { columns: 80 });
  assert.match(text, /^✓ case-2999\n {4}✓ 1\.00 {2}Sentence 2999$/m);
  assert.match(text, /^Sentence 2000 mean 0\.00, 0 of 1 passed$/m);
  assert.doesNotMatch(text, /^Sentence 2999 mean/m);
  assert.match(text, /^2999 more assertions, all passed or skipped$/m);
});

test('assertions with the same name have their own columns', () => {
  const twice = buildCaseLine({
    id: 'c',
    status: 'fail',
    verdicts: [
      buildVerdict({ name: 'contains', status: 'pass', score: 1, index: 0 }),
      buildVerdict({ name: 'contains', status: 'fail', score: 0, index: 1 }),
    ],
  });
  assert.match(report(runEvents([twice])), /Case +contains +contains\n✗ c +✓ 1\.00 +✗ 0\.00/);
});

test('distinguishes repetitions, and counts cases that never finished', () => {
  const lines = [1, 2].map(
    (repetition): CaseLine =>
      buildCaseLine({ id: 'c', status: 'pass', repetition, repetitions: 2 }),
  );
  const text = report(runEvents(lines, { finished: lines.slice(0, 1), cancelled: true }));
  assert.match(text, /✓ c 1\/2/);
  assert.match(text, /0 skipped, 1 not finished/);
  assert.match(text, /canceled\. Finished cases are kept\. To continue: turnlight run --resume/);
});

test('counts repetitions as one case, with the number passed and the spread of the scores', () => {
  const lines = ([1, 0.5, 0] as const).map((score, index) =>
    buildCaseLine({
      id: 'c',
      status: score === 1 ? 'pass' : 'fail',
      score,
      repetition: index + 1,
      repetitions: 3,
    }),
  );
  const all = report(runEvents(lines));
  assert.match(
    all,
    /^✗ c: 1 of 3 repetitions passed, all must pass; scores differ by up to 1\.00$/m,
  );
  assert.match(all, /Cases: 0 passed, 1 failed/);
  const any = report(runEvents(lines, { pass: 1 / 3 }));
  assert.match(any, /^✓ c: 1 of 3 repetitions passed, 33% must pass/m);
  assert.match(any, /Cases: 1 passed, 0 failed/);
});

test('shows running cases with their current turn or assertion', () => {
  const line = buildCaseLine({ id: 'c', status: 'pass' });
  const [start, ...rest] = runEvents([line]);
  assert.ok(start);
  const ref = refOf(line);
  const [first, second] = talk('Hi', 'Hello').entries;
  assert.ok(first?.kind === 'turn' && second?.kind === 'turn');
  const written = report(
    [
      start,
      { kind: 'case-started', ref, case: buildSuiteCase('c', ['Hi'], ['Kind', 'Short']) },
      { kind: 'turn', ref, turn: first },
      { kind: 'turn', ref, turn: second },
      { kind: 'verdict', ref, verdict: buildVerdict({ name: 'Kind', status: 'pass', score: 1 }) },
      ...rest,
    ],
    { live: true },
  );
  let place = 0;
  for (const text of ['turn 1', 'turn 2', 'judging Kind', 'judging Short']) {
    place = written.indexOf(text, place);
    assert.notEqual(place, -1, text);
  }
  assert.ok(written.includes('0 of 1 cases finished'));
  // Each progress display was cleared, so only the report remains.
  assert.ok(written.includes('\u001b[2A\u001b[J'));
});

test('counts values on a scale; for plain scores, shows only the mean', () => {
  const lines = [4, 4, 2.5].map((value, index) =>
    buildCaseLine({
      id: `c${index}`,
      status: 'pass',
      verdicts: [
        buildVerdict({ name: 'Stars', status: 'pass', score: 0.75, value }),
        buildVerdict({ name: 'Share', status: 'pass', score: 2 / 3, value: 2 / 3 }),
      ],
    }),
  );
  const text = report(runEvents(lines));
  assert.match(text, /^Stars mean 0\.75, 3 of 3 passed: 4 ×2, 2\.5 ×1$/m);
  assert.match(text, /^Share mean 0\.67, 3 of 3 passed$/m);
});

test('uses colors only if they are wanted', () => {
  assert.ok(report(runEvents([PASSED]), { colors: true }).includes('\u001b[32m'));
  assert.ok(!report(runEvents([PASSED])).includes('\u001b'));
});

test('never shows a score just below 1 as 1', () => {
  const line = buildCaseLine({
    id: 'c',
    status: 'fail',
    verdicts: [buildVerdict({ name: 'A', status: 'fail', score: 0.999, threshold: 1 })],
  });
  assert.match(report(runEvents([line])), /0\.999 \(threshold 1\.00\)/);
});

test('shows the path of a decision graph, the failures in a group, and the spread of an unstable verdict', () => {
  const path = [{ node: 'done', asked: 'Is it done?', answer: 'no', why: 'Not yet.' }];
  const judge = { model: 'm', prompt_hash: '0', samples: 3, spread: 0.4, unstable: true };
  const inner = buildVerdict({ name: 'Inner', status: 'fail', score: 0, rationale: 'Left out.' });
  const line = buildCaseLine({
    id: 'c',
    status: 'fail',
    verdicts: [
      buildVerdict({ name: 'Graph', status: 'fail', score: 0, details: { path } }),
      buildVerdict({ name: 'Group', status: 'fail', score: 0, nested: [inner], misses: ['x'] }),
      buildVerdict({ name: 'Stars', status: 'fail', score: 0.25, value: 2, scale: [1, 5], judge }),
    ],
  });
  const text = report(runEvents([line]));
  assert.match(text, /^ {6}done → no: Not yet\.$/m);
  assert.match(text, /^ {4}✗ Inner: 0\.00 \(threshold 0\.50\).*\n {6}Left out\.$/m);
  assert.match(
    text,
    /✗ Stars: 2 \(score 0\.25, threshold 3 of 1–5\), asked 3 times, spread 0\.40, unstable/,
  );
  assert.match(text, /^Unstable: c, Stars: asked 3 times, spread 0\.40, unstable$/m);
});
