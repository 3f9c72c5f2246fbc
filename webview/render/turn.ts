import type { SystemText, Turn, TurnItem } from '../../src/core/conversation.ts';
import { counted, durationText } from '../../src/core/presentation/amounts.ts';
import { badgeScoreText, scoreText } from '../../src/core/presentation/score.ts';
import { visibleText } from '../../src/core/presentation/visibleText.ts';
import { type TurnBadge, turnBadge } from '../../src/core/scoring.ts';
import { unreachable } from '../../src/core/unreachable.ts';
import type { TurnVerdict, Verdict } from '../../src/core/verdict.ts';
import { h } from '../h.ts';
import { highlight } from '../highlight.ts';
import { renderMarkdown } from '../markdown.ts';
import { badge } from './status.ts';

export interface TurnActions {
  readonly rendered: boolean;
  readonly onOpen: (turn: number) => void;
}

/** A long system text is folded: it is rarely what one looks for. */
const SHORT = 280;

export function renderTurn(
  turn: Turn,
  verdicts: readonly Verdict[],
  { rendered, onOpen }: TurnActions,
): HTMLElement {
  const found = turnBadge(verdicts, turn.number);
  const open = h(
    'button',
    { class: 'link', type: 'button', title: 'Show this turn in the file' },
    'Go to line',
  );
  open.addEventListener('click', () => onOpen(turn.number));
  const body = h('div', { class: 'body' }, ...turn.items.map((item) => renderItem(item, rendered)));
  const quotes = found?.entries.flatMap(({ entry: { evidence } }) =>
    evidence?.verified ? [visibleText(evidence.text)] : [],
  );
  for (const said of body.querySelectorAll<HTMLElement>('.said')) highlight(said, quotes ?? []);
  const side = turn.side === 'user' ? 'User' : 'Assistant';
  return h(
    'article',
    {
      class: `turn ${turn.side}`,
      'data-turn': String(turn.number),
      'data-focus': `turn ${turn.number}`,
      'data-status': found?.status ?? 'none',
      tabindex: '-1',
      'aria-label': `Turn ${turn.number}, ${side}`,
    },
    h(
      'header',
      {},
      h('span', { class: 'number' }, `${turn.number}`),
      h('span', { class: 'side' }, side),
      turn.latency !== undefined && h('span', { class: 'muted' }, durationText(turn.latency)),
      turn.source && open,
      badge(found?.status ?? 'none', found && badgeScoreText(found)),
    ),
    body,
    turn.retrievalContext && retrieval(turn.number, turn.retrievalContext),
    found && rationales(turn.number, found),
  );
}

function renderItem(item: TurnItem, rendered: boolean): HTMLElement {
  switch (item.kind) {
    case 'text':
      return said(item.text, rendered);
    case 'system':
      return renderSystem(item);
    case 'tool-call': {
      const { call, result } = item;
      return h(
        'details',
        { class: 'tool', 'data-key': `tool ${call.id}` },
        h('summary', {}, h('span', { class: 'label' }, 'Tool call'), ` ${call.name}`),
        h('pre', { class: 'said' }, JSON.stringify(call.arguments, null, 2) ?? ''),
        h('div', { class: 'label' }, result === undefined ? 'No result' : 'Result'),
        result !== undefined && h('pre', { class: 'said' }, pretty(result)),
      );
    }
    default:
      return unreachable(item);
  }
}

function said(text: string, rendered: boolean): HTMLElement {
  if (!rendered) return h('div', { class: 'said source' }, text);
  return h('div', { class: 'said' }, renderMarkdown(text));
}

export function renderSystem({ role, text }: SystemText): HTMLElement {
  return h(
    'details',
    { class: 'system', 'data-key': `system ${text.slice(0, 40)}`, open: text.length <= SHORT },
    h('summary', {}, `${role === 'system' ? 'System' : 'Developer'} text`),
    h('div', { class: 'said source' }, text),
  );
}

function retrieval(turn: number, context: readonly string[]): HTMLElement {
  return h(
    'details',
    { class: 'tool', 'data-key': `context ${turn}` },
    h('summary', {}, `Retrieved context (${context.length})`),
    ...context.map((text) => h('pre', {}, text)),
  );
}

/** What each assertion said about this turn; open where something went wrong. */
function rationales(turn: number, { entries, status }: TurnBadge): HTMLElement {
  const trouble = status === 'fail' || status === 'error';
  return h(
    'details',
    { class: 'rationales', 'data-key': `rationales ${turn}`, open: trouble },
    h('summary', {}, counted(entries.length, 'verdict')),
    ...entries.map(({ verdict, entry }) =>
      h(
        'div',
        { class: 'rationale', 'data-status': entry.status },
        h(
          'div',
          { class: 'heading' },
          h('span', { class: 'name' }, verdict.assertion.name),
          badge(entry.status, turnScore(entry, verdict)),
        ),
        h('p', {}, entry.rationale),
        entry.evidence && quote(entry.evidence.text, entry.evidence.verified),
      ),
    ),
  );
}

function turnScore({ score }: TurnVerdict, { threshold }: Verdict): string | undefined {
  return score === null ? undefined : scoreText(score, threshold);
}

function quote(text: string, verified: boolean): HTMLElement {
  if (text.trim() === '') return h('p', { class: 'unverified' }, '⚠ The judge gave no quote.');
  const words = `“${text}”`;
  if (verified) return h('blockquote', {}, words);
  return h(
    'blockquote',
    { class: 'unverified' },
    words,
    h('div', {}, '⚠ quote not found in this turn'),
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
