import type { KeyHost } from '../core/environment.ts';
import type { SuiteCase } from '../core/suite.ts';
import { type DestinationProblem, destinationProblemOf } from '../models/destination.ts';
import type { Destination } from '../models/model.ts';
import { findTargetType } from '../targets/registry.ts';
import { connectionsOf } from './connections.ts';
import { targetsOf } from './modelsOf.ts';

/** A host that cases would ask. */
export interface AskedHost extends Destination {
  readonly host: string;
}

/** The hosts where the models and targets of cases are asked, with all variables that are sent there. */
export async function destinationsOf(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<AskedHost[]> {
  const found = new Map<string, AskedHost>();
  const ofModels = (await connectionsOf(cases, host)).map(
    ({ connection }) => connection.destination,
  );
  for (const one of [...ofModels, ...targetDestinations(cases)]) {
    if (!one) continue;
    const at = URL.canParse(one.url) ? new URL(one.url) : { host: one.url, protocol: '' };
    const key = `${at.protocol}${at.host} ${one.isTrusted}`;
    const variables = [...(found.get(key)?.variables ?? []), ...one.variables];
    found.set(key, { ...one, host: at.host, variables: [...new Set(variables)] });
  }
  return [...found.values()];
}

function targetDestinations(cases: readonly SuiteCase[]): Destination[] {
  return [...new Set(targetsOf(cases))].flatMap(
    (one) => findTargetType(one.type)?.destination?.(one) ?? [],
  );
}

/** What cases would send where it may not go. */
export async function forbiddenHosts(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<DestinationProblem[]> {
  const destinations = await destinationsOf(cases, host);
  return destinations.flatMap((one) => destinationProblemOf(one, host.allowedHosts ?? []) ?? []);
}
