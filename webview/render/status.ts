import { STATUS_ICONS, STATUS_WORDS } from '../../src/core/presentation/status.ts';
import type { Status } from '../../src/core/verdict.ts';
import { h } from '../h.ts';

export type BadgeStatus = Status | 'none';

const ICONS: Readonly<Record<BadgeStatus, string>> = { ...STATUS_ICONS, none: '–' };
const WORDS: Readonly<Record<BadgeStatus, string>> = { ...STATUS_WORDS, none: 'not judged' };

/** Icon, score and word: never the colour alone. */
export function badge(status: BadgeStatus, score?: string): HTMLElement {
  return h(
    'span',
    { class: 'badge', 'data-status': status },
    h('span', { class: 'icon', 'aria-hidden': 'true' }, ICONS[status]),
    score !== undefined && h('span', { class: 'score' }, score),
    h('span', { class: 'word' }, WORDS[status]),
  );
}
