import { WORST_FIRST } from '../../src/core/scoring.ts';
import { h, plainButton } from '../h.ts';
import type { Item } from '../virtualList.ts';
import { BADGE_ICONS, BADGE_WORDS, type BadgeStatus } from './status.ts';

/** Minimum number of turns; with fewer, nearly all of them are visible. */
const MIN_TURNS = 8;

/** A cell's minimum width in pixels, as in the style sheet. */
const CELL_WIDTH = 18;

const MAX_CELLS = 60;

interface BadgedTurn {
  readonly name: string;
  readonly badge: BadgeStatus;
}

const BADGE_ORDER: readonly BadgeStatus[] = [...WORST_FIRST, 'none'];

/**
 * A strip with one cell for each judged turn of a long conversation, or for each group of turns. Clicking a cell
 * scrolls there.
 */
export class Strip {
  readonly element = h('div', {
    class: 'strip',
    role: 'toolbar',
    'aria-label': 'Turns by verdict',
  });
  readonly #onTurn: (name: string) => void;
  #shown = '';

  /** @param onTurn receives a turn's name in the list */
  constructor(onTurn: (name: string) => void) {
    this.#onTurn = onTurn;
    this.element.addEventListener('keydown', (event) => this.#press(event));
  }

  /** @param room available width in pixels */
  show(items: readonly Item[], room: number): void {
    const badged = items.flatMap(({ name, badge }) => (badge ? [{ name, badge }] : []));
    const cells = Math.max(1, Math.min(MAX_CELLS, Math.floor(room / CELL_WIDTH)));
    this.element.hidden = badged.length < MIN_TURNS;
    const shown = JSON.stringify([cells, badged]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const size = Math.max(1, Math.ceil(badged.length / cells));
    const groups = Array.from({ length: Math.ceil(badged.length / size) }, (_, at) =>
      badged.slice(at * size, (at + 1) * size),
    );
    const focused = this.#cells().findIndex((cell) => cell.matches(':focus'));
    this.element.replaceChildren(...groups.map((group, at) => this.#cell(group, at)));
    if (focused >= 0) this.#focus(focused);
  }

  #cell(group: readonly BadgedTurn[], at: number): HTMLElement {
    const [worst] = group.toSorted(
      (a, b) => BADGE_ORDER.indexOf(a.badge) - BADGE_ORDER.indexOf(b.badge),
    );
    if (!worst) throw new Error('Internal error: a cell of no turn.');
    const words = wordsOf(group);
    const tabindex = at === 0 ? '0' : '-1';
    return plainButton(
      { 'data-status': worst.badge, 'aria-label': words, title: words, tabindex },
      () => this.#onTurn(worst.name),
      h('span', { 'aria-hidden': 'true' }, BADGE_ICONS[worst.badge]),
    );
  }

  #cells(): HTMLElement[] {
    return [...this.element.querySelectorAll('button')];
  }

  #press(event: KeyboardEvent): void {
    const cells = this.#cells();
    const at = cells.findIndex((cell) => cell.matches(':focus'));
    const moves = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells.length - 1 };
    const next: number | undefined = moves[event.key as keyof typeof moves];
    if (next === undefined) return;
    event.preventDefault();
    this.#focus(Math.max(0, Math.min(cells.length - 1, next)));
  }

  /** Makes only one cell reachable with Tab: the last focused one. */
  #focus(at: number): void {
    for (const [index, cell] of this.#cells().entries()) {
      cell.tabIndex = index === at ? 0 : -1;
      if (index === at) cell.focus();
    }
  }
}

/** `Turn 4: failed`, `Turns 2 to 8: 1 failed, 3 passed` */
function wordsOf(group: readonly BadgedTurn[]): string {
  const numbers = group.map(({ name }) => name.replace('turn ', ''));
  const counts = BADGE_ORDER.flatMap((badge) => {
    const { length } = group.filter((one) => one.badge === badge);
    return length === 0 ? [] : [`${length} ${BADGE_WORDS[badge]}`];
  });
  const [first] = group;
  if (first && group.length === 1) return `Turn ${numbers[0]}: ${BADGE_WORDS[first.badge]}`;
  return `Turns ${numbers[0]} to ${numbers.at(-1)}: ${counts.join(', ')}`;
}
