import { groupBy } from '../../src/core/data.ts';
import { counted } from '../../src/core/presentation/amounts.ts';
import { executionTitle } from '../../src/core/presentation/executionTitle.ts';
import { caseScoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/status.ts';
import { statusSchema } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { badge } from './status.ts';

/** The executions of a run by suite, as links to each other; those of the page are `#1`, `#2` and so on. */
export function renderCases(executions: readonly Snapshot[]): HTMLElement[] {
  const numbered = executions.map((snapshot, index) => ({ snapshot, number: index + 1 }));
  const suites = groupBy(numbered, ({ snapshot }) => snapshot.state.file);
  return [
    h('p', { class: 'muted' }, countsOf(executions)),
    ...[...suites.values()].flatMap((suite) => [
      h('h2', { title: suite[0].snapshot.state.file }, suite[0].snapshot.suiteName),
      h('ul', {}, ...suite.map(({ snapshot, number }) => h('li', {}, entry(snapshot, number)))),
    ]),
  ];
}

function entry(snapshot: Snapshot, number: number): HTMLElement {
  const { status } = snapshot;
  return h(
    'a',
    { href: `#${number}` },
    h('span', { class: 'name' }, nameOf(snapshot)),
    status && badge(status, caseScoreText(snapshot)),
  );
}

/** `2 passed, 1 failed`; `6 runs of 2 cases: …` where cases are repeated. */
function countsOf(executions: readonly Snapshot[]): string {
  if (executions.length === 0) return 'No case finished.';
  const cases = new Set(executions.map(({ state: { file, id } }) => JSON.stringify([file, id])));
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
