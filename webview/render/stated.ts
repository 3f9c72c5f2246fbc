import { type StatedAssertion, statedOf } from '../../src/core/statedAssertion.ts';
import { isCachedAmong, type Verdict } from '../../src/core/verdict.ts';
import type { Snapshot } from '../../src/protocol/viewProtocol.ts';
import { h } from '../h.ts';

/** An assertion of the case: what it states, what came of it, or both. */
export interface AssertionRow {
  readonly index: number;
  readonly stated?: StatedAssertion | undefined;
  readonly verdict?: Verdict | undefined;
  /** True if what is stated may be something else than what was judged. */
  readonly changed: boolean;
  /** True if all that its judge answered came from the cache. */
  readonly recalled?: boolean;
}

/** The words by which an assertion is known: all of a criterion, where its name is the first of them. */
export function titleOf({ stated, verdict, changed }: AssertionRow): string {
  const name = verdict?.assertion.name ?? stated?.name ?? '';
  return (stated && !changed ? wholeOf(name, stated) : undefined) ?? name;
}

/** `It names the order in …` stands for a text that begins so. */
function wholeOf(name: string, { keys }: StatedAssertion): string | undefined {
  const [first] = keys;
  if (!first || !name.endsWith(' …')) return undefined;
  const whole = first.text.replace(/\s+/g, ' ').trim();
  return whole.startsWith(name.slice(0, -1)) ? whole : undefined;
}

/** A longer text, such as that of a judge prompt, is folded. */
const LONG = 1000;

/** As much as stands beside a title on one line. */
const BRIEF = 80;

/** `value shipped`: what tells one `contains` from another while it is folded. */
export function briefOf(row: AssertionRow): string | undefined {
  const keys = row.changed ? [] : keysOf(row);
  const brief = keys.map(({ key, text }) => `${key} ${text}`).join(' · ');
  return brief === '' || brief.length > BRIEF ? undefined : brief;
}

/** The keys that say more than the title. */
function keysOf(row: AssertionRow): StatedAssertion['keys'] {
  const title = titleOf(row);
  const keys = row.stated?.keys ?? [];
  return keys.filter(({ text }) => text.replace(/\s+/g, ' ').trim() !== title);
}

/** What an assertion states beyond its title. */
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

/** A sentence with its `keys` as code. */
function withCode(text: string): (HTMLElement | string)[] {
  const parts = text.split('`');
  return parts.map((part, index) => (index % 2 === 1 ? h('code', {}, part) : part));
}

function renderKey({ key, text }: StatedAssertion['keys'][number], name: string): HTMLElement {
  const label = h('span', { class: 'label' }, key);
  if (text.length <= LONG) {
    return h('div', { class: 'key' }, label, h('span', { class: 'source' }, text));
  }
  return h(
    'details',
    { class: 'key', 'data-key': name },
    h('summary', {}, label),
    h('div', { class: 'source' }, text),
  );
}

/** The case's assertions: those that were judged and, before it ended, those that will be. */
export function assertionRows({ phase, assertions, verdicts, changed }: Snapshot): AssertionRow[] {
  const stale = changed !== undefined;
  const isRecalled = isCachedAmong(verdicts);
  const judged = verdicts.map((verdict) => ({
    ...judgedRow(verdict, assertions, stale),
    recalled: isRecalled(verdict),
  }));
  if (phase === 'finished') return judged;
  const known = new Set(judged.map(({ stated }) => stated));
  const waiting = assertions.filter((stated) => !known.has(stated)).map(statedRow);
  return [...judged, ...waiting].sort((one, other) => one.index - other.index);
}

/** The assertions under another one: verdicts are of what decided it, what is only stated is all that could. */
export function nestedRows({ stated, verdict }: AssertionRow, stale: boolean): AssertionRow[] {
  const known = stated?.nested ?? [];
  if (!verdict) return known.map(statedRow);
  const nested = verdict.nested ?? [];
  const isRecalled = isCachedAmong(nested);
  return nested.map((one) => ({
    ...judgedRow(one, known, stale),
    recalled: isRecalled(one),
  }));
}

/** @param stale whether the case has changed, for verdicts that do not say what they answer */
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
