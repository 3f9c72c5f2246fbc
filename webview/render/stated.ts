import { type StatedAssertion, statedOf } from '../../src/core/statedAssertion.ts';
import { isCachedAmong, type Verdict } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';

/** An assertion of the case: its current text, its verdict, or both. */
export interface AssertionRow {
  readonly index: number;
  readonly stated?: StatedAssertion | undefined;
  readonly verdict?: Verdict | undefined;
  /** Whether the current text may differ from the text that was judged. */
  readonly changed: boolean;
  /** Whether all of its judge's answers came from the cache. */
  readonly cached?: boolean;
}

/** The title of an assertion: the full text of a criterion if its name is shortened. */
export function titleOf({ stated, verdict, changed }: AssertionRow): string {
  const name = verdict?.assertion.name ?? stated?.name ?? '';
  return (stated && !changed ? fullTextOf(name, stated) : undefined) ?? name;
}

/** The title of a verdict's assertion. */
export function titleAmong(rows: readonly AssertionRow[], verdict: Verdict): string {
  const row = rows.find((one) => one.verdict === verdict);
  return row ? titleOf(row) : verdict.assertion.name;
}

/** The full text of a name that was shortened and ends in ` …`. */
function fullTextOf(name: string, { keys }: StatedAssertion): string | undefined {
  const [first] = keys;
  if (!first || !name.endsWith(' …')) return undefined;
  const whole = first.text.replace(/\s+/g, ' ').trim();
  return whole.startsWith(name.slice(0, -1)) ? whole : undefined;
}

/** Maximum length of expanded text. Longer text, such as judge prompts, is collapsed. */
const FOLD_LENGTH = 1000;

/** Maximum length of text next to a title. */
const MAX_BRIEF = 80;

/** A short text that tells collapsed assertions apart, such as `value shipped`. */
export function briefOf(row: AssertionRow): string | undefined {
  const keys = row.changed ? [] : keysOf(row);
  const brief = keys.map(({ key, text }) => `${key} ${text}`).join(' · ');
  return brief === '' || brief.length > MAX_BRIEF ? undefined : brief;
}

/** Keys that contain more information than the title. */
function keysOf(row: AssertionRow): StatedAssertion['keys'] {
  const title = titleOf(row);
  const keys = row.stated?.keys ?? [];
  return keys.filter(({ text }) => text.replace(/\s+/g, ' ').trim() !== title);
}

/** An assertion's text, except for its title. */
export function renderStated(row: AssertionRow, key: string): HTMLElement | undefined {
  const { stated, changed } = row;
  if (!stated) return undefined;
  const keys = keysOf(row);
  const named = keys.length < stated.keys.length;
  if (named && keys.length === 0 && !changed) return undefined;
  return h(
    'div',
    { class: 'stated' },
    changed && h('div', { class: 'label' }, 'In the file now:'),
    !named && h('p', { class: 'muted' }, `${stated.type}: `, ...withCode(stated.summary)),
    ...keys.map((one) => renderKey(one, `stated ${key} ${one.key}`)),
  );
}

/** A sentence whose text in backticks is shown as code. */
function withCode(text: string): (HTMLElement | string)[] {
  const parts = text.split('`');
  return parts.map((part, index) => (index % 2 === 1 ? h('code', part) : part));
}

function renderKey({ key, text }: StatedAssertion['keys'][number], name: string): HTMLElement {
  const label = h('span', { class: 'label' }, key);
  if (text.length <= FOLD_LENGTH) {
    return h('div', { class: 'key' }, label, h('span', { class: 'source' }, text));
  }
  return h(
    'details',
    { class: 'key', 'data-key': name },
    h('summary', label),
    h('div', { class: 'source' }, text),
  );
}

/** The case's assertions: those that were judged and, before the case has ended, those that are still to be judged. */
export function assertionRows({ phase, assertions, verdicts, changed }: Snapshot): AssertionRow[] {
  const stale = changed !== undefined;
  const isCached = isCachedAmong(verdicts);
  const judged = verdicts.map((verdict) => ({
    ...judgedRow(verdict, assertions, stale),
    cached: isCached(verdict),
  }));
  if (phase === 'finished') return judged;
  const known = new Set(judged.map(({ stated }) => stated));
  const waiting = assertions.filter((stated) => !known.has(stated)).map(statedRow);
  return [...judged, ...waiting].sort((one, other) => one.index - other.index);
}

/** Nested assertions: those that were judged, or all of them if there is no verdict yet. */
export function nestedRows({ stated, verdict }: AssertionRow, stale: boolean): AssertionRow[] {
  const known = stated?.nested ?? [];
  if (!verdict) return known.map(statedRow);
  const nested = verdict.nested ?? [];
  const isCached = isCachedAmong(nested);
  return nested.map((one) => ({
    ...judgedRow(one, known, stale),
    cached: isCached(one),
  }));
}

/** @param stale whether the case has changed; used for verdicts without a question hash */
function judgedRow(
  verdict: Verdict,
  assertions: readonly StatedAssertion[],
  stale: boolean,
): AssertionRow {
  const { assertion, question_hash } = verdict;
  const stated = statedOf(verdict, assertions);
  const changed = question_hash === undefined ? stale : question_hash !== stated?.questionHash;
  return { index: assertion.index, verdict, stated, changed };
}

function statedRow(stated: StatedAssertion): AssertionRow {
  return { index: stated.index, stated, changed: false };
}
