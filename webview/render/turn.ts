import { agentOf, type SystemText, type Turn, type TurnItem } from '../../src/core/conversation.ts';
import { parseJson } from '../../src/core/data/data.ts';
import { unreachable } from '../../src/core/errors.ts';
import type { Image } from '../../src/core/image.ts';
import { agentName } from '../../src/core/presentation/agents.ts';
import { badgeScoreText, scoreText } from '../../src/core/presentation/score.ts';
import { STATUS_WORDS } from '../../src/core/presentation/words.ts';
import type { TurnBadge } from '../../src/core/scoring.ts';
import { isFailure } from '../../src/core/scoring.ts';
import { counted, durationText } from '../../src/core/text/format.ts';
import type { Quote, Status, TurnVerdict, Verdict } from '../../src/core/verdict.ts';
import { h, lineLink } from '../h.ts';
import type { LabelParts } from '../labels/labels.ts';
import { renderMarkdown } from '../markdown.ts';
import { markQuotes } from '../textIndex.ts';
import { BADGE_WORDS, type BadgeStatus, badge } from './status.ts';

export interface TurnOptions {
  readonly rendered: boolean;
  /** Whether the turn should have been judged but couldn't be. */
  readonly unjudged: boolean;
  /** While the case runs, verdicts stay collapsed, because expanding them would move the visible text. */
  readonly running: boolean;
  /** Whether the turn is incomplete. */
  readonly speaking: boolean;
  /** The turn's agents, each with the number of its color. */
  readonly agents: readonly (readonly [string, number])[];
  readonly titleOf: (verdict: Verdict) => string;
  /** Undefined if no file can be opened. */
  readonly onOpen: ((turn: number) => void) | undefined;
  /** Shows an image. @param key identifies it in the conversation */
  readonly image: (image: Image, key: string) => HTMLElement;
  /** The labels of a verdict; undefined if labeling isn't available. */
  readonly labels: (verdict: Verdict, entry: TurnVerdict) => LabelParts | undefined;
  readonly footer?: HTMLElement | undefined;
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
  const colors = new Map(options.agents);
  const { number, latency, startup, source, history, fromCache } = turn;
  const side = SIDES[turn.side];
  const status: BadgeStatus | undefined = found?.status ?? (unjudged ? 'none' : undefined);
  const score = found && badgeScoreText(found);
  const openTools = running ? new Set<string>() : blamedTools(found?.entries ?? []);
  const body = renderItems(turn, { rendered, openTools, colors, image: options.image });
  const agent = firstAgent(turn);
  const quotes = (found?.entries ?? []).flatMap(({ entry: { evidence, status } }) =>
    evidence?.verified ? [{ text: evidence.text, status }] : [],
  );
  if (!running) markQuotes(body, quotes);
  const names = [
    `Turn ${number}`,
    side,
    agent !== undefined && agentName(agent),
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
      'aria-label': names.filter((words) => words).join(', '),
    },
    h(
      'header',
      h('span', { class: 'number' }, `${number}`),
      h('span', { class: 'side' }, side),
      agent !== undefined && renderAgent(agent, colors),
      history && h('span', { class: 'muted' }, 'history'),
      latency !== undefined && h('span', { class: 'muted' }, durationText(latency)),
      startup !== undefined && h('span', { class: 'muted' }, `started in ${durationText(startup)}`),
      fromCache && h('span', { class: 'muted' }, 'from the cache'),
      source &&
        lineLink(
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
    options.footer,
  );
}

/** Words in failures' rationales, which may name a tool that was called wrongly. */
function blamedTools(entries: TurnBadge['entries']): ReadonlySet<string> {
  const texts = entries.flatMap(({ entry }) => (isFailure(entry) ? [entry.rationale] : []));
  const words = texts.join('\n').match(/[\p{L}\p{N}_./:-]+/gu) ?? [];
  return new Set(words.map((word) => word.replace(/(?<![./:-])[./:-]+$/, '')));
}

/** Statuses, most urgent first. */
const ORDER: readonly Status[] = ['fail', 'error', 'pass', 'skipped'];

/** The verdicts about this turn. They are expanded if one of them failed or a person disagrees. */
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
    h(
      'summary',
      `Verdicts: ${counts.join(', ')}`,
      h('span', { class: 'hidden' }, ` about turn ${turn}`),
    ),
    ...grouped
      .flat()
      .map(({ verdict, entry }) =>
        rationale(titleOf(verdict), verdict.threshold, entry, labels(verdict, entry)),
      ),
  );
}

/** A verdict. If it can be labeled, it is focusable, so that keys can label it. */
function rationale(
  title: string,
  threshold: number,
  { status, score, turn, rationale: text, evidence }: TurnVerdict,
  labels: LabelParts | undefined,
): HTMLElement {
  const scored = score === null ? undefined : scoreText(score, threshold);
  const names = [
    title,
    STATUS_WORDS[status],
    scored && `score ${scored}`,
    `turn ${turn}`,
    labels?.words,
  ];
  const focusable = labels && {
    tabindex: '-1',
    role: 'group',
    'data-subject': labels.key,
    'data-focus': verdictName(labels),
    'aria-label': names.filter((words) => words).join(', '),
  };
  return h(
    'div',
    { class: 'rationale', 'data-status': status, ...focusable },
    h(
      'div',
      { class: 'heading' },
      h('span', { class: 'name' }, title),
      badge(status, scored),
      labels?.words !== undefined && h('span', { class: 'opinions' }, labels.words),
    ),
    text !== '' && h('p', text),
    evidence && quote(evidence),
    labels?.make(),
  );
}

