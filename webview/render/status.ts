import type { Status } from '../../src/core/verdict.ts';
import { h } from '../h.ts';

export type BadgeStatus = Status | 'none';

const ICONS: Readonly<Record<BadgeStatus, string>> = {
  pass: '✓',
  fail: '✗',
  error: '⚠',
  skipped: '○',
  none: '–',
};

const WORDS: Readonly<Record<BadgeStatus, string>> = {
  pass: 'passed',
  fail: 'failed',
  error: 'error',
  skipped: 'skipped',
  none: 'not judged',
};

/** Icon, score and word: never the colour alone. */
export function badge(status: BadgeStatus, score: number | null): HTMLElement {
  return h(
    'span',
    { class: 'badge', 'data-status': status },
    h('span', { class: 'icon', 'aria-hidden': 'true' }, ICONS[status]),
    score !== null && h('span', { class: 'score' }, score.toFixed(2)),
    h('span', { class: 'word' }, WORDS[status]),
  );
}
