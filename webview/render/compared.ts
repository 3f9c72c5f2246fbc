import { agentsIn, turnsOf } from '../../src/core/conversation.ts';
import {
  type ComparedOutcome,
  OUTCOME_ICONS,
  OUTCOME_WORDS,
} from '../../src/core/presentation/words.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import type { CaseComparison, RecordedCase, Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import { type ElementCache, setChildren } from '../redraw.ts';
import type { Item } from '../virtualList.ts';
import { renderAssertion } from './assertion.ts';
import {
  type ConversationOptions,
  conversationItems,
  failingOf,
  turnName,
} from './conversation.ts';
import { type AssertionRow, assertionRows, titleAmong } from './stated.ts';
import { badge, iconOf } from './status.ts';

interface ComparedOptions extends ConversationOptions {
  /** Cache for the first run's conversation; `cache` is for everything else. */
  readonly cacheOfBase: ElementCache;
  /** Scrolls to a turn. */
  readonly onFollow: (turn: number) => void;
  /** Undefined if no file can be opened. */
  readonly onAssertion: ((index: number) => void) | undefined;
}

/** The elements of a comparison. */
interface ComparedParts {
  readonly above: readonly HTMLElement[];
  readonly heads: readonly HTMLElement[];
  /** Replaces the parts for a single run; absent if only one of the runs has the case. */
  readonly pair?: { readonly verdicts: readonly HTMLElement[]; readonly items: readonly Item[] };
}

/** A case in two runs: a summary of both, and their conversations side by side. */
export function comparedParts(snapshot: Snapshot, options: ComparedOptions): ComparedParts {
  const { compared } = snapshot;
  const { cache, cacheOfBase } = options;
  if (!compared) return { above: [], heads: [] };
  const above = [cache.get('compared', compared, () => renderCompared(compared, snapshot))];
  if (!compared.base) return { above, heads: [] };
  const before = beforeOf(snapshot, compared.base);
  const rows = { base: assertionRows(before), head: assertionRows(snapshot) };
  const render = { base: rowIn(before, options), head: rowIn(snapshot, options) };
  const base = {
    ...options,
    cache: cacheOfBase,
    titleOf: (verdict: Verdict) => titleAmong(rows.base, verdict),
    onOpen: undefined,
  };
  return {
    above,
    heads: [cache.get('heads', '', pairHeads)],
    pair: {
      verdicts: assertionPairs(compared, rows, render, cache),
      items: pairItems(snapshot, before, { base, head: options }),
    },
  };
}

/** Returns a function that renders a conversation's verdicts. */
function rowIn(
  { conversation }: Snapshot,
  { onFollow, onAssertion }: ComparedOptions,
): (row: AssertionRow) => HTMLElement {
  const numbers = new Set(turnsOf(conversation).map(({ number }) => number));
  const turns = { numbers, onFollow };
  const none = { labels: () => undefined, onRequest: undefined };
  const options = { running: false, stale: false, turns, onOpen: onAssertion, ...none };
  return (row) => renderAssertion(row, options);
}

/** The names of the compared runs, and how the case changed. */
function renderCompared(
  { change, spoken, before, after, base }: CaseComparison,
  { status }: Pick<Snapshot, 'status'>,
): HTMLElement {
  const run = (name: string, words: string, ended: RecordedCase['status']) =>
    h('div', h('span', { class: 'label' }, name), ` ${words} `, ended && badge(ended));
  return h(
    'div',
    { class: 'compared' },
    h('p', { class: 'sentence', 'data-change': change }, iconOf(OUTCOME_ICONS[change]), spoken),
    run('Before:', before, base ? base.status : change === 'gone' ? status : undefined),
    run('After:', after, change === 'gone' ? undefined : status),
  );
}

/** The headings of the two columns. */
function pairHeads(): HTMLElement {
  return h(
    'div',
    { class: 'pair heads', 'aria-hidden': 'true' },
    h('span', 'Before'),
    h('span', 'After'),
  );
}

/** The snapshot of the first run. Its turns have no links, because the file may have changed. */
function beforeOf(snapshot: Snapshot, base: RecordedCase): Snapshot {
  const { reason: _, threshold: __, ...rest } = snapshot;
  const entries = base.conversation.entries.map((entry) => {
    if (entry.kind === 'system') return entry;
    const { source: ___, ...unlinked } = entry;
    return unlinked;
  });
  return { ...rest, ...base, conversation: { ...base.conversation, entries } };
}

type Sides<Value> = Readonly<Record<'base' | 'head', Value>>;

/** Each assertion with both runs' verdicts. */
function assertionPairs(
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
  // Navigation skips the earlier run's failures.
  base?.removeAttribute('data-failure');
  return h(
    'div',
    { class: 'pair', 'data-change': change },
    h('p', { class: 'change' }, iconOf(OUTCOME_ICONS[change]), `${OUTCOME_WORDS[change]}: ${text}`),
    side('Before', base, 'No verdict.'),
    side('After', head, 'No verdict.'),
  );
}

/** Two conversations' turns, side by side. */
function pairItems(
  snapshot: Snapshot,
  base: Snapshot,
  options: Sides<ConversationOptions>,
): Item[] {
  const { compared } = snapshot;
  const { cache, shown } = options.head;
  const agents = agentsIn([...turnsOf(base.conversation), ...turnsOf(snapshot.conversation)]);
  const all = (given: ConversationOptions) => ({
    ...given,
    agents,
    shown: { ...given.shown, filter: 'all' as const },
  });
  const before = byPosition(conversationItems(base, all(options.base)));
  const after = byPosition(conversationItems(snapshot, all(options.head)));
  const order = [...new Set([...before.keys(), ...after.keys()])].sort((a, b) => a - b);
  const items = order.flatMap((at): Item[] => {
    const [then, now] = [before.get(at), after.get(at)];
    const one = now ?? then;
    return one ? [pairItem(one, then, now, changeOf(at, compared), cache)] : [];
  });
  return shown.filter === 'failing' ? failingOf(items, cache) : items;
}

/** Distance between the positions of items that follow the same turn. */
const STEP = 1e-4;

/** Items by turn number. Other items directly follow the preceding turn. */
function byPosition(items: readonly Item[]): Map<number, Item> {
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
    const names = [
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
    pair.setAttribute('aria-label', names.join(', '));
    const mark =
      change &&
      cache.get(`change ${name}`, change, () =>
        h('p', { class: 'change' }, iconOf(OUTCOME_ICONS[change]), change),
      );
    const sideOf = (title: string, element: HTMLElement | undefined) => {
      const own = cache.get(`${title} ${name}`, element === undefined, () =>
        side(title, element, isTurn ? 'Nothing was said here.' : ''),
      );
      const label = own.firstElementChild;
      if (element && label) setChildren(own, [label, element]);
      return own;
    };
    const sides = [sideOf('Before', before), sideOf('After', after)];
    setChildren(pair, [...(mark ? [mark] : []), ...sides]);
    return pair;
  };
  const height = Math.max(then?.height ?? 0, now?.height ?? 0);
  const failure = change !== undefined || (now?.failure ?? false);
  return { name: isTurn ? name : `pair ${name}`, kind, failure, height, make };
}

/** The name of a turn without its number: `Assistant, failed, score 0.00`. */
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
