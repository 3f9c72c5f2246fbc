import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { failuresOf } from '../../../../src/core/presentation/failureText.ts';
import type { TurnVerdict, Verdict } from '../../../../src/core/verdict.ts';
import { buildTurnVerdict, buildVerdict } from '../../../support/build.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';

const ASSERTED = '/work/suite.eval.yaml';

function verdict(given: Partial<Parameters<typeof buildVerdict>[0]>): Verdict {
  return buildVerdict({
    type: 'guidelines',
    name: 'Guidelines',
    path: ASSERTED,
    line: 5,
    status: 'fail',
    score: 0,
    threshold: 1,
    rationale: 'One turn breaks a rule.',
    ...given,
  });
}

function entry(turn: number, given: Partial<Pick<TurnVerdict, 'status' | 'evidence'>> = {}) {
  const { status = 'fail', evidence } = given;
  return buildTurnVerdict(turn, status, 0, {
    rationale: 'Promises a date.',
    ...(evidence && { evidence }),
  });
}

const places = (...given: Parameters<typeof failuresOf>) =>
  failuresOf(...given).map(({ source }) => source.range.start.line + 1);

describe('the failures of a case', () => {
  it('link to the invalid line of a data file', () => {
    const start = { line: 2, character: 0 };
    const fault = { path: '/work/talks.jsonl', range: { start, end: start } };
    const line = buildCaseLine({ id: 'a', status: 'error' });
    const [failure] = failuresOf({ ...line, reason: 'invalid-case: Broken.', fault });
    assert.deepEqual(failure?.source, line.source);
    assert.deepEqual(failure?.links, [{ label: 'talks.jsonl, line 3', source: fault }]);
  });

  it('link to the lines of a program that threw', () => {
    const reason = [
      'The target failed: The module threw: TypeError: no name',
      '    at first (/work/my shop/format.mjs:3:7)',
      '    at C:\\work\\bot.mjs:5',
      '    at native code',
      'at /work/no.mjs:1:1',
    ].join('\n');
    const [failure] = failuresOf({ ...buildCaseLine({ id: 'a', status: 'error' }), reason });
    const seen = failure?.links.map(({ label, source, thrown }) => [
      label,
      source.path,
      source.range.start.character + 1,
      thrown,
    ]);
    assert.deepEqual(seen, [
      ['format.mjs, line 3', '/work/my shop/format.mjs', 7, true],
      ['bot.mjs, line 5', 'C:\\work\\bot.mjs', 1, true],
    ]);
  });

  const conversation = talk('When?', 'By Friday.', 'Sure?', 'Yes.');

  it('are shown at each failing turn, with reason and verified quote', () => {
    const evidence = { text: 'By Friday', verified: true };
    const turns = [entry(2, { evidence }), entry(3, { status: 'pass' }), entry(4)];
    const line = buildCaseLine({
      id: 'a',
      status: 'fail',
      conversation,
      verdicts: [verdict({ turns })],
    });
    const [first, second, ...rest] = failuresOf(line);
    assert.deepEqual(rest, []);
    assert.equal(first?.source.range.start.line, 11);
    assert.equal(
      first?.text,
      'Turn 2: Promises a date.\nQuote: “By Friday”\nThe assistant said: “By Friday.”\n\nGuidelines: 0.00 (threshold 1.00)\nOne turn breaks a rule.',
    );
    assert.deepEqual(
      first?.links.map(({ label, source }) => [label, source.range.start.line + 1]),
      [
        ['Turn 2', 12],
        ['Guidelines', 5],
      ],
    );
    assert.equal(second?.source.range.start.line, 13);
  });

  it('are combined per line, and list every turn that failed there', () => {
    const { entries, notes } = conversation;
    const source = {
      path: '/work/suite.eval.yaml',
      range: buildCaseLine({ id: 'a', status: 'pass' }).source.range,
    };
    const onOneLine = { notes, entries: entries.map((one) => ({ ...one, source })) };
    const verdicts = [
      verdict({ turns: [entry(2), entry(4)] }),
      verdict({ name: 'Tone', turns: [entry(4)], rationale: 'Rude.' }),
    ];
    const failures = failuresOf(
      buildCaseLine({ id: 'a', status: 'fail', conversation: onOneLine, verdicts }),
    );
    assert.deepEqual(
      failures.map(({ text }) => text),
      [
        [
          'Turns 2 and 4 failed.',
          'Turn 2: Promises a date.\nThe assistant said: “By Friday.”',
          'Turn 4: Promises a date.\nThe assistant said: “Yes.”',
          'Guidelines: 0.00 (threshold 1.00)\nOne turn breaks a rule.',
          'Turn 4: Promises a date.\nThe assistant said: “Yes.”',
          'Tone: 0.00 (threshold 1.00)\nRude.',
        ].join('\n\n'),
      ],
    );
    assert.deepEqual(
      failures[0]?.links.map(({ label }) => label),
      ['Turn 2', 'Turn 4', 'Guidelines', 'Tone'],
    );
  });

  it("don't repeat misses", () => {
    const miss = 'Turns 2, 4: does not contain "x"';
    const verdicts = [verdict({ rationale: `${miss}.`, misses: [miss] })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    assert.equal(failuresOf(line)[0]?.text, `Guidelines: 0.00 (threshold 1.00)\n${miss}.`);
  });

  it("omit a quote that isn't in the turn", () => {
    const evidence = { text: 'Never said', verified: false };
    const verdicts = [verdict({ turns: [entry(2, { evidence })] })];
    const [only] = failuresOf(buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts }));
    assert.doesNotMatch(only?.text ?? '', /Never said/);
  });

  it('are shown at the assertion with its misses if no turn failed', () => {
    const verdicts = [verdict({ label: 'no', misses: ['The refund is not answered.'] })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    assert.deepEqual(places(line), [5]);
    assert.equal(
      failuresOf(line)[0]?.text,
      'Guidelines: no (score 0.00, threshold 1.00)\nOne turn breaks a rule.\nThe refund is not answered.',
    );
  });

  it('include misses without a turn at the assertion', () => {
    const misses = ['Turn 2: promises a date', 'The refund is not answered.'];
    const verdicts = [verdict({ turns: [entry(2)], misses })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    assert.deepEqual(places(line), [12, 5]);
    const told = failuresOf(line).map(({ text }) => text);
    assert.doesNotMatch(told[1] ?? '', /promises a date/);
    assert.match(told[1] ?? '', /The refund is not answered\.$/);
  });

  it('are cut if a rationale is very long', () => {
    const verdicts = [verdict({ rationale: 'On and on. '.repeat(10_000) })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    const [only] = failuresOf(line);
    assert.ok(only && only.text.length < 5_000);
    assert.match(only.text, /…$/);
  });

  it("include failing turns that aren't in the file", () => {
    const turns = [entry(2), entry(9)];
    const verdicts = [verdict({ turns, misses: ['Turn 9: promises a date'] })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    assert.deepEqual(places(line), [12, 5]);
    assert.match(failuresOf(line)[1]?.text ?? '', /Turn 9/);
  });

  it('start with the error of the case', () => {
    const broken = verdict({
      status: 'error',
      score: null,
      reason: 'quota',
      rationale: 'No money.',
    });
    const line = buildCaseLine({
      id: 'a',
      status: 'error',
      reason: 'The target crashed.',
      conversation,
      verdicts: [broken],
    });
    assert.deepEqual(
      failuresOf(line).map(({ text }) => text),
      ['The target crashed.', 'No money.\n\nGuidelines could not be judged (quota).'],
    );
    assert.deepEqual(places(line), [10, 5]);
  });

  it('compare score and threshold if every verdict passed', () => {
    const verdicts = [verdict({ status: 'pass', score: 0.6, threshold: 0.5 })];
    const line = buildCaseLine({ id: 'a', status: 'fail', score: 0.6, threshold: 0.8, verdicts });
    assert.equal(failuresOf(line)[0]?.text, 'Score 0.60 is below the threshold 0.80.');
  });

  it('reveal control characters', () => {
    const verdicts = [verdict({ rationale: '\x1b[2Jall good' })];
    const line = buildCaseLine({ id: 'a', status: 'fail', conversation, verdicts });
    assert.match(failuresOf(line)[0]?.text ?? '', /\[U\+001B\]\[2Jall good/);
  });
});
