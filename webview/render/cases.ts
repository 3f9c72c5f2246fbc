import { groupBy } from '../../src/core/data.ts';
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
  const { state, status, repetitions } = snapshot;
  const repetition = repetitions > 1 ? ` ${state.repetition}/${repetitions}` : '';
  return h(
    'a',
    { href: `#${number}` },
    h('span', { class: 'name' }, `${state.id}${repetition}`),
    status && badge(status, caseScoreText(snapshot)),
  );
}

/** `2 passed, 1 failed` */
function countsOf(executions: readonly Snapshot[]): string {
  return statusSchema.options
    .map((one) => ({ one, count: executions.filter(({ status }) => status === one).length }))
    .filter(({ count }) => count > 0)
    .map(({ one, count }) => `${count} ${STATUS_WORDS[one]}`)
    .join(', ');
}
