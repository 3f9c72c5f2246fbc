import { uniqueBy } from '../core/data/data.ts';
import type { KeyHost } from '../core/environment.ts';
import type { ModelSpec, SuiteCase } from '../core/suite.ts';
import { connectionsOf } from './connections.ts';
import { judgesOf } from './modelsOf.ts';

export interface MissingKey {
  readonly model: ModelSpec;
  /** The key's name: that of its environment variable. */
  readonly variable: string;
  /** False where the model plays the assistant alone. */
  readonly judges: boolean;
}

/** The keys that models of cases need and that are not set. */
export async function missingKeys(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<MissingKey[]> {
  const judges = new Set(judgesOf(cases).map(({ id }) => id));
  const connections = await connectionsOf(cases, host);
  return connections.flatMap(({ model, connection: { missingKey: variable } }) =>
    variable === undefined ? [] : [{ model, variable, judges: judges.has(model.id) }],
  );
}

export interface NeededKey extends MissingKey {
  readonly isSet: boolean;
}

/** The keys that models of cases need, each with the first model that needs it; those first that are not set. */
export async function neededKeys(cases: readonly SuiteCase[], host: KeyHost): Promise<NeededKey[]> {
  const missing = await missingKeys(cases, host);
  const all = await missingKeys(cases, { ...host, secret: async () => undefined });
  return uniqueBy(
    [
      ...missing.map((one) => ({ ...one, isSet: false })),
      ...all.map((one) => ({ ...one, isSet: true })),
    ],
    ({ variable }) => variable,
  );
}
