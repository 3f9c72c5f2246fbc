import {
  type AssertionSummary,
  limitSummaries,
} from '../../src/core/presentation/assertionSummary.ts';
import { scoreText } from '../../src/core/presentation/score.ts';
import { OUTCOMES, STATUS_WORDS } from '../../src/core/presentation/words.ts';
import { counted, shareText, timesText } from '../../src/core/text/format.ts';
import { type Status, statusSchema } from '../../src/core/verdict.ts';
import type { Findings, Results, VariantTable } from '../../src/protocol/resultsProtocol.ts';
import { h, notices } from '../h.ts';

/** A run's title, facts, and problems. */
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
  const parts = [
    phase === 'reading' || phase === 'running' ? `${phase} …` : undefined,
    counts.length === 0 ? counted(0, 'case') : counts.join(', '),
    ...facts,
  ];
  return h(
    'header',
    { class: 'top' },
    h('h1', title),
    h('div', { class: 'muted facts' }, parts.filter((one) => one !== undefined).join(' · ')),
    ...notices(problems),
  );
}

/** The differences between two runs: first the recorded ones, then the statistics. */
export function renderFindings({
  runs,
  changed,
  sentence,
  evidence,
  noise,
}: Findings): HTMLElement {
  return h(
    'div',
    { class: 'findings' },
    h('p', { class: 'sentence' }, sentence),
    h('div', { class: 'muted' }, ...runs.map((words) => h('div', words))),
    part('What changed', changed),
    h(
      'section',
      h('h2', 'Each assertion'),
      h('ul', ...evidence.map(({ says, text }) => h('li', { 'data-says': says }, text))),
    ),
    part('Judge noise', noise),
  );
}

/** A table and its sentences for each set of a target's variants. */
export function renderVariants(variants: readonly VariantTable[]): HTMLElement {
  return h(
    'section',
    // Makes the table scrollable with the keyboard.
    { class: 'findings variants', 'aria-label': 'Variants', tabindex: '0' },
    h('h2', 'Variants'),
    ...variants.flatMap(({ head, rows, legend, sentences }) => [
      ...sentences.map((words) => h('p', { class: 'sentence' }, words)),
      h(
        'table',
        h('thead', h('tr', ...head.map((title) => h('th', { scope: 'col' }, title)))),
        h(
          'tbody',
          ...rows.map(([name = '', ...cells]) =>
            h('tr', h('th', { scope: 'row' }, name), ...cells.map((text) => h('td', text))),
          ),
        ),
      ),
      h('p', { class: 'muted' }, legend),
    ]),
  );
}

function part(title: string, sentences: readonly string[]): HTMLElement {
  return h('section', h('h2', title), h('ul', ...sentences.map((words) => h('li', words))));
}

/** Maximum number of labels to show per assertion; the rest are only counted. */
const MAX_LABELS = 6;

/** One line per assertion: its pass rate, its mean, and how often each label occurs. */
export function renderSummaries(summaries: readonly AssertionSummary[]): HTMLElement {
  const { listed, more } = limitSummaries(summaries);
  return h(
    'ul',
    { class: 'summaries' },
    ...listed.map(line),
    ...more.map((text) => h('li', { class: 'muted' }, text)),
  );
}

function line(summary: AssertionSummary): HTMLElement {
  const { name, mean, thresholds, passed, failed, skipped, errored, values } = summary;
  const errors = Object.values(errored).reduce((sum, count) => sum + count, 0);
  const counts: readonly (readonly [Status, number])[] = [
    ['pass', passed],
    ['fail', failed],
    ['error', errors],
    ['skipped', skipped],
  ];
  const scored = passed + failed;
  const rate = scored === 0 ? 'not judged' : `${shareText(passed / scored)} passed`;
  const countTexts = counts
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${STATUS_WORDS[status]}`);
  return h(
    'li',
    { class: 'summary' },
    h('span', { class: 'name', title: name }, name),
    bar(counts),
    h('span', { class: 'rate' }, rate),
    h('span', { class: 'mean' }, mean === null ? '' : `mean ${scoreText(mean, ...thresholds)}`),
    h('span', { class: 'told muted' }, countTexts.join(', ')),
    labels(values),
  );
}

/** A bar chart. Hidden from screen readers, because the text next to it contains the same information. */
function bar(counts: readonly (readonly [Status, number])[]): HTMLElement {
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  const pieces = counts.map(([status, count]) => {
    const piece = h('span', { 'data-status': status });
    piece.style.width = `${(100 * count) / Math.max(1, all)}%`;
    return piece;
  });
  return h('span', { class: 'share', 'aria-hidden': 'true' }, ...pieces);
}

function labels(values: AssertionSummary['values']): HTMLElement {
  const sorted = Object.entries(values).sort(([, a], [, b]) => b - a);
  const most = sorted[0]?.[1] ?? 1;
  const rest = sorted.slice(MAX_LABELS);
  const shown = sorted.slice(0, MAX_LABELS).map(([label, count]) => {
    const height = h('span', { class: 'height', 'aria-hidden': 'true' });
    height.style.height = `${Math.max(8, (100 * count) / most)}%`;
    return h('span', { class: 'given' }, height, timesText(label, count));
  });
  const others = rest.length > 0 && h('span', { class: 'muted' }, `${rest.length} more`);
  return h('span', { class: 'labels' }, ...shown, others);
}
