import { OUTCOMES } from '../../src/core/compared.ts';
import { counted } from '../../src/core/presentation/amounts.ts';
import { STATUS_WORDS } from '../../src/core/presentation/status.ts';
import { statusSchema } from '../../src/core/verdict.ts';
import type { Results } from '../../src/protocol/resultsProtocol.ts';
import { h } from '../h.ts';

/** What the run is, and what could not be read of it. */
export function renderHeader({ title, facts, problems, phase, table }: Results): HTMLElement {
  const changes = OUTCOMES.flatMap((change) => {
    const count = table.cases.filter(({ compared }) => compared?.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  const statuses = statusSchema.options.flatMap((status) => {
    const count = table.cases.filter((one) => one.status === status).length;
    return count === 0 ? [] : [`${count} ${STATUS_WORDS[status]}`];
  });
  const counts = changes.length > 0 ? changes : statuses;
  const told = [
    phase === 'reading' || phase === 'running' ? `${phase} …` : undefined,
    counts.length === 0 ? counted(0, 'case') : counts.join(', '),
    ...facts,
  ];
  return h(
    'header',
    { class: 'top' },
    h('h1', {}, title),
    h('div', { class: 'muted facts' }, told.filter((one) => one !== undefined).join(' · ')),
    ...problems.map((problem) => h('p', { class: 'notice' }, `⚠ ${problem}`)),
  );
}
