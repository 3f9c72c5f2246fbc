import {
  outcomeText,
  type PathStep,
  pathOf,
  samplesText,
} from '../../src/core/presentation/outcome.ts';
import { scoreText, thresholdText } from '../../src/core/presentation/score.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { h } from '../h.ts';
import { badge } from './status.ts';

/** The case's verdicts, each with its reason; those that did not pass are open. */
export function renderVerdicts(
  verdicts: readonly Verdict[],
  onOpen: (index: number) => void,
): HTMLElement {
  return h(
    'section',
    { class: 'verdicts', 'aria-label': 'Verdicts' },
    ...verdicts.map((verdict) =>
      renderVerdict(verdict, `${verdict.assertion.index}`, openAt(verdict.assertion.index, onOpen)),
    ),
  );
}

function openAt(index: number, onOpen: (index: number) => void): HTMLElement {
  const open = h(
    'button',
    { class: 'link', type: 'button', title: 'Show this assertion in the file' },
    'Go to line',
  );
  open.addEventListener('click', () => onOpen(index));
  return open;
}

/** @param key by which the view knows its parts again in the next snapshot */
function renderVerdict(verdict: Verdict, key: string, open?: HTMLElement): HTMLElement {
  const { assertion, status, score, rationale, reason, nested } = verdict;
  const facts = [
    score === null ? undefined : `threshold ${thresholdText(verdict)}`,
    samplesText(verdict),
    assertion.required ? 'required' : undefined,
    assertion.weight === 1 ? undefined : `weight ${assertion.weight}`,
    reason,
    verdict.judge?.model,
  ].filter((fact) => fact !== undefined);
  const scored = score === null ? undefined : scoreText(score, verdict.threshold);
  const outcome = outcomeText(verdict);
  return h(
    'details',
    {
      class: 'verdict',
      'data-key': `verdict ${key}`,
      'data-status': status,
      open: status === 'fail' || status === 'error',
    },
    h(
      'summary',
      {},
      badge(status, scored),
      h('span', { class: 'name' }, assertion.name),
      scored !== undefined && outcome !== scored && h('span', { class: 'outcome' }, outcome),
      verdict.judge?.unstable && h('span', { class: 'outcome' }, '⚠ unstable'),
      h('span', { class: 'muted' }, facts.join(' · ')),
    ),
    h('p', {}, rationale),
    renderPath(pathOf(verdict)),
    nested &&
      h(
        'div',
        { class: 'nested' },
        ...nested.map((one, place) => renderVerdict(one, `${key}.${place}`)),
      ),
    list('Misses', verdict.misses),
    list('Hits', verdict.hits),
    Object.keys(verdict.details).length > 0 &&
      h(
        'details',
        { class: 'raw', 'data-key': `details ${key}` },
        h('summary', {}, 'Details'),
        h('pre', {}, JSON.stringify(verdict.details, null, 2)),
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
    h('ul', {}, ...lines.map((line) => h('li', {}, line))),
  );
}

/** The way that a decision graph took, as a list of questions and answers. */
function renderPath(path: readonly PathStep[]): HTMLElement | undefined {
  if (path.length === 0) return undefined;
  return h(
    'ol',
    { class: 'path', 'aria-label': 'The way through the graph' },
    ...path.map(({ node, asked, answer, why }) =>
      h(
        'li',
        {},
        h('span', { class: 'name' }, node),
        ` ${asked} `,
        h('span', { class: 'outcome' }, answer),
        h('p', { class: 'muted' }, why),
      ),
    ),
  );
}
