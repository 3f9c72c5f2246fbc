import {
  type ComparedOutcome,
  OUTCOME_ICONS,
  OUTCOME_WORDS,
} from '../../src/core/presentation/words.ts';
import type { CaseComparison, RecordedCase, Snapshot } from '../../src/protocol/viewProtocol.ts';
import { type ElementCache, place } from '../elementCache.ts';
import { h } from '../h.ts';
import type { Item } from '../virtualList.ts';
import {
  type ConversationOptions,
  conversationItems,
  failingOf,
  turnName,
} from './conversation.ts';
import type { AssertionRow } from './stated.ts';
import { badge, iconOf } from './status.ts';

/** A conversation in two runs. */
export interface PairOptions {
  readonly base: ConversationOptions;
  readonly head: ConversationOptions;
  /** For what holds the two. */
  readonly cache: ElementCache;
}

/** Which runs are compared, and what became of the case. */
export function renderCompared(
  { change, spoken, before, after, base }: CaseComparison,
  { status }: Pick<Snapshot, 'status'>,
): HTMLElement {
  const run = (name: string, words: string, ended: RecordedCase['status']) =>
    h('div', {}, h('span', { class: 'label' }, name), ` ${words} `, ended && badge(ended));
  return h(
    'div',
    { class: 'compared' },
    h('p', { class: 'sentence', 'data-change': change }, iconOf(OUTCOME_ICONS[change]), spoken),
    run('Before:', before, base ? base.status : change === 'gone' ? status : undefined),
    run('After:', after, change === 'gone' ? undefined : status),
  );
}

/** What heads the two columns. */
export function pairHeads(): HTMLElement {
  return h(
    'div',
    { class: 'pair heads', 'aria-hidden': 'true' },
    h('span', {}, 'Before'),
    h('span', {}, 'After'),
  );
}

/** The conversation of the first run as one of its own. Its file may say something else now: its turns lead nowhere. */
export function beforeOf(snapshot: Snapshot, base: RecordedCase): Snapshot {
  const { reason: _, threshold: __, ...rest } = snapshot;
  const entries = base.conversation.entries.map((entry) => {
    if (entry.kind === 'system') return entry;
    const { source: ___, ...said } = entry;
    return said;
  });
  return { ...rest, ...base, conversation: { ...base.conversation, entries } };
}

type Sides<Value> = Readonly<Record<'base' | 'head', Value>>;

/** Each assertion, its verdict of each run below what became of it. */
export function assertionPairs(
  { assertions }: CaseComparison,
  rows: Sides<readonly AssertionRow[]>,
  render: Sides<(row: AssertionRow) => HTMLElement>,
  cache: ElementCache,
): HTMLElement[] {
  return assertions.map((one, index) => {
    const found = (of: 'base' | 'head') => rows[of][one[of] ?? -1];
    const [base, head] = [found('base'), found('head')];
    return cache.get(`pair ${index}`, [one, base, head], () =>
      assertionPair(one, base && render.base(base), head && render.head(head)),
    );
  });
}

function assertionPair(
  { change, text }: CaseComparison['assertions'][number],
  base: HTMLElement | undefined,
  head: HTMLElement | undefined,
): HTMLElement {
  for (const summary of base?.querySelectorAll<HTMLElement>('[data-focus]') ?? []) {
    summary.dataset.focus = `before ${summary.dataset.focus}`;
  }
  // What failed before is no failure to go to.
  base?.removeAttribute('data-failure');
  return h(
    'div',
    { class: 'pair', 'data-change': change },
    h('p', { class: 'change' }, iconOf(OUTCOME_ICONS[change]), `${OUTCOME_WORDS[change]}: ${text}`),
    side('Before', base, 'No verdict.'),
    side('After', head, 'No verdict.'),
  );
}

/** Two conversations, turn beside turn. */
export function pairItems(snapshot: Snapshot, base: Snapshot, options: PairOptions): Item[] {
  const { compared } = snapshot;
  const all = (given: ConversationOptions) => ({
    ...given,
    shown: { ...given.shown, filter: 'all' as const },
  });
  const before = placed(conversationItems(base, all(options.base)));
  const after = placed(conversationItems(snapshot, all(options.head)));
  const order = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  const items = order.flatMap((at): Item[] => {
    const [then, now] = [before.get(at), after.get(at)];
    const one = now ?? then;
    return one ? [pairItem(one, then, now, changeOf(at, compared), options.cache)] : [];
  });
  return options.head.shown.filter === 'failing' ? failingOf(items, options.cache) : items;
}

/** Places of what stands after a turn, among the turns. */
const STEP = 1e-4;

/** By the number of the turn; what stands between turns by a place behind the one before. */
function placed(items: readonly Item[]): Map<number, Item> {
  const found = new Map<number, Item>();
  let at = 0;
  for (const item of items) {
    const { kind, name } = item;
    at = kind === 'turn' ? Number(name.slice(turnName(0).length - 1)) : at + STEP;
    found.set(name === 'notes' ? Number.MAX_SAFE_INTEGER : at, item);
  }
  return found;
}

function changeOf(turn: number, compared: CaseComparison | undefined): ComparedOutcome | undefined {
  if (compared?.worse.includes(turn)) return 'worse';
  return compared?.better.includes(turn) ? 'better' : undefined;
}

function pairItem(
  one: Item,
  then: Item | undefined,
  now: Item | undefined,
  change: ComparedOutcome | undefined,
  cache: ElementCache,
): Item {
  const { kind, name } = one;
  const isTurn = kind === 'turn';
  const make = () => {
    const [before, after] = [then?.make(), now?.make()];
    const said = [
      isTurn ? `T${name.slice(1)}` : 'Between turns',
      change && OUTCOME_WORDS[change],
      before && `before: ${spokenOf(before)}`,
      after && `after: ${spokenOf(after)}`,
    ].filter((words) => words);
    const pair = cache.get(`pair ${name}`, [name, change], () =>
      h('div', {
        class: isTurn ? 'pair turns' : 'pair',
        role: isTurn ? 'article' : undefined,
        'data-focus': isTurn ? name : undefined,
        'data-change': change,
        tabindex: isTurn ? '-1' : undefined,
      }),
    );
    pair.setAttribute('aria-label', said.join(', '));
    const mark =
      change &&
      cache.get(`change ${name}`, change, () =>
        h('p', { class: 'change' }, iconOf(OUTCOME_ICONS[change]), change),
      );
    const sides = (
      [
        ['Before', before],
        ['After', after],
      ] as const
    ).map(([title, element]) => {
      const own = cache.get(`${title} ${name}`, element === undefined, () =>
        side(title, element, isTurn ? 'Nothing was said here.' : ''),
      );
      const label = own.firstElementChild;
      if (element && label) place(own, [label, element]);
      return own;
    });
    place(pair, [...(mark ? [mark] : []), ...sides]);
    return pair;
  };
  const height = Math.max(then?.height ?? 0, now?.height ?? 0);
  const failure = change !== undefined || (now?.failure ?? false);
  return { name: isTurn ? name : `pair ${name}`, kind, failure, height, make };
}

/** `Assistant, failed, score 0.00`: a turn's own name without its number. */
function spokenOf(element: HTMLElement): string {
  return (element.getAttribute('aria-label') ?? '').replace(/^Turn \d+, /, '');
}

function side(title: string, element: HTMLElement | undefined, none: string): HTMLElement {
  return h(
    'div',
    { class: 'side-of', role: 'group', 'aria-label': title },
    h('div', { class: 'label' }, title),
    element ?? h('p', { class: 'muted' }, none),
  );
}
