import { questionHash } from '../../assertions/questionHash.ts';
import { findAssertionType } from '../../assertions/registry.ts';
import { type Path, valueAt } from '../../core/data/data.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
import type { Verdict } from '../../core/verdict.ts';
import { assertionKeys, nestedKeys } from '../../evalfile/assertion/keys.ts';
import type { OutlineAssertion, OutlineCase } from '../../evalfile/loadedSuite.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';

/** An assertion in a file, and the list that contains it: either the case's, or an outer assertion's. */
interface ListedAssertion {
  readonly key: string;
  readonly order: number;
  readonly keys: readonly string[];
  readonly isGroup: boolean;
  /** Undefined if the case has errors. */
  readonly built: Assertion | undefined;
  readonly path: Path;
}

type AssertionChain = readonly [ListedAssertion, ...ListedAssertion[]];

/** The assertions from one in the case's own list to the innermost one at a path. */
export function assertionChain(
  yaml: YamlDocument,
  { assertions }: OutlineCase,
  { index }: OutlineAssertion,
  path: Path,
  suiteCase: SuiteCase | undefined,
): AssertionChain {
  const keys = assertionKeys(assertions);
  const own = path.slice(0, path.indexOf('assert') + 2);
  const built = suiteCase?.assertions.find((one) => one.index === index);
  const key = keys[index] ?? '';
  const outer = { key, order: index, keys, built, isGroup: isGroupAt(yaml, own), path: own };
  return [outer, ...innerAt(yaml, outer, path)];
}

/** The assertions within another assertion that contain the path, from the outermost to the innermost. */
function innerAt(yaml: YamlDocument, outer: ListedAssertion, path: Path): ListedAssertion[] {
  const rest = path.slice(outer.path.length);
  const all = nestedKeys(valueAt(yaml.value, outer.path), outer.key);
  const order = all.findIndex((one) => one.path.every((step, index) => rest[index] === step));
  const inner = all[order];
  if (!inner) return [];
  const nestedPath = inner.path.join('.');
  const built = outer.built?.nested?.find((one) => one.path === nestedPath)?.assertion;
  const keys = all.map((one) => one.key);
  const own = [...outer.path, ...inner.path];
  const found = { key: inner.key, order, keys, built, isGroup: isGroupAt(yaml, own), path: own };
  return [found, ...innerAt(yaml, found, path)];
}

function isGroupAt(yaml: YamlDocument, path: Path): boolean {
  return findAssertionType(valueAt(yaml.value, [...path, 'type']))?.kind === 'group';
}

/** How the case may have changed since it ran. */
interface Changes {
  readonly stale: boolean;
  /** Number of lines that the case has moved down. */
  readonly moved: number;
  /** Undefined if the case now has errors. */
  readonly suiteCase: SuiteCase | undefined;
}

/**
 * Finds the verdict of an assertion by its key, or by its question if its key changed because another assertion of its
 * type was added or removed.
 *
 * @param chain the assertions from the case's own one to the wanted one
 */
export function recordedVerdict(
  verdicts: readonly Verdict[],
  [first, ...inner]: AssertionChain,
  changes: Changes,
): Verdict | undefined {
  const { suiteCase } = changes;
  let verdict = isKeyed(verdicts)
    ? keyedVerdict(verdicts, first.key, first, suiteCase)
    : unkeyedVerdict(verdicts, first, changes);
  let outer = first;
  for (const wanted of inner) {
    if (!verdict) return undefined;
    const { nested = [], assertion } = verdict;
    const key = `${assertion.key}${wanted.key.slice(outer.key.length)}`;
    verdict = isKeyed(nested)
      ? keyedVerdict(nested, key, wanted, suiteCase)
      : nestedUnkeyed(nested, wanted, outer, changes);
    outer = wanted;
  }
  return verdict;
}

/** False for records of version 1, which contain no keys. */
function isKeyed(verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ assertion }) => assertion.key !== undefined);
}

function keyedVerdict(
  verdicts: readonly Verdict[],
  key: string,
  { built, keys }: ListedAssertion,
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
 * Finds a verdict in a record of version 1: by index, or by type and name if the case has changed. Falls back to the
 * index if the assertion with that index was removed.
 */
function unkeyedVerdict(
  verdicts: readonly Verdict[],
  { order, built }: ListedAssertion,
  { stale, suiteCase }: Changes,
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

/**
 * Like `unkeyedVerdict`: a group has a verdict for each of its assertions, whereas a graph has one for its last node.
 */
function nestedUnkeyed(
  nested: readonly Verdict[],
  { order, keys, built }: ListedAssertion,
  outer: ListedAssertion,
  { stale, moved }: Changes,
): Verdict | undefined {
  const there = outer.isGroup && nested.length === keys.length ? nested[order] : undefined;
  if (!built || (there && !stale)) return there;
  const same = nested.filter(({ assertion }) => isSame(assertion, built));
  const line = built.source.range.start.line + 1 - moved;
  if (!stale) return same.find(({ assertion }) => assertion.line === line);
  return same.length === 1 ? same[0] : there;
}

function isSame(a: Pick<Assertion, 'type' | 'name'>, b: Pick<Assertion, 'type' | 'name'>): boolean {
  return a.type === b.type && a.name === b.name;
}
