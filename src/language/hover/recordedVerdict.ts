import { questionHash } from '../../assertions/questionHash.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { Wanted } from './assertionWay.ts';

/** What a case may differ in from when it ran. */
interface Since {
  readonly stale: boolean;
  /** Lines that it moved down by. */
  readonly moved: number;
  /** Undefined if it has errors now. */
  readonly suiteCase: SuiteCase | undefined;
}

/**
 * The verdict of an assertion: by its key, so that none that was put before it takes its place. Where
 * its key has changed, because another of its type came or went, by its question.
 *
 * @param way from the assertion of the case to the one that is meant
 */
export function recordedVerdict(
  verdicts: readonly Verdict[],
  [first, ...inner]: readonly [Wanted, ...Wanted[]],
  since: Since,
): Verdict | undefined {
  const { suiteCase } = since;
  let verdict = isKeyed(verdicts)
    ? keyedVerdict(verdicts, first.key, first, suiteCase)
    : unkeyedVerdict(verdicts, first, since);
  let holder = first;
  for (const wanted of inner) {
    if (!verdict) return undefined;
    const { nested = [], assertion } = verdict;
    const key = `${assertion.key}${wanted.key.slice(holder.key.length)}`;
    verdict = isKeyed(nested)
      ? keyedVerdict(nested, key, wanted, suiteCase)
      : nestedUnkeyed(nested, wanted, holder, since);
    holder = wanted;
  }
  return verdict;
}

/** Records of version 1 have no keys. */
function isKeyed(verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ assertion }) => assertion.key !== undefined);
}

function keyedVerdict(
  verdicts: readonly Verdict[],
  key: string,
  { built, keys }: Wanted,
  suiteCase: SuiteCase | undefined,
): Verdict | undefined {
  const found = verdicts.find(({ assertion }) => assertion.key === key);
  if (found || !built || !suiteCase) return found;
  const hash = questionHash(built, suiteCase);
  const same = verdicts.filter(
    (one) => one.question_hash === hash && !keys.includes(one.assertion.key ?? ''),
  );
  return same.length === 1 ? same[0] : undefined;
}

/**
 * The verdict of an assertion in a record of version 1: by its place, or by type and name where the
 * case has changed since. Where neither finds it, by its place if what stood there is gone.
 */
function unkeyedVerdict(
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
function nestedUnkeyed(
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
