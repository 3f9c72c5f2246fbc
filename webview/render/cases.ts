import { groupBy } from '../../src/core/data/data.ts';
import { caseScoreText } from '../../src/core/presentation/score.ts';
import { executionTitle, STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { runTimes } from '../../src/core/text/format.ts';
import { isFailure, statusSchema } from '../../src/core/verdict.ts';
import { type ReportPage, TABLE_HASH } from '../../src/protocol/reportPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { badge } from './status.ts';

/** The executions of a run by suite, as links to each other; those of the page are `#1`, `#2` and so on. */
export function renderCases({ executions, started, sums, table }: ReportPage): HTMLElement[] {
  const numbered = executions.map((snapshot, index) => ({ snapshot, number: index + 1 }));
  const suites = groupBy(numbered, ({ snapshot }) => snapshot.state.file);
  return [
    h('p', { class: 'muted' }, countsOf(table.cases, executions.length)),
    h(
      'details',
      {},
      h(
        'summary',
        {},
        started === undefined ? 'Summary' : `Run of ${new Date(started).toLocaleString()}`,
      ),
      h('ul', { class: 'muted' }, ...sums.map((line) => h('li', {}, line))),
    ),
    ...(executions.length > 0 ? [h('a', { href: TABLE_HASH }, 'All results')] : []),
    ...failuresOnly(executions),
    ...[...suites.values()].flatMap((suite) => [
      h('h2', { title: suite[0].snapshot.state.file }, suite[0].snapshot.suiteName),
      h('ul', {}, ...suite.map(item)),
    ]),
  ];
}

/** Hides the rest of the list, where it has both. */
function failuresOnly(executions: readonly Snapshot[]): HTMLElement[] {
  if (executions.every(failed) || !executions.some(failed)) return [];
  return [h('label', {}, h('input', { type: 'checkbox', id: 'only-failures' }), 'Failures only')];
}

function item({ snapshot, number }: { snapshot: Snapshot; number: number }): HTMLElement {
  const { status } = snapshot;
  const link = h(
    'a',
    { class: 'case', href: `#${number}` },
    h('span', { class: 'name' }, nameOf(snapshot)),
    status && badge(status, caseScoreText(snapshot)),
  );
  return h('li', { class: failed(snapshot) ? 'failed' : 'other' }, link);
}

function failed({ status }: Snapshot): boolean {
  return status !== undefined && isFailure({ status });
}

/** `2 passed, 1 failed`; `3 cases, run 9 times: …` where cases are repeated. */
function countsOf(cases: ReportPage['table']['cases'], executions: number): string {
  if (executions === 0) return 'No case finished.';
  const counts = statusSchema.options
    .map((one) => ({ one, count: cases.filter(({ status }) => status === one).length }))
    .filter(({ count }) => count > 0)
    .map(({ one, count }) => `${count} ${STATUS_WORDS[one]}`)
    .join(', ');
  if (cases.length === executions) return counts;
  return `${runTimes(cases.length, executions)}: ${counts}`;
}

export function nameOf({ state, repetitions }: Snapshot): string {
  return executionTitle({ ...state, repetitions });
}
