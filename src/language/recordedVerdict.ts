import { questionHash } from '../assertions/questionHash.ts';
import type { SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Wanted } from './assertionWay.ts';
import { nestedUnkeyed, type Since, unkeyedVerdict } from './unkeyedVerdict.ts';

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
