import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Wanted } from './assertionWay.ts';

/** What a case may differ in from when it ran. */
export interface Since {
  readonly stale: boolean;
  /** Lines that it moved down by. */
  readonly moved: number;
  /** Undefined where it has errors now. */
  readonly suiteCase: SuiteCase | undefined;
}

/**
 * The verdict of an assertion in a record of version 1: by its place, or by type and name where the
 * case has changed since. Where neither finds it, by its place if what stood there is gone.
 */
export function unkeyedVerdict(
  verdicts: readonly Verdict[],
  { order, built }: Wanted,
  { stale, suiteCase }: Since,
): Verdict | undefined {
  const there = verdicts.find(({ assertion }) => assertion.index === order);
  if (!stale || !built) return there;
  const all = suiteCase?.assertions ?? [];
  const same = verdicts.filter(({ assertion }) => isSame(assertion, built));
  const before = all.filter((one) => one.index < order && isSame(one, built)).length;
  const found = same.length === 1 ? same[0] : same[before];
  if (found) return found;
  const claimed = there && all.some((one) => isSame(one, there.assertion));
  return claimed ? undefined : there;
}

/** The same below the verdict of a group, which has one for each, or of a graph, for where it ended. */
export function nestedUnkeyed(
  nested: readonly Verdict[],
  { order, keys, built }: Wanted,
  holder: Wanted,
  { stale, moved }: Since,
): Verdict | undefined {
  const there = holder.isGroup && nested.length === keys.length ? nested[order] : undefined;
  if (!built || (there && !stale)) return there;
  const same = nested.filter(({ assertion }) => isSame(assertion, built));
  const line = built.source.range.start.line + 1 - moved;
  if (!stale) return same.find(({ assertion }) => assertion.line === line);
  return same.length === 1 ? same[0] : there;
}

function isSame(a: Pick<Assertion, 'type' | 'name'>, b: Pick<Assertion, 'type' | 'name'>): boolean {
  return a.type === b.type && a.name === b.name;
}
