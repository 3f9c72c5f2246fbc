import type { Turn } from '../../src/core/conversation.ts';
import { badgeScoreText, scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/words.ts';
import type { TurnBadge } from '../../src/core/scoring.ts';
import { durationText } from '../../src/core/text/format.ts';
import {
  isFailure,
  type Quote,
  type Status,
  type TurnVerdict,
  type Verdict,
} from '../../src/core/verdict.ts';
import { h, spoken, toLine } from '../h.ts';
import type { LabelParts } from '../labels/labels.ts';
import { markQuotes, type Quotation } from '../marks.ts';
import { BADGE_WORDS, type BadgeStatus, badge } from './status.ts';
import { renderItems } from './turnItems.ts';

export interface TurnOptions {
  readonly rendered: boolean;
  /** True if something should have judged the turn and could not. */
  readonly unjudged: boolean;
  /** While it runs verdicts take their line and no more: what one reads would move. */
  readonly running: boolean;
  /** Whether more of it is to come. */
  readonly speaking: boolean;
  /** The words by which an assertion is known. */
  readonly titleOf: (verdict: Verdict) => string;
  /** Undefined where no file can be opened. */
  readonly onOpen: ((turn: number) => void) | undefined;
  /** What people say of a verdict; undefined where nothing can be labelled. */
  readonly labels: (verdict: Verdict, entry: TurnVerdict) => LabelParts | undefined;
}

/** The `data-focus` of a verdict about a turn. */
export function verdictName({ key }: LabelParts): string {
  return `verdict ${key}`;
}

const SIDES = { user: 'User', assistant: 'Assistant' } as const;

export function renderTurn(
  turn: Turn,
  found: TurnBadge | undefined,
  options: TurnOptions,
): HTMLElement {
  const { rendered, unjudged, running, speaking, onOpen } = options;
  const { number, latency, startup, source, history, fromCache } = turn;
  const side = SIDES[turn.side];
  const status: BadgeStatus | undefined = found?.status ?? (unjudged ? 'none' : undefined);
  const score = found && badgeScoreText(found);
  const openTools = running ? new Set<string>() : blamedWords(found?.entries ?? []);
  const body = renderItems(turn, { rendered, openTools });
  if (!running) markQuotes(body, found?.entries.flatMap(quotation) ?? []);
  const said = [
    `Turn ${number}`,
    side,
    history && 'history',
    fromCache && 'from the cache',
    status && BADGE_WORDS[status],
    score !== undefined && `score ${score}`,
  ];
  return h(
    'article',
    {
      class: `turn ${turn.side}`,
      'data-turn': String(number),
      'data-focus': `turn ${number}`,
      'data-status': status,
      tabindex: '-1',
      'aria-label': said.filter((words) => words).join(', '),
    },
    h(
      'header',
      {},
      h('span', { class: 'number' }, `${number}`),
      h('span', { class: 'side' }, side),
      history && h('span', { class: 'muted' }, 'history'),
      latency !== undefined && h('span', { class: 'muted' }, durationText(latency)),
      startup !== undefined && h('span', { class: 'muted' }, `started in ${durationText(startup)}`),
      fromCache && h('span', { class: 'muted' }, 'from the cache'),
      source &&
        toLine(
          `turn ${number}`,
          source.path,
          source.range.start.line + 1,
          onOpen && (() => onOpen(number)),
        ),
      status && badge(status, score),
    ),
    found?.error !== undefined && h('pre', { class: 'failed' }, found.error),
    body,
    found && found.entries.length > 0
      ? rationales(number, found, options)
      : running &&
          turn.side === 'assistant' &&
          h('div', { class: 'rationales waiting' }, speaking ? 'Replying …' : 'Verdicts: waiting'),
  );
}

function quotation({ entry }: TurnBadge['entries'][number]): Quotation[] {
  const { evidence, status } = entry;
  return evidence?.verified ? [{ text: evidence.text, status }] : [];
}

/** The words of what failed. Such an entry may say which tool was called wrongly and quote nothing. */
function blamedWords(entries: TurnBadge['entries']): ReadonlySet<string> {
  const said = entries.flatMap(({ entry }) => (isFailure(entry) ? [entry.rationale] : []));
  return new Set(said.join('\n').match(/[\p{L}\p{N}_./:-]*[\p{L}\p{N}_]/gu));
}

/** What a person has to act on comes first. */
const ORDER: readonly Status[] = ['fail', 'error', 'pass', 'skipped'];

/** What each assertion said about this turn; open where something went wrong, or people say that it did. */
function rationales(
  turn: number,
  { entries, status }: TurnBadge,
  { running, titleOf, labels }: TurnOptions,
): HTMLElement {
  const isWrong = entries.some(({ verdict, entry }) => labels(verdict, entry)?.isWrong);
  const grouped = ORDER.map((one) => entries.filter(({ entry }) => entry.status === one));
  const counts = grouped.flatMap(([first, ...others]) =>
    first ? [`${1 + others.length} ${STATUS_WORDS[first.entry.status]}`] : [],
  );
  return h(
    'details',
    {
      class: 'rationales',
      'data-key': `rationales ${turn}`,
      open: (isFailure({ status }) || isWrong) && !running,
    },
    h('summary', {}, `Verdicts: ${counts.join(', ')}`, spoken(` about turn ${turn}`)),
    ...grouped.flat().map(({ verdict, entry }) => {
      const scored = turnScore(entry, verdict);
      const parts = labels(verdict, entry);
      return h(
        'div',
        {
          class: 'rationale',
          'data-status': entry.status,
          ...(parts && verdictPlace(parts, [titleOf(verdict), entry.status, scored, turn])),
        },
        h(
          'div',
          { class: 'heading' },
          h('span', { class: 'name' }, titleOf(verdict)),
          badge(entry.status, scored),
          parts?.words !== undefined && h('span', { class: 'opinions' }, parts.words),
        ),
        entry.rationale !== '' && h('p', {}, entry.rationale),
        entry.evidence && quote(entry.evidence),
        parts?.make(),
      );
    }),
  );
}

/** A verdict about a turn gets the focus, for the keys that label it. */
function verdictPlace(
  parts: LabelParts,
  [title, status, score, turn]: readonly [string, Status, string | undefined, number],
) {
  const said = [
    title,
    STATUS_WORDS[status],
    score && `score ${score}`,
    `turn ${turn}`,
    parts.words,
  ];
  return {
    tabindex: '-1',
    role: 'group',
    'data-subject': parts.key,
    'data-focus': verdictName(parts),
    'aria-label': said.filter((words) => words).join(', '),
  };
}

function turnScore({ score }: TurnVerdict, { threshold }: Verdict): string | undefined {
  return score === null ? undefined : scoreText(score, threshold);
}

function quote({ text, verified }: Quote): HTMLElement {
  if (text.trim() === '') return h('p', { class: 'unverified' }, '⚠ The judge gave no quote.');
  const words = `“${text}”`;
  if (verified) return h('blockquote', {}, words);
  return h(
    'blockquote',
    { class: 'unverified' },
    words,
    h('div', {}, '⚠ Quote not found in this turn'),
  );
}
