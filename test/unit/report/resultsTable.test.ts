import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { tableSchema } from '../../../src/protocol/resultsProtocol.ts';
import { resultsMarkdown } from '../../../src/report/resultsTable.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCase, buildResults } from '../../support/view/results.ts';

const tone = (score: number, label?: string) =>
  buildVerdict({
    name: 'Tone',
    status: score >= 0.5 ? 'pass' : 'fail',
    score,
    ...(label !== undefined && { label }),
  });

const { table } = buildResults([
  buildCase('a', 'pass', { verdicts: [tone(1, 'polite')], tags: ['smoke'] }),
  buildCase('b', 'fail', {
    verdicts: [
      tone(0.4),
      buildVerdict({ name: 'Brief', status: 'error', score: null, reason: 'timeout' }),
    ],
    usage: { ...NO_USAGE, cost: 0.02 },
  }),
  buildCase('c', 'pass', { verdicts: [tone(1, 'polite'), tone(0.4)] }),
]);

describe('the table of a run', () => {
  it('has a column for each assertion, and a second one if a case has two of the same name', () => {
    assert.deepEqual(
      table.columns.map(({ name, occurrence }) => [name, occurrence]),
      [
        ['Tone', 1],
        ['Brief', 1],
        ['Tone', 2],
      ],
    );
  });

  it('contains each outcome once, however many cases have it', () => {
    assert.deepEqual(table.columns[0]?.outcomes, [
      { status: 'pass', score: 1, threshold: 0.5, label: 'polite' },
      { status: 'fail', score: 0.4, threshold: 0.5 },
    ]);
    assert.deepEqual(
      table.cases.map(({ cells }) => cells),
      [
        [0, 0],
        [0, 1, 1, 0],
        [0, 0, 2, 0],
      ],
    );
  });

  it('matches the protocol of the view', () => {
    assert.deepEqual(tableSchema.parse(structuredClone(table)), table);
  });

  it('becomes Markdown in display order, without empty columns', () => {
    assert.equal(
      resultsMarkdown(table, [1, 0]),
      [
        '| Case | Status | Tone | Brief | Cost | Time |',
        '| --- | --- | --- | --- | --- | --- |',
        '| b | ✗ failed 0.40 | ✗ 0.40 | ⚠ timeout | 0.0200 | 1.2 s |',
        '| a | ✓ passed 1.00 | ✓ 1.00 polite |  |  | 1.2 s |',
        '',
      ].join('\n'),
    );
  });

  it('becomes Markdown in which the assertions of few cases share a column, the worst first', () => {
    const lines = Array.from({ length: 10 }, (_, at) =>
      buildCase(`case-${at}`, 'fail', {
        verdicts: [
          buildVerdict({ name: 'Tone', status: 'pass', score: 1 }),
          buildVerdict({ name: `Price ${at}`, status: 'pass', score: 1 }),
          buildVerdict({ name: `Date ${at}`, status: 'fail', score: 0 }),
        ],
      }),
    );
    const [head, , first] = resultsMarkdown(
      buildResults(lines).table,
      lines.map((_, at) => at),
    ).split('\n');
    assert.equal(head, '| Case | Status | Tone | Other assertions | Time |');
    assert.match(first ?? '', /✓ 1\.00 \| Date 0: ✗ 0\.00, Price 0: ✓ 1\.00 \|/);
  });

  it('becomes Markdown in which no text adds a cell, a link, or HTML', () => {
    const { table: hostile } = buildResults([buildCase('a|b](x)<img>', 'pass')]);
    const [, , row = ''] = resultsMarkdown(hostile, [0]).split('\n');
    assert.equal(row.split('|').length, 5);
    assert.doesNotMatch(row, /[<\]]/);
  });
});

describe('the row of a repeated case', () => {
  const repetitions = [
    { status: 'pass' as const, score: 1, verdicts: [tone(1, 'polite')] },
    { status: 'fail' as const, score: 0.4, verdicts: [tone(0.4, 'rude')] },
    { status: 'pass' as const, score: 1, verdicts: [tone(1, 'polite')] },
  ].map((given, at) =>
    buildCase('flaky', given.status, {
      ...given,
      ...{ repetition: at + 1, repetitions: 3, usage: { ...NO_USAGE, cost: 0.01 } },
    }),
  );
  const once = buildCase('once', 'pass', { verdicts: [tone(1)] });
  const rowsOf = (must_pass?: number, finished = 3) =>
    buildResults([
      ...repetitions.slice(0, 1).map((one) => ({ ...one, must_pass })),
      once,
      ...repetitions.slice(1, finished).map((one) => ({ ...one, must_pass })),
    ]).table;

  it('combines the repetitions: mean, all costs and times, and number passed', () => {
    const { cases } = tableSchema.parse(rowsOf());
    const [row] = cases;
    assert.equal(cases.length, 2);
    assert.deepEqual(
      [row?.title, row?.status, row?.scored, row?.cost, row?.duration],
      ['flaky', 'fail', '0.80', 0.03, 3600],
    );
    assert.deepEqual(row?.repeated, { passed: 2, finished: 3, planned: 3, range: '0.40–1.00' });
  });

  it('passes if enough of them do', () => {
    assert.equal(rowsOf(0.6).cases[0]?.status, 'pass');
    assert.equal(rowsOf(0.7).cases[0]?.status, 'fail');
  });

  it('fails if a required assertion failed in any of them', () => {
    const required = buildVerdict({ name: 'Tone', status: 'fail', score: 0, required: true });
    const { table } = buildResults([
      { ...buildCase('a', 'pass'), repetitions: 2, must_pass: 0.5 },
      { ...buildCase('a', 'fail', { verdicts: [required] }), repetition: 2, repetitions: 2 },
    ]);
    assert.equal(table.cases[0]?.status, 'fail');
  });

  it('is updated as they finish', () => {
    assert.deepEqual(rowsOf(undefined, 1).cases[0]?.repeated, {
      ...{ passed: 1, finished: 1, planned: 3 },
    });
    assert.equal(rowsOf(undefined, 1).cases[0]?.status, 'pass');
    assert.equal(rowsOf(undefined, 2).cases[0]?.status, 'fail');
  });

  it('is one line in Markdown', () => {
    const [, , row] = resultsMarkdown(rowsOf(), [0]).split('\n');
    assert.equal(
      row,
      '| flaky | ✗ failed 2/3 0.80 (0.40–1.00) | ✗ 2/3 0.80 (0.40–1.00) | 0.0300 | 3.6 s |',
    );
  });
});
