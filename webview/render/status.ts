import { STATUS_ICONS, STATUS_WORDS } from '../../src/core/presentation/words.ts';
import type { Status } from '../../src/core/verdict.ts';
import { h } from '../h.ts';

/** A status, or, if there is no verdict, whether it is still to come (`waiting`) or not (`none`). */
export type BadgeStatus = Status | 'waiting' | 'none';

export const BADGE_ICONS: Readonly<Record<BadgeStatus, string>> = {
  ...STATUS_ICONS,
  waiting: '…',
  none: '–',
};

export const BADGE_WORDS: Readonly<Record<BadgeStatus, string>> = {
  ...STATUS_WORDS,
  waiting: 'waiting',
  none: 'not judged',
};

/** A badge with icon, score, and word, so that status never depends on color alone. */
export function badge(status: BadgeStatus, score?: string): HTMLElement {
  return h(
    'span',
    { class: 'badge', 'data-status': status },
    h('span', { class: 'icon', 'aria-hidden': 'true' }, BADGE_ICONS[status]),
    score !== undefined && h('span', { class: 'score' }, score),
    h('span', { class: 'word' }, BADGE_WORDS[status]),
  );
}

/** An icon next to words with the same meaning. */
export function iconOf(icon: string): HTMLElement {
  return h('span', { class: 'sign', 'aria-hidden': 'true' }, icon);
}
