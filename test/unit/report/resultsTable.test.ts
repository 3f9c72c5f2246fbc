import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_USAGE } from '../../../src/core/verdict.ts';
import { tableSchema } from '../../../src/protocol/resultsProtocol.ts';
import { resultsMarkdown } from '../../../src/report/resultsMarkdown.ts';
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
  it('has a column for each assertion, and a second one where a case has two of a name', () => {
    assert.deepEqual(
      table.columns.map(({ name, occurrence }) => [name, occurrence]),
      [
        ['Tone', 1],
        ['Brief', 1],
        ['Tone', 2],
      ],
    );
  });

  it('holds what verdicts came to once, however many cases have it', () => {
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

  it('is what both ends of the view take', () => {
    assert.deepEqual(tableSchema.parse(structuredClone(table)), table);
  });

  it('is Markdown in the order that is shown, without columns that nothing is in', () => {
    assert.equal(
      resultsMarkdown(table, [1, 0]),
      [
        '| Case | Status | Tone | Brief | Cost | Time |',
        '| --- | --- | --- | --- | --- | --- |',
        '| b | ✗ failed 0&#46;40 | ✗ 0&#46;40 | ⚠ timeout | 0&#46;0200 | 1&#46;2 s |',
        '| a | ✓ passed 1&#46;00 | ✓ 1&#46;00 polite |  |  | 1&#46;2 s |',
        '',
      ].join('\n'),
    );
  });

  it('is Markdown in which no text is a cell, a link or HTML of its own', () => {
    const { table: hostile } = buildResults([buildCase('a|b](x)<img>', 'pass')]);
    const [, , row = ''] = resultsMarkdown(hostile, [0]).split('\n');
    assert.equal(row.split('|').length, 6);
    assert.doesNotMatch(row, /[<\]]/);
  });
});
