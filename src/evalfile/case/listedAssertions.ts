import { type Mapping, mappingOf } from '../../core/data/data.ts';
import type { Listed } from '../assertion/key.ts';
import { type Location, type Scope, within } from '../scope.ts';

export interface ListedAssertion extends Listed {
  readonly location: Location;
}

/** Defaults first, then the case's own, then those under its turns; from whatever stands there. */
export function listedAssertions(
  { assert, turns }: Mapping,
  location: Location,
  { file, document }: Scope,
): ListedAssertion[] {
  const defaults: Location = { document, path: ['defaults', 'assert'], owner: location.owner };
  return [
    ...listed(file.defaults?.assert, defaults),
    ...listed(assert, within(location, 'assert')),
    ...itemsOf(turns).flatMap((turn, scriptedTurn) => {
      const own = listed(mappingOf(turn).assert, within(location, 'turns', scriptedTurn, 'assert'));
      return own.map((one) => ({ ...one, scriptedTurn }));
    }),
  ];
}

function listed(list: unknown, location: Location): ListedAssertion[] {
  return itemsOf(list).map((given, index) => ({ given, location: within(location, index) }));
}

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
