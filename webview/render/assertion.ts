import { scoreText, thresholdText } from '../../src/core/presentation/score.ts';
import {
  type PathStep,
  pathOf,
  samplesText,
  togetherText,
  verdictText,
} from '../../src/core/presentation/verdictText.ts';
import { cacheText } from '../../src/core/text/format.ts';
import { isFailure, type Verdict } from '../../src/core/verdict.ts';
import { h, link, toLine } from '../h.ts';
import type { LabelParts } from '../labels/labels.ts';
import { type CitedTurns, renderCitations, withLinks } from './citations.ts';
import { type AssertionRow, briefOf, nestedRows, renderStated, titleOf } from './stated.ts';
import { type BadgeStatus, badge } from './status.ts';

export interface AssertionOptions {
  /** While it runs nothing opens by itself: what one reads would move. */
  readonly running: boolean;
  /** True if the case has changed since it was judged. */
  readonly stale: boolean;
  readonly turns: CitedTurns;
  /** Undefined where no file can be opened. */
  readonly onOpen: ((index: number) => void) | undefined;
  /** What people say of a verdict; undefined where it cannot be labelled. */
  readonly labels: (verdict: Verdict) => LabelParts | undefined;
  /** Shows what the judge was asked, by the key of an assertion; undefined where nothing can be shown. */
  readonly onSaw: ((key: string) => void) | undefined;
}

/** What did not pass, or what people call wrong, is open once the case has ended. */
export function renderAssertion(row: AssertionRow, options: AssertionOptions): HTMLElement {
  const { index, verdict, stated } = row;
  const { onOpen } = options;
  const at = verdict?.assertion ?? stated;
  const open = onOpen && (() => onOpen(index));
  return renderRow(
    row,
    `${index}`,
    options,
    toLine(titleOf(row), at?.path ?? '', at?.line ?? 1, open),
  );
}

/** What stands in place of a verdict. */
function pendingBadge({ running }: AssertionOptions): BadgeStatus {
  return running ? 'waiting' : 'none';
}

/** @param key by which the view knows its parts again in the next snapshot */
function renderRow(
  row: AssertionRow,
  key: string,
  options: AssertionOptions,
  open?: HTMLElement,
): HTMLElement {
  const { verdict } = row;
  const labels = verdict && options.labels(verdict);
  const failing = verdict !== undefined && isFailure(verdict);
  const aboutTurns = verdict?.turns.some(isFailure) ?? false;
  return h(
    'details',
    {
      class: 'assertion',
      'data-key': `assertion ${key}`,
      'data-status': verdict?.status ?? pendingBadge(options),
      'data-failure': failing && !aboutTurns && open !== undefined,
      'data-subject': labels?.key,
      open: (failing || isCalledWrong(verdict, options)) && !options.running,
    },
    summary(row, key, options, labels?.words),
    verdict && facts(verdict, row.recalled ?? false),
    renderStated(row, key),
    verdict && rationale(verdict, row, key, options),
    verdict && renderPath(pathOf(verdict)),
    nested(row, key, options),
    verdict && cited('misses', verdict.misses, row, key, options),
    verdict && cited('hits', verdict.hits, row, key, options),
    verdict && details(verdict, key),
    labels?.make(),
    open,
    verdict && whatJudgeSaw(verdict, titleOf(row), options),
  );
}

/** Also of one that decides it, which stands in it. */
function isCalledWrong(verdict: Verdict | undefined, { labels }: AssertionOptions): boolean {
  const isWrong = (one: Verdict): boolean =>
    labels(one)?.isWrong === true || (one.nested ?? []).some(isWrong);
  return verdict !== undefined && isWrong(verdict);
}

