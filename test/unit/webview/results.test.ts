import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { summaries } from '../../../src/core/presentation/assertionSummary.ts';
import {
  DEFAULT_TABLE_SETTINGS,
  type TableSettings,
} from '../../../src/protocol/resultsProtocol.ts';
import { rangeInView, scrollOffsetFor } from '../../../webview/indexRange.ts';
import {
  executionsIn,
  filtered,
  grouped,
  nextFailing,
  sorted,
  summariesOf,
} from '../../../webview/results/model.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCase, buildResults } from '../../support/view/results.ts';

const verdict = (name: string, score: number, label?: string) =>
  buildVerdict({
    name,
    status: score >= 0.5 ? 'pass' : 'fail',
    score,
    ...(label !== undefined && { label }),
  });

const { table } = buildResults([
  buildCase('case-10', 'pass', {
    tags: ['b'],
    verdicts: [verdict('Tone', 0.9, 'polite'), verdict('Brief', 1)],
  }),
  buildCase('case-9', 'fail', {
    tags: ['a', 'b'],
    suite: '/work/other.eval.yaml',
    verdicts: [verdict('Tone', 0.2, 'rude'), verdict('Brief', 1)],
  }),
  buildCase('case-1', 'error', { verdicts: [verdict('Tone', 0.6, 'polite')] }),
  buildCase('case-2', 'skipped'),
]);

const shown = (given: Partial<TableSettings>): TableSettings => ({
  ...DEFAULT_TABLE_SETTINGS,
  ...given,
});
const titles = (cases: readonly number[]) => cases.map((index) => table.cases[index]?.title);
const chosen = (given: Partial<TableSettings>, found?: ReadonlySet<number>) =>
  titles(filtered(table, shown(given), found));

describe('the filters of the results', () => {
  it('match everything by default', () => {
    assert.equal(chosen({}).length, 4);
  });

  it('match the status of the case', () => {
    assert.deepEqual(chosen({ status: 'bad' }), ['case-9', 'case-1']);
    assert.deepEqual(chosen({ status: 'skipped' }), ['case-2']);
  });

  it('match the status of a verdict if an assertion is selected', () => {
    assert.deepEqual(chosen({ assertion: 'Brief' }), ['case-10', 'case-9']);
    assert.deepEqual(chosen({ assertion: 'Brief', status: 'bad' }), []);
    assert.deepEqual(chosen({ assertion: 'Tone', status: 'pass' }), ['case-10', 'case-1']);
  });

  it('match tags, labels, and text', () => {
    assert.deepEqual(chosen({ tag: 'b' }), ['case-10', 'case-9']);
    assert.deepEqual(chosen({ label: 'polite', status: 'error' }), ['case-1']);
    assert.deepEqual(chosen({ tag: 'b' }, new Set([1, 3])), ['case-9']);
    assert.deepEqual(chosen({}, new Set()), []);
  });
});

describe('the variants of a target in the results', () => {
  const of = ['plain', 'warm'];
  const varied = (id: string, name: string) =>
    buildCase(id, name === 'warm' ? 'pass' : 'fail', {
      variant: name,
      target_variant: { name, of },
    });
  const { table: both } = buildResults([
    varied('a', 'warm'),
    buildCase('said', 'pass'),
    varied('a', 'plain'),
  ]);
  const found = (given: Partial<TableSettings>) =>
    filtered(both, shown(given), undefined).map((index) => both.cases[index]?.title);

  it('are in the order of the file, and can be filtered by', () => {
    assert.deepEqual(both.variants, of);
    assert.deepEqual(found({ variant: 'warm' }), ['a/warm']);
    assert.deepEqual(found({ variant: 'plain' }), ['a/plain']);
    assert.deepEqual(found({ variant: 'gone' }), []);
  });

  it('can be grouped and sorted by, cases without one being last and first', () => {
    const groups = grouped(both, [0, 1, 2], { group: 'variant', folded: of });
    assert.deepEqual(
      groups.flatMap((row) => (row.kind === 'group' ? [row.name, row.cases, row.passed] : [])),
      ['plain', 1, 0, 'warm', 1, 1, 'No variant', 1, 1],
    );
    const order = sorted(both, [0, 1, 2], { by: 'variant', descending: false });
    assert.deepEqual(order, [1, 2, 0]);
  });
});

describe('the order of the results', () => {
  const by = (column: string, descending = false) =>
    titles(sorted(table, [0, 1, 2, 3], { by: column, descending }));

  it('is that of the record by default', () => {
    assert.deepEqual(titles(sorted(table, [3, 0], undefined)), ['case-2', 'case-10']);
  });

  it('is that of the files if known, also among equal cases', () => {
    const order = [3, 2, 1, 0];
    assert.deepEqual(sorted(table, [0, 1, 3], undefined, order), [3, 1, 0]);
    const sort = { by: 'duration', descending: false };
    const alike = { ...table, cases: table.cases.map((one) => ({ ...one, duration: 1 })) };
    assert.deepEqual(sorted(alike, [0, 1, 2, 3], sort, order), order);
  });

  it('has case 9 before case 10', () => {
    assert.deepEqual(by('case'), ['case-1', 'case-2', 'case-9', 'case-10']);
  });

  it('has the worst case first, by status or an assertion, and unjudged cases last', () => {
    assert.deepEqual(by('status'), ['case-9', 'case-1', 'case-10', 'case-2']);
    assert.deepEqual(by('assertion Tone'), ['case-9', 'case-1', 'case-10', 'case-2']);
    assert.deepEqual(by('assertion Tone', true), ['case-2', 'case-10', 'case-1', 'case-9']);
  });

  it('ignores a column that no longer exists', () => {
    assert.deepEqual(by('assertion Gone'), ['case-10', 'case-9', 'case-1', 'case-2']);
  });
});

