import { counted } from '../../src/core/presentation/amounts.ts';
import { badgeOf, entriesByTurn } from '../../src/core/scoring.ts';
import { unreachable } from '../../src/core/unreachable.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { isRunning } from '../../src/protocol/running.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';
import type { Kept } from '../kept.ts';
import type { Shown } from './toolbar.ts';
import { renderTurn } from './turn.ts';
import { renderSystem } from './turnItems.ts';

export interface ConversationOptions {
  readonly shown: Shown;
  readonly kept: Kept;
  readonly titleOf: (verdict: Verdict) => string;
  /** Undefined where no file can be opened. */
  readonly onOpen: ((turn: number) => void) | undefined;
}

/** What was said, or why there is nothing to see. */
export function renderConversation(
  snapshot: Snapshot,
  options: ConversationOptions,
): HTMLElement[] {
  const { entries, notes } = snapshot.conversation;
  if (entries.length === 0) return [h('p', { class: 'empty' }, emptyWords(snapshot))];
  const elements = entryElements(snapshot, options);
  const shown = options.shown.filter === 'failing' ? failingOf(elements) : elements;
  const turns = shown.filter((element) => element.matches('.turn'));
  for (const [index, turn] of turns.entries()) turn.tabIndex = index === 0 ? 0 : -1;
  if (notes.length === 0) return shown;
  return [...shown, h('ul', { class: 'notes' }, ...notes.map((note) => h('li', {}, note)))];
}

function entryElements(
  { conversation, verdicts, phase, speaking }: Snapshot,
  { shown: { rendered }, kept, titleOf, onOpen }: ConversationOptions,
): HTMLElement[] {
  const said = entriesByTurn(verdicts);
  const running = isRunning(phase);
  // Such a verdict would have been about the replies.
  const missing =
    phase === 'finished' &&
    verdicts.some(({ status, turns }) => status === 'error' && turns.length === 0);
  return conversation.entries.map((entry, index) => {
    if (entry.kind === 'system') {
      return kept.get(`system ${index}`, entry, () => renderSystem(entry, `${index}`));
    }
    const about = said.get(entry.number) ?? [];
    const unjudged = missing && entry.side === 'assistant';
    const told = about.map((one) => [titleOf(one.verdict), one.verdict.threshold, one.entry]);
    const options = { rendered, unjudged, running, speaking: entry.number === speaking };
    return kept.get(`turn ${entry.number}`, [entry, told, options], () =>
      renderTurn(entry, badgeOf(about), { ...options, titleOf, onOpen }),
    );
  });
}

/** Each turn that fails with the turn that it answers, and how many are left out between. */
function failingOf(elements: readonly HTMLElement[]): HTMLElement[] {
  const turns = elements.filter((element) => element.matches('.turn'));
  const fails = turns.map(({ dataset: { status } }) => status === 'fail' || status === 'error');
  if (!fails.includes(true)) return [h('p', { class: 'empty' }, 'No failing turns.')];
  const shown: HTMLElement[] = [];
  let hidden = 0;
  const tell = () => {
    if (hidden > 0) shown.push(h('p', { class: 'gap' }, `${counted(hidden, 'turn')} not shown`));
    hidden = 0;
  };
  for (const [index, turn] of turns.entries()) {
    if (!fails[index] && !fails[index + 1]) {
      hidden += 1;
      continue;
    }
    tell();
    shown.push(turn);
  }
  tell();
  return shown;
}

function emptyWords({ phase, reason }: Snapshot): string {
  switch (phase) {
    case 'new':
      return reason === undefined
        ? 'This case has not run yet. Run it to see the conversation and verdicts.'
        : 'There is nothing to show yet.';
    case 'queued':
    case 'running':
      return 'Nothing has been said yet.';
    case 'cancelled':
    case 'finished':
      return 'Nothing was said.';
    default:
      return unreachable(phase);
  }
}