/** One line, as high with a verdict as without, so that nothing moves when it comes. */
function summary(
  row: AssertionRow,
  key: string,
  options: AssertionOptions,
  opinions: string | undefined,
): HTMLElement {
  const { verdict } = row;
  const title = titleOf(row);
  const brief = briefOf(row);
  const scored = scoreOf(verdict);
  const outcome = verdict && scored !== undefined ? verdictText(verdict) : scored;
  return h(
    'summary',
    { 'data-focus': `assertion ${key}` },
    badge(verdict?.status ?? pendingBadge(options), scored),
    h('span', { class: 'name' }, title),
    brief !== undefined && h('span', { class: 'brief' }, brief),
    outcome !== scored && h('span', { class: 'outcome' }, outcome),
    verdict?.judge?.unstable && h('span', { class: 'outcome' }, '⚠ unstable'),
    opinions !== undefined && h('span', { class: 'opinions' }, opinions),
  );
}

function scoreOf(verdict: Verdict | undefined): string | undefined {
  const score = verdict?.score ?? undefined;
  return verdict && score !== undefined ? scoreText(score, verdict.threshold) : undefined;
}

/** `threshold 0.50 · required` */
function facts(verdict: Verdict, recalled: boolean): HTMLElement {
  const { assertion, score, reason, judge, usage } = verdict;
  const known = [
    score === null ? undefined : `threshold ${thresholdText(verdict)}`,
    samplesText(verdict),
    togetherText(verdict),
    assertion.required ? 'required' : undefined,
    assertion.weight === 1 ? undefined : `weight ${assertion.weight}`,
    reason,
    judge?.model,
    recalled ? 'from the cache' : cacheText(usage),
  ];
  return h('div', { class: 'muted' }, known.filter((fact) => fact !== undefined).join(' · '));
}

function whatJudgeSaw({ judge, assertion }: Verdict, title: string, { onSaw }: AssertionOptions) {
  const { key } = assertion;
  if (!judge || key === undefined || !onSaw) return undefined;
  return link('What the judge saw', `What the judge saw for ${title}`, () => onSaw(key));
}

function nested(row: AssertionRow, key: string, options: AssertionOptions) {
  const rows = nestedRows(row, options.stale);
  if (rows.length === 0) return undefined;
  return h(
    'div',
    { class: 'nested' },
    ...rows.map((one, index) => renderRow(one, `${key}.${index}`, options)),
  );
}

function rationale(
  { rationale: text }: Verdict,
  row: AssertionRow,
  key: string,
  { turns }: AssertionOptions,
) {
  if (text === '') return undefined;
  const citing = { key: `why ${key}`, title: titleOf(row) };
  return h('p', { class: 'why' }, ...withLinks(text, citing, turns));
}

const CITED = { misses: 'What failed', hits: 'What passed' };

/** What is missed is what a person looks for; what was hit is folded. */
function cited(
  what: 'misses' | 'hits',
  lines: readonly string[],
  row: AssertionRow,
  key: string,
  { turns }: AssertionOptions,
): HTMLElement | undefined {
  if (lines.length === 0) return undefined;
  const name = `${what} ${key}`;
  const list = renderCitations(lines, { key: name, title: titleOf(row) }, turns);
  const words = `${CITED[what]} (${lines.length})`;
  return what === 'misses'
    ? h('div', { class: 'misses' }, h('div', { class: 'label' }, words), ...list)
    : h('details', { class: 'hits', 'data-key': name }, h('summary', {}, words), ...list);
}

function details({ details }: Verdict, key: string): HTMLElement | undefined {
  if (Object.keys(details).length === 0) return undefined;
  return h(
    'details',
    { class: 'raw', 'data-key': `details ${key}` },
    h('summary', {}, 'Details'),
    h('pre', {}, JSON.stringify(details, null, 2)),
  );
}

/** The way that a decision graph took, as a list of questions and answers. */
function renderPath(path: readonly PathStep[]): HTMLElement | undefined {
  if (path.length === 0) return undefined;
  return h(
    'ol',
    { class: 'path', 'aria-label': 'Path through the graph' },
    ...path.map(({ node, asked, answer, why }) =>
      h(
        'li',
        {},
        h('span', { class: 'name' }, node),
        ` ${asked} `,
        h('span', { class: 'outcome' }, answer),
        h('p', { class: 'muted' }, why),
      ),
    ),
  );
}
