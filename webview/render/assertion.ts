import { scoreText, thresholdText } from '../../src/core/presentation/score.ts';
import {
  type PathStep,
  pathOf,
  samplesText,
  togetherText,
  verdictText,
} from '../../src/core/presentation/verdictText.ts';
import { isFailure } from '../../src/core/scoring.ts';
import { cacheText } from '../../src/core/text/format.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { type Child, h, lineLink, link } from '../h.ts';
import type { LabelParts } from '../labels/labels.ts';
import { type AssertionRow, briefOf, nestedRows, renderStated, titleOf } from './stated.ts';
import { type BadgeStatus, badge } from './status.ts';

export interface AssertionOptions {
  /** While the case runs, nothing expands by itself, because that would move the visible text. */
  readonly running: boolean;
  /** Whether the case has changed since it was judged. */
  readonly stale: boolean;
  readonly turns: CitedTurns;
  /** Undefined if no file can be opened. */
  readonly onOpen: ((index: number) => void) | undefined;
  /** The labels of a verdict; undefined if labeling isn't available. */
  readonly labels: (verdict: Verdict) => LabelParts | undefined;
  /** Shows the request to the judge, identified by an assertion's key; undefined if that isn't available. */
  readonly onRequest: ((key: string) => void) | undefined;
}

/** Failures and disputed verdicts are expanded once the case has ended. */
export function renderAssertion(row: AssertionRow, options: AssertionOptions): HTMLElement {
  const { index, verdict, stated } = row;
  const { onOpen } = options;
  const { path = '', line = 1 } = verdict?.assertion ?? stated ?? {};
  const open = onOpen && (() => onOpen(index));
  return renderRow(row, `${index}`, options, lineLink(titleOf(row), path, line, open));
}

/** @param key identifies the row's parts in the next snapshot */
function renderRow(
  row: AssertionRow,
  key: string,
  options: AssertionOptions,
  open?: HTMLElement,
): HTMLElement {
  const { verdict } = row;
  const { turns } = options;
  const title = titleOf(row);
  const why = verdict?.rationale ?? '';
  const labels = verdict && options.labels(verdict);
  const badgeStatus = verdict?.status ?? (options.running ? 'waiting' : 'none');
  const failing = verdict !== undefined && isFailure(verdict);
  const aboutTurns = verdict?.turns.some(isFailure) ?? false;
  const nested = nestedRows(row, options.stale).map((one, index) =>
    renderRow(one, `${key}.${index}`, options),
  );
  return h(
    'details',
    {
      class: 'assertion',
      'data-key': `assertion ${key}`,
      'data-status': badgeStatus,
      'data-failure': failing && !aboutTurns && open !== undefined,
      'data-subject': labels?.key,
      open: verdict && !options.running && (failing || isCalledWrong(verdict, options)),
    },
    summary(row, key, badgeStatus, labels?.words),
    verdict && facts(verdict, row.cached ?? false),
    renderStated(row, key),
    why !== '' && h('p', { class: 'why' }, ...withLinks(why, { key: `why ${key}`, title }, turns)),
    verdict && renderPath(pathOf(verdict)),
    nested.length > 0 && h('div', { class: 'nested' }, ...nested),
    verdict && renderCited('misses', verdict.misses, { key, title }, turns),
    verdict && renderCited('hits', verdict.hits, { key, title }, turns),
    verdict && details(verdict, key),
    labels?.make(),
    open,
    verdict && judgeRequestLink(verdict, title, options),
  );
}

/** Whether a person disagrees with the verdict or with a nested one. */
function isCalledWrong(verdict: Verdict, options: AssertionOptions): boolean {
  const isWrong = options.labels(verdict)?.isWrong === true;
  return isWrong || (verdict.nested ?? []).some((one) => isCalledWrong(one, options));
}

/**
 * The assertion on one line. Its height doesn't depend on the verdict, so that nothing moves when the verdict arrives.
 */
function summary(
  row: AssertionRow,
  key: string,
  status: BadgeStatus,
  opinions: string | undefined,
): HTMLElement {
  const { verdict } = row;
  const brief = briefOf(row);
  const scored = scoreOf(verdict);
  const outcome = verdict && scored !== undefined ? verdictText(verdict) : scored;
  return h(
    'summary',
    { 'data-focus': `assertion ${key}` },
    badge(status, scored),
    h('span', { class: 'name' }, titleOf(row)),
    brief !== undefined && h('span', { class: 'brief' }, brief),
    outcome !== scored && h('span', { class: 'outcome' }, outcome),
    verdict?.judge?.unstable && h('span', { class: 'outcome' }, '⚠ unstable'),
    opinions !== undefined && h('span', { class: 'opinions' }, opinions),
  );
}

function scoreOf(verdict: Verdict | undefined): string | undefined {
  if (!verdict || verdict.score === null) return undefined;
  return scoreText(verdict.score, verdict.threshold);
}

