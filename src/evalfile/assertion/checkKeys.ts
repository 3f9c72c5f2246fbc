import { findAssertionType } from '../../assertions/registry.ts';
import { freeNames, isMapping } from '../../core/data/data.ts';
import { type Location, type Reporter, within } from '../scope.ts';
import { writtenLabel } from './key.ts';

interface Keyed {
  readonly key: string;
  readonly given: unknown;
  readonly location: Location;
}

/** Two assertions with the same key could not be told apart in results: the second is at fault. */
export function checkKeys(assertions: readonly Keyed[], reporter: Reporter): void {
  const taken = new Map<string, Keyed>();
  const names = new Set(assertions.map(({ given }) => writtenLabel(given)));
  const freeName = freeNames(names, (name, number) => `${name} ${number}`);
  for (const one of assertions) {
    const first = taken.get(one.key);
    if (first) sayTaken(one, first, freeName, reporter);
    else taken.set(one.key, one);
  }
}

function sayTaken(
  { given, location }: Keyed,
  first: Keyed,
  freeName: (name: string) => string,
  reporter: Reporter,
): void {
  const label = writtenLabel(given);
  const name = label ?? writtenLabel(first.given);
  const free = freeName(name ?? String(typeOf(given)));
  if (label !== undefined) {
    const message = `Another assertion here is named "${label}". Give this one a different name.`;
    reporter.say('same-assertion', message, within(location, 'name'), { replacement: free });
    return;
  }
  const nameable = isMapping(given) && !ownsName(given);
  const why =
    name === undefined
      ? 'This assertion repeats another one, so results could not tell them apart.'
      : `Another assertion here is named "${name}".`;
  const message = `${why} ${nameable ? 'Give this one a `name`, or remove it.' : 'Remove this one.'}`;
  reporter.sayOnKey('same-assertion', message, location, {
    fix: {
      remove: location.path,
      ...(nameable && { add: { to: location.path, key: 'name', value: free } }),
    },
  });
}

function typeOf(given: unknown): unknown {
  return isMapping(given) ? given.type : 'criterion';
}

/** The type has a key `name` that means something else. */
function ownsName(given: unknown): boolean {
  return Object.hasOwn(findAssertionType(typeOf(given))?.params.shape ?? {}, 'name');
}
