import { findAssertionType } from '../../assertions/registry.ts';
import { type Path, valueAt } from '../../core/data/data.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
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