function quote({ text, verified }: Quote): HTMLElement {
  if (text.trim() === '') return h('p', { class: 'unverified' }, '⚠ The judge gave no quote.');
  const words = `“${text}”`;
  if (verified) return h('blockquote', words);
  const warning = h('div', '⚠ Quote not found in this turn');
  return h('blockquote', { class: 'unverified' }, words, warning);
}

/** Maximum length of expanded system text. Longer texts are collapsed. */
const MAX_OPEN_TEXT = 280;

interface ItemOptions {
  readonly rendered: boolean;
  /** Names of the tools whose calls are expanded. */
  readonly openTools: ReadonlySet<string>;
  readonly colors: ReadonlyMap<string, number>;
  readonly image: TurnOptions['image'];
}

function isAct({ kind }: TurnItem): boolean {
  return kind === 'text' || kind === 'tool-call';
}

/** The agent that begins a turn. */
function firstAgent({ items }: Pick<Turn, 'items'>): string | undefined {
  const first = items.find(isAct);
  return first && agentOf(first);
}

/** An agent's name after a dot in its color. */
function renderAgent(name: string, colors: ReadonlyMap<string, number>): HTMLElement {
  const color = `${colors.get(name) ?? 0}`;
  return h('span', { class: 'agent', 'data-color': color }, agentName(name));
}

/** A turn's text, tool calls, and handoffs, and its retrieved context. */
function renderItems({ number, items, retrievalContext }: Turn, options: ItemOptions): HTMLElement {
  const { colors } = options;
  const body = h('div', { class: 'body' });
  // The header names the first agent, and each handoff names the next one.
  let named = firstAgent({ items });
  for (const [index, item] of items.entries()) {
    const agent = agentOf(item);
    if (isAct(item) && agent !== named) {
      const name = agent === undefined ? 'Agent without a name' : renderAgent(agent, colors);
      body.append(h('div', { class: 'by label' }, name));
    }
    if (isAct(item)) named = agent;
    if (item.kind === 'handoff' && item.from !== undefined) named = item.to;
    body.append(renderItem(item, `${number}.${index}`, options));
  }
  if (!retrievalContext) return body;
  const context = h(
    'details',
    { class: 'tool', 'data-key': `context ${number}` },
    label('summary', `Retrieved context: ${counted(retrievalContext.length, 'text')}`),
    ...retrievalContext.map((text) => h('pre', text)),
  );
  body.append(context);
  return body;
}

function renderItem(
  item: TurnItem,
  key: string,
  { rendered, openTools, colors, image }: ItemOptions,
): HTMLElement {
  switch (item.kind) {
    case 'text': {
      const said = rendered
        ? h('div', { class: 'said' }, renderMarkdown(item.text))
        : h('div', { class: 'said source' }, item.text);
      const images = (item.images ?? []).map((one, index) => image(one, `${key}.${index}`));
      return images.length === 0 ? said : h('div', said, h('div', { class: 'images' }, ...images));
    }
    case 'system':
      return renderSystem(item, key);
    case 'handoff':
      return h(
        'div',
        { class: 'handoff' },
        label('span', item.from === undefined ? 'Handoff' : 'Handoff from '),
        item.from !== undefined && renderAgent(item.from, colors),
        label('span', ' to '),
        renderAgent(item.to, colors),
      );
    case 'tool-call': {
      const { call, result, latency } = item;
      return h(
        'details',
        { class: 'tool', 'data-key': `tool ${key}`, open: openTools.has(call.name) },
        h(
          'summary',
          label('span', 'Tool call '),
          h('code', call.name),
          latency !== undefined && label('span', ` ${durationText(latency)}`),
        ),
        h('pre', spacedJson(JSON.stringify(call.arguments) ?? '', call.arguments)),
        label('div', result === undefined ? 'No result' : 'Result'),
        result !== undefined && h('pre', spacedJson(result)),
      );
    }
    default:
      return unreachable(item);
  }
}

export function renderSystem({ role, text }: SystemText, key: string): HTMLElement {
  return h(
    'details',
    { class: 'system', 'data-key': `system ${key}`, open: text.length <= MAX_OPEN_TEXT },
    label('summary', `${role === 'system' ? 'System' : 'Developer'} text`),
    h('div', { class: 'source' }, text),
  );
}

/** The page's own words, which aren't searched for quotes. */
function label(tag: 'div' | 'span' | 'summary', words: string): HTMLElement {
  return h(tag, { class: 'label' }, words);
}

/** Maximum number of characters of indentation per character of JSON. */
const MAX_INDENTATION = 10;

/** Formats JSON if that changes only white space. A number such as `12345678901234567890` would change. */
function spacedJson(text: string, value: unknown = parseJson(text)): string {
  // The indentation of deeply nested lists can be hundreds of times as long as their text.
  if (indentationOf(value) > MAX_INDENTATION * text.length) return text;
  const spaced = JSON.stringify(value, null, 2) ?? text;
  return withoutSpaces(spaced) === withoutSpaces(text) ? spaced : text;
}

/** Number of characters of line breaks and indentation in a value's JSON. */
function indentationOf(value: unknown, depth = 1): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries: unknown[] = Object.values(value);
  return entries.reduce<number>(
    (sum, entry) => sum + 2 * depth + 1 + indentationOf(entry, depth + 1),
    2 * depth,
  );
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}
