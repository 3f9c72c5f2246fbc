import type { Verdict } from '../../src/core/verdict.ts';
import { h } from '../h.ts';
import { showInvisible } from '../markdown.ts';
import { badge } from './status.ts';

/** The case's verdicts, each with its reason; those that did not pass are open. */
export function renderVerdicts(
  verdicts: readonly Verdict[],
  onOpen: (index: number) => void,
): HTMLElement {
  return h(
    'section',
    { class: 'verdicts', 'aria-label': 'Verdicts' },
    ...verdicts.map((verdict) => renderVerdict(verdict, onOpen)),
  );
}

function renderVerdict(verdict: Verdict, onOpen: (index: number) => void): HTMLElement {
  const { assertion, status, score, label, value, threshold, rationale, reason } = verdict;
  const open = h(
    'button',
    { class: 'link', type: 'button', title: 'Show this assertion in the file' },
    'Go to line',
  );
  open.addEventListener('click', () => onOpen(assertion.index));
  const facts = [
    score === null ? undefined : `threshold ${threshold.toFixed(2)}`,
    assertion.required ? 'required' : undefined,
    assertion.weight === 1 ? undefined : `weight ${assertion.weight}`,
    reason,
    verdict.judge?.model,
  ].filter((fact) => fact !== undefined);
  const outcome = label ?? (typeof value === 'number' ? String(round(value)) : value);
  return h(
    'details',
    {
      class: 'verdict',
      'data-key': `verdict ${assertion.index}`,
      'data-status': status,
      open: status === 'fail' || status === 'error',
    },
    h(
      'summary',
      {},
      badge(status, score),
      h('span', { class: 'name' }, showInvisible(assertion.name)),
      outcome !== undefined && h('span', { class: 'outcome' }, showInvisible(outcome)),
      h('span', { class: 'muted' }, facts.join(' · ')),
    ),
    h('p', {}, showInvisible(rationale)),
    list('Misses', verdict.misses),
    list('Hits', verdict.hits),
    Object.keys(verdict.details).length > 0 &&
      h(
        'details',
        { class: 'raw', 'data-key': `details ${assertion.index}` },
        h('summary', {}, 'Details'),
        h('pre', {}, showInvisible(JSON.stringify(verdict.details, null, 2))),
      ),
    open,
  );
}

function list(title: string, lines: readonly string[]): HTMLElement | undefined {
  if (lines.length === 0) return undefined;
  return h(
    'div',
    { class: title.toLowerCase() },
    h('div', { class: 'label' }, title),
    h('ul', {}, ...lines.map((line) => h('li', {}, showInvisible(line)))),
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
