import { groupBy } from '../../src/core/data/data.ts';
import { caseKey } from '../../src/core/identity.ts';
import { counted } from '../../src/core/presentation/amounts.ts';
import { executionTitle } from '../../src/core/presentation/executionTitle.ts';
import { caseScoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/status.ts';
import { isFailure, statusSchema } from '../../src/core/verdict.ts';
import { type ReportPage, TABLE_HASH } from '../../src/protocol/reportPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { badge } from './status.ts';

/** The executions of a run by suite, as links to each other; those of the page are `#1`, `#2` and so on. */
export function renderCases({ executions, started, sums }: ReportPage): HTMLElement[] {
  const numbered = executions.map((snapshot, index) => ({ snapshot, number: index + 1 }));
  const suites = groupBy(numbered, ({ snapshot }) => snapshot.state.file);
  return [
    h('p', { class: 'muted' }, countsOf(executions)),
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

/** `2 passed, 1 failed`; `6 runs of 2 cases: …` where cases are repeated. */
function countsOf(executions: readonly Snapshot[]): string {
  if (executions.length === 0) return 'No case finished.';
  const cases = new Set(
    executions.map(({ state: { file, id, variant } }) => caseKey({ suite: file, id, variant })),
  );
  const counts = statusSchema.options
    .map((one) => ({ one, count: executions.filter(({ status }) => status === one).length }))
    .filter(({ count }) => count > 0)
    .map(({ one, count }) => `${count} ${STATUS_WORDS[one]}`)
    .join(', ');
  if (cases.size === executions.length) return counts;
  return `${counted(executions.length, 'run')} of ${counted(cases.size, 'case')}: ${counts}`;
}

export function nameOf({ state, repetitions }: Snapshot): string {
  return executionTitle({ ...state, repetitions });
}
