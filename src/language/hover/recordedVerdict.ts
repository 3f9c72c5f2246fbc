import { questionHash } from '../../assertions/questionHash.ts';
import { findAssertionType } from '../../assertions/registry.ts';
import { type Path, valueAt } from '../../core/data/data.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
import type { Verdict } from '../../core/verdict.ts';
import { assertionKeys, nestedKeys } from '../../evalfile/assertion/key.ts';
import type { OutlineAssertion, OutlineCase } from '../../evalfile/loadedSuite.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';

/** An assertion of a file and the list that it stands in: its case's, or that of the one that holds it. */
export interface Wanted {
  readonly key: string;
  readonly order: number;
  readonly keys: readonly string[];
  readonly isGroup: boolean;
  /** As it was made ready to run; undefined if its case has errors. */
  readonly built: Assertion | undefined;
  /** From the file's top. */
  readonly path: Path;
}

/** From an assertion of a case to the innermost one at a path. */
export function assertionWay(
  yaml: YamlDocument,
  { assertions }: OutlineCase,
  { index }: OutlineAssertion,
  path: Path,
  suiteCase: SuiteCase | undefined,
): readonly [Wanted, ...Wanted[]] {
  const keys = assertionKeys(assertions);
  const first: Wanted = {
    key: keys[index] ?? '',
    order: index,
    keys,
    built: suiteCase?.assertions.find((one) => one.index === index),
    ...standingAt(yaml, path.slice(0, path.indexOf('assert') + 2)),
  };
  const way: [Wanted, ...Wanted[]] = [first];
  for (let holder: Wanted | undefined = first; holder; ) {
    holder = innerAt(yaml, holder, path);
    if (holder) way.push(holder);
  }
  return way;
}

function innerAt(yaml: YamlDocument, holder: Wanted, path: Path): Wanted | undefined {
  const rest = path.slice(holder.path.length);
  const all = nestedKeys(valueAt(yaml.value, holder.path), holder.key);
  const order = all.findIndex((one) => one.path.every((step, index) => rest[index] === step));
  const inner = all[order];
  if (!inner) return undefined;
  const nestedPath = inner.path.join('.');
  return {
    key: inner.key,
    order,
    keys: all.map((one) => one.key),
    built: holder.built?.nested?.find((one) => one.path === nestedPath)?.assertion,
    ...standingAt(yaml, [...holder.path, ...inner.path]),
  };
}

function standingAt(yaml: YamlDocument, path: Path): Pick<Wanted, 'isGroup' | 'path'> {
  const type = findAssertionType(valueAt(yaml.value, [...path, 'type']));
  return { isGroup: type?.kind === 'group', path };
}

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
