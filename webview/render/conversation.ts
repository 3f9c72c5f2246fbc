import { agentsIn, type Conversation, type Turn, turnsOf } from '../../src/core/conversation.ts';
import { badgeOf, entriesByTurn, failedBadge, isFailure } from '../../src/core/scoring.ts';
import { counted } from '../../src/core/text/format.ts';

import { isRunning } from '../../src/protocol/viewPage.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import type { ElementCache } from '../redraw.ts';
import type { Item } from '../virtualList.ts';
import type { Shown } from './toolbar.ts';
import { renderSystem, renderTurn, type TurnOptions, verdictName } from './turn.ts';

export interface ConversationOptions
  extends Pick<TurnOptions, 'titleOf' | 'onOpen' | 'labels' | 'image'> {
  readonly shown: Shown;
  readonly cache: ElementCache;
  /** Agents that get the first colors, so that their colors are the same in two conversations. Default: none. */
  readonly agents?: readonly string[];
  /** What to show below a turn, and everything that it depends on. Default: nothing. */
  readonly footer?: (turn: Turn) => { readonly shown: unknown; readonly make: () => HTMLElement };
}

/** A conversation as a snapshot without verdicts. */
export function withoutVerdicts(title: string, conversation: Conversation): Snapshot {
  return {
    state: { file: '', id: title, repetition: 1 },
    phase: 'finished',
    suiteName: '',
    repetitions: 1,
    score: null,
    conversation,
    assertions: [],
    verdicts: [],
  };
}

/** A turn's name in the list, which is also its `data-focus`. */
export function turnName(number: number): string {
  return `turn ${number}`;
}

/** A conversation's turns, or an explanation of why there are none. */
export function conversationItems(snapshot: Snapshot, options: ConversationOptions): Item[] {
  const { entries, notes } = snapshot.conversation;
  const { cache, shown } = options;
  if (entries.length === 0) return [noteItem('empty', emptyWords(snapshot), cache)];
  const items = entryItems(snapshot, options);
  const wanted = shown.filter === 'failing' ? failingOf(items, cache) : items;
  if (notes.length === 0) return wanted;
  const list = () => h('ul', { class: 'notes' }, ...notes.map((text) => h('li', text)));
  const make = () => cache.get('notes', notes, list);
  return [...wanted, { name: 'notes', kind: 'other', failure: false, height: 60, make }];
}

function entryItems(
  { conversation, verdicts, phase, speaking }: Snapshot,
  options: ConversationOptions,
): Item[] {
  const { cache, agents: first = [], titleOf, onOpen, labels, image } = options;
  const { rendered } = options.shown;
  const judged = entriesByTurn(verdicts);
  const colors = colorsOf([...first, ...agentsIn(turnsOf(conversation))]);
  const running = isRunning(phase);
  // If the whole conversation couldn't be judged, its replies may not have been judged, either.
  const missing =
    phase === 'finished' &&
    verdicts.some(({ status, turns }) => status === 'error' && turns.length === 0);
  return conversation.entries.map((entry, index): Item => {
    if (entry.kind === 'system') {
      const name = `system ${index}`;
      const make = () => cache.get(name, entry, () => renderSystem(entry, `${index}`));
      return { name, kind: 'other', failure: false, height: 60, make };
    }
    const name = turnName(entry.number);
    const about = judged.get(entry.number) ?? [];
    const found =
      badgeOf(about) ?? (entry.error === undefined ? undefined : failedBadge(entry.error));
    const unjudged = missing && entry.side === 'assistant';
    const agents = agentsIn([entry]).map((name) => [name, colors.get(name) ?? 0] as const);
    const shown = { rendered, unjudged, running, speaking: entry.number === speaking, agents };
    const footer = options.footer?.(entry);
    const make = () => {
      const verdicts = about.map((one) => [
        titleOf(one.verdict),
        one.verdict.threshold,
        one.entry,
        labels(one.verdict, one.entry)?.shown,
      ]);
      return cache.get(name, [entry, verdicts, shown, footer?.shown], () =>
        renderTurn(entry, found, {
          ...shown,
          titleOf,
          onOpen,
          labels,
          image,
          footer: footer?.make(),
        }),
      );
    };
    const inner = about.flatMap((one) => {
      const parts = labels(one.verdict, one.entry);
      return parts ? [verdictName(parts)] : [];
    });
    const failure = found !== undefined && isFailure(found);
    const badge = found?.status ?? (entry.side === 'assistant' ? 'none' : undefined);
    return { name, kind: 'turn', failure, badge, inner, height: estimateHeight(entry), make };
  });
}

/** The number of agent colors in `turns.css`. */
const COLORS = 6;

/** Each agent's color, assigned in order of appearance. */
function colorsOf(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(names)].map((name, index) => [name, index % COLORS]));
}

/** Estimates a turn's height, assuming lines of about 90 characters below a header. */
function estimateHeight({ items }: Turn): number {
  const letters = items.reduce((sum, item) => sum + ('text' in item ? item.text.length : 90), 0);
  return 70 + 20 * Math.ceil(letters / 90);
}

/** Failing turns, the turns that they answer, and the number of turns omitted in between. */
export function failingOf(items: readonly Item[], cache: ElementCache): Item[] {
  const turns = items.filter(({ kind }) => kind === 'turn');
  if (!turns.some(({ failure }) => failure)) return [noteItem('empty', 'No failing turns.', cache)];
  const shown: Item[] = [];
  let hidden = 0;
  const addGap = () => {
    const words = `${counted(hidden, 'turn')} not shown`;
    if (hidden > 0) shown.push(noteItem('gap', words, cache, shown.length));
    hidden = 0;
  };
  for (const [index, turn] of turns.entries()) {
    if (!turn.failure && !turns[index + 1]?.failure) {
      hidden += 1;
      continue;
    }
    addGap();
    shown.push(turn);
  }
  addGap();
  return shown;
}

/** A line of text between turns. */
function noteItem(style: 'empty' | 'gap', words: string, cache: ElementCache, index = 0): Item {
  const name = `${style} ${index}`;
  const make = () => cache.get(name, words, () => h('p', { class: style }, words));
  return { name, kind: 'other', failure: false, height: 20, make };
}

function emptyWords({ phase, reason }: Snapshot): string {
  if (phase !== 'new') return isRunning(phase) ? 'Nothing has been said yet.' : 'Nothing was said.';
  return reason === undefined
    ? 'This case has not run yet. Run it to see the conversation and verdicts.'
    : 'There is nothing to show yet.';
}