/** `threshold 0.50 · required` */
function facts(verdict: Verdict, cached: boolean): HTMLElement {
  const { assertion, score, reason, judge, usage } = verdict;
  const known = [
    score === null ? undefined : `threshold ${thresholdText(verdict)}`,
    samplesText(verdict),
    togetherText(verdict),
    assertion.required ? 'required' : undefined,
    assertion.weight === 1 ? undefined : `weight ${assertion.weight}`,
    reason,
    judge?.model,
    cached ? 'from the cache' : cacheText(usage),
  ];
  return h('div', { class: 'muted' }, known.filter((fact) => fact !== undefined).join(' · '));
}

function judgeRequestLink(
  { judge, assertion }: Verdict,
  title: string,
  { onRequest }: AssertionOptions,
) {
  const { key } = assertion;
  if (!judge || key === undefined || !onRequest) return undefined;
  return link('What the judge saw', `What the judge saw for ${title}`, () => onRequest(key));
}

/** The cited turns. Hits are collapsed, because users look for misses. */
function renderCited(
  what: 'misses' | 'hits',
  lines: readonly string[],
  { key, title }: Citing,
  turns: CitedTurns,
): HTMLElement | undefined {
  if (lines.length === 0) return undefined;
  const name = `${what} ${key}`;
  const list = renderCitations(lines, { key: name, title }, turns);
  const words = (heading: string) => `${heading} (${lines.length})`;
  return what === 'misses'
    ? h('div', { class: what }, h('div', { class: 'label' }, words('What failed')), ...list)
    : h('details', { class: what, 'data-key': name }, h('summary', words('What passed')), ...list);
}

function details({ details }: Verdict, key: string): HTMLElement | undefined {
  if (Object.keys(details).length === 0) return undefined;
  return h(
    'details',
    { class: 'raw', 'data-key': `details ${key}` },
    h('summary', 'Details'),
    h('pre', JSON.stringify(details, null, 2)),
  );
}

/** The path through a decision graph, as a list of questions and answers. */
function renderPath(path: readonly PathStep[]): HTMLElement | undefined {
  if (path.length === 0) return undefined;
  return h(
    'ol',
    { class: 'path', 'aria-label': 'Path through the graph' },
    ...path.map(({ node, asked, answer, why }) =>
      h(
        'li',
        h('span', { class: 'name' }, node),
        ` ${asked} `,
        h('span', { class: 'outcome' }, answer),
        h('p', { class: 'muted' }, why),
      ),
    ),
  );
}

interface CitedTurns {
  readonly numbers: ReadonlySet<number>;
  readonly onFollow: (turn: number) => void;
}

/** The source of citations. */
interface Citing {
  /** Identifies the citations' parts in the next snapshot. */
  readonly key: string;
  readonly title: string;
}

/** Maximum number of visible citations. The rest are collapsed: a list of hundreds would hide everything below it. */
const MAX_CITATIONS = 10;

/** Lines such as `Turn 6: forgot the order`, with the turns as links. */
function renderCitations(
  lines: readonly string[],
  { key, title }: Citing,
  turns: CitedTurns,
): HTMLElement[] {
  const items = lines.map((line, index) =>
    h('li', ...withLinks(line, { key: `${key}.${index}`, title }, turns)),
  );
  const rest = items.splice(MAX_CITATIONS);
  const first = h('ul', ...items);
  return rest.length === 0 ? [first] : [first, folded(rest.length, key, h('ul', ...rest))];
}

/** `turn 6`, `Turns 2, 4 and 7` */
const CITED = /\bturns? \d+(?:(?:, | and )\d+)*/gi;

/** Text in which cited turns are links. */
function withLinks(text: string, { key, title }: Citing, turns: CitedTurns): Child[] {
  const linked = (words: string, digits: string) => turnLink(words, Number(digits), title, turns);
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: cited, index } of text.matchAll(CITED)) {
    parts.push(text.slice(end, index));
    end = index + cited.length;
    // `Turns 2`, `, 4`, ` and 7`
    const each = [...cited.matchAll(/(\D+)(\d+)/gy)];
    const links = each.map(([whole, before = '', digits = '']) =>
      each.length === 1 ? [linked(whole, digits)] : [before, linked(digits, digits)],
    );
    const rest = links.splice(MAX_CITATIONS);
    parts.push(...links.flat());
    if (rest.length === 0) continue;
    const [, ...others] = rest.flat();
    parts.push(' ', folded(rest.length, `${key} at ${index}`, ' (', ...others, ')'));
  }
  return [...parts, text.slice(end)];
}

function turnLink(words: string, number: number, title: string, turns: CitedTurns): Child {
  if (!turns.numbers.has(number)) return words;
  return link(words, `Turn ${number}, ${title}`, () => turns.onFollow(number));
}

function folded(count: number, key: string, ...rest: readonly Child[]): HTMLElement {
  const attributes = { class: 'more', 'data-key': `more ${key}` };
  return h('details', attributes, h('summary', `and ${count} more`), ...rest);
}
