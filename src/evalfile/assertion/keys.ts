import { withoutDefaults } from '../../assertions/questionHash.ts';
import { findAssertionType } from '../../assertions/registry.ts';
import {
  freeNames,
  isMapping,
  type Mapping,
  mappingOf,
  type Path,
  stringOf,
  valueAt,
  withValueAt,
} from '../../core/data/data.ts';
import { digestOf } from '../../node/hashes.ts';
import type { WrittenAssertion } from '../loadedSuite.ts';
import { type Location, report, reportOnKey, topLevelAt, within } from '../scope.ts';

/**
 * The keys of a case's assertions, which identify them across runs. They don't change if other assertions are inserted
 * before them.
 *
 * assert:
 * - { type: coherence }                  coherence           its type, if unique
 * - { type: contains, value: order }     contains#5f0c31aa   else its type and its own keys
 * - { type: contains, value: refund }    contains#b1946ac9
 * - { type: regex, name: Order number }  Order number        its label, if it has one turns:
 * - user: Hi assert: [It is kind.]                turns.1/criterion   under the first scripted turn
 *
 * Defaults count as part of the case's own list. Assertions that are the same in all these respects have equal keys.
 *
 * @param listed in the case's order, defaults first
 */
export function assertionKeys(listed: readonly WrittenAssertion[]): string[] {
  const lists = new Map<number | undefined, OwnKeys>();
  for (const { given, scriptedTurn } of listed) {
    const list = lists.get(scriptedTurn) ?? new OwnKeys();
    lists.set(scriptedTurn, list);
    list.add(given);
  }
  return listed.map(({ given, scriptedTurn }) => {
    const own = lists.get(scriptedTurn)?.keyOf(given) ?? '';
    return scriptedTurn === undefined ? own : `turns.${scriptedTurn + 1}/${own}`;
  });
}

/** A nested assertion. `path` starts at the outer assertion. */
interface NestedKey {
  readonly path: Path;
  readonly key: string;
}

/**
 * The keys of nested assertions:
 *
 *     - type: all-of
 *       name: Refund
 *       assert: [It is kind.]                  Refund/criterion
 *     - type: decision-graph
 *       nodes:
 *         tone:
 *           type: assertion
 *           assert: It is kind.                decision-graph/nodes.tone/criterion
 *
 * @param key of the outer assertion
 */
export function nestedKeys(holder: unknown, key: string): NestedKey[] {
  const lists = new Map<string, OwnKeys>();
  const nested = pathsOfNested(mappingOf(holder)).map((path) => {
    const way = path.filter((step) => typeof step === 'string').join('.');
    const list = lists.get(way) ?? new OwnKeys();
    lists.set(way, list);
    const given = valueAt(holder, path);
    list.add(given);
    return { path, given, list, way: way.replace(/\.?assert$/, '') };
  });
  return nested.map(({ path, given, list, way }) => {
    const steps = [key, ...(way === '' ? [] : [way]), list.keyOf(given)];
    return { path, key: steps.join('/') };
  });
}

/** The `name` of an assertion; undefined if `name` means something else for its type. */
export function writtenLabel(assertion: unknown): string | undefined {
  const { type, name } = mappingOf(assertion);
  return typeof name === 'string' && !typeHasName(type) ? name : undefined;
}

class OwnKeys {
  readonly #counts = new Map<unknown, number>();

  add(assertion: unknown): void {
    const type = typeOf(assertion);
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
  }

  keyOf(assertion: unknown): string {
    const label = writtenLabel(assertion);
    if (label !== undefined) return label.replace(/[%/]/g, encodeURIComponent);
    const type = typeOf(assertion);
    if (this.#counts.get(type) === 1) return stringOf(type);
    return `${stringOf(type)}#${digestOf(questionOf(assertion)).slice(0, 8)}`;
  }
}

function typeOf(assertion: unknown): unknown {
  return typeof assertion === 'string' ? 'criterion' : mappingOf(assertion).type;
}

/** The keys of an assertion that define its question, including nested assertions. */
function questionOf(assertion: unknown): Mapping {
  const given =
    typeof assertion === 'string'
      ? { type: 'criterion', criterion: assertion }
      : mappingOf(assertion);
  const whole = pathsOfNested(given).reduce<unknown>(
    (holder, path) => withValueAt(holder, path, questionOf),
    given,
  );
  const { threshold: _t, weight: _w, required: _r, name, ...asked } = mappingOf(whole);
  const own = writtenLabel(given) === undefined ? { ...asked, name } : asked;
  const type = findAssertionType(given.type);
  return type ? withoutDefaults(type, own) : own;
}

function pathsOfNested(given: Mapping): readonly Path[] {
  return findAssertionType(given.type)?.nesting?.places(given) ?? [];
}

interface KeyedAssertion {
  readonly key: string;
  readonly given: unknown;
  readonly location: Location;
}

/** Reports assertions whose key is the same as an earlier assertion's, because results couldn't tell them apart. */
export function checkKeys(assertions: readonly KeyedAssertion[]): void {
  const taken = new Map<string, KeyedAssertion>();
  const names = new Set(assertions.map(({ given }) => writtenLabel(given)));
  const freeName = freeNames(names, (name, number) => `${name} ${number}`);
  for (const one of assertions) {
    const first = taken.get(one.key);
    if (first) reportDuplicate(one, first, freeName);
    else taken.set(one.key, one);
  }
}

function reportDuplicate(
  { given, location }: KeyedAssertion,
  first: KeyedAssertion,
  freeName: (name: string) => string,
): void {
  const label = writtenLabel(given);
  const name = label ?? writtenLabel(first.given);
  const free = freeName(name ?? stringOf(typeOf(given)));
  if (label !== undefined) {
    const message = `Another assertion here is named "${label}". Give this one a different name.`;
    report('same-assertion', message, within(location, 'name'), { replacement: free });
    return;
  }
  const nameable = isMapping(given) && !typeHasName(given.type);
  const why =
    name === undefined
      ? 'This assertion repeats another one, so their results would look the same.'
      : `Another assertion here is named "${name}".`;
  const message = `${why} ${nameable ? 'Give this one a `name`, or remove it.' : 'Remove this one.'}`;
  reportOnKey('same-assertion', message, location, {
    fix: {
      remove: location.path,
      ...(nameable && { add: { to: location.path, key: 'name', value: free } }),
    },
  });
}

function typeHasName(type: unknown): boolean {
  return Object.hasOwn(findAssertionType(type)?.params.shape ?? {}, 'name');
}

interface LocatedAssertion extends WrittenAssertion {
  readonly location: Location;
}

/** Assertions from `defaults`, from the case, and from its turns, in that order. Also accepts invalid data. */
export function collectAssertions(
  { assert, turns }: Mapping,
  location: Location,
): LocatedAssertion[] {
  return [
    ...listed(location.scope.file.defaults?.assert, topLevelAt(location, 'defaults', 'assert')),
    ...listed(assert, within(location, 'assert')),
    ...itemsOf(turns).flatMap((turn, scriptedTurn) => {
      const own = listed(mappingOf(turn).assert, within(location, 'turns', scriptedTurn, 'assert'));
      return own.map((one) => ({ ...one, scriptedTurn }));
    }),
  ];
}

function listed(list: unknown, location: Location): LocatedAssertion[] {
  return itemsOf(list).map((given, index) => ({ given, location: within(location, index) }));
}

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