describe('groups of the results', () => {
  const rows = (group: TableSettings['group'], folded: string[] = []) =>
    grouped(table, [0, 1, 2, 3], { group, folded }).map((row) =>
      row.kind === 'case'
        ? table.cases[row.index]?.title
        : `${row.name}: ${row.passed} of ${row.cases}`,
    );

  it('are files', () => {
    assert.deepEqual(rows('file'), [
      ...['other.eval.yaml: 0 of 1', 'case-9'],
      ...['suite.eval.yaml: 1 of 3', 'case-10', 'case-1', 'case-2'],
    ]);
  });

  it('are tags, with a case in each of its tags, and cases without tags last', () => {
    assert.deepEqual(rows('tag'), [
      ...['a: 0 of 1', 'case-9'],
      ...['b: 1 of 2', 'case-10', 'case-9'],
      ...['No tag: 0 of 2', 'case-1', 'case-2'],
    ]);
  });

  it('hide their cases when collapsed', () => {
    assert.deepEqual(rows('tag', ['b', 'No tag']), [
      ...['a: 0 of 1', 'case-9', 'b: 1 of 2', 'No tag: 0 of 2'],
    ]);
  });

  it('are skipped on the way to the next failing case, wrapping around', () => {
    const all = grouped(table, [0, 1, 2, 3], { group: 'file', folded: [] });
    assert.equal(nextFailing(table, all, 0, 1), 1);
    assert.equal(nextFailing(table, all, 1, 1), 4);
    assert.equal(nextFailing(table, all, 4, 1), 1);
    assert.equal(nextFailing(table, all, 1, -1), 4);
    assert.equal(nextFailing(table, all.slice(2, 4), 0, 1), undefined);
  });
});

describe('the summary of an assertion', () => {
  it('covers the matching cases', () => {
    const [tone, brief] = summariesOf(table, [0, 1]);
    assert.deepEqual([tone?.name, tone?.passed, tone?.failed, tone?.mean], ['Tone', 1, 1, 0.55]);
    assert.deepEqual(tone?.values, { polite: 1, rude: 1 });
    assert.deepEqual([brief?.passed, brief?.mean], [2, 1]);
    assert.deepEqual(summariesOf(table, [3]), []);
  });
});

describe('the visible rows', () => {
  const view = { room: 100, size: 10, overscan: 2 };

  it('include a few rows on each side', () => {
    assert.deepEqual(rangeInView({ from: 0, ...view }, 1000), { first: 0, end: 12 });
    assert.deepEqual(rangeInView({ from: 505, ...view }, 1000), { first: 48, end: 63 });
    assert.deepEqual(rangeInView({ from: 9900, ...view }, 1000), { first: 988, end: 1000 });
  });

  it('are empty if there are none, or fewer than before', () => {
    assert.deepEqual(rangeInView({ from: 0, ...view }, 0), { first: 0, end: 0 });
    assert.deepEqual(rangeInView({ from: 900, ...view }, 3), { first: 3, end: 3 });
  });

  it('scroll as little as needed to show a whole row', () => {
    assert.equal(scrollOffsetFor(3, { from: 50, room: 100, size: 10 }), 30);
    assert.equal(scrollOffsetFor(7, { from: 50, room: 100, size: 10 }), 50);
    assert.equal(scrollOffsetFor(20, { from: 50, room: 100, size: 10 }), 110);
  });
});

describe('a repeated case', () => {
  const repetitions = [
    verdict('Tone', 0.9, 'polite'),
    verdict('Tone', 0.2, 'rude'),
    verdict('Tone', 0.7, 'polite'),
  ].map((own, at) =>
    buildCase('case', own.status, {
      ...{ verdicts: [own], score: own.score, repetition: at + 1, repetitions: 3 },
    }),
  );
  const { table: repeated } = buildResults([...repetitions, buildCase('once', 'pass')]);
  const rows = (given: Partial<TableSettings>) => filtered(repeated, shown(given), undefined);

  it('matches by its combined result, and by the label of any repetition', () => {
    assert.deepEqual(rows({ assertion: 'Tone', status: 'bad' }), [0]);
    assert.deepEqual(rows({ assertion: 'Tone', status: 'pass' }), []);
    assert.deepEqual(rows({ label: 'polite' }), [0]);
    assert.deepEqual(rows({ label: 'rude' }), [0]);
    assert.equal(executionsIn(repeated), 4);
  });

  it('counts each verdict in the summaries, as in reports', () => {
    const [tone] = summariesOf(repeated, [0, 1]);
    assert.deepEqual([tone?.passed, tone?.failed, tone?.values], [2, 1, { polite: 2, rude: 1 }]);
    assert.deepEqual(tone && { ...tone }, summaries(repetitions)[0]);
  });
});
