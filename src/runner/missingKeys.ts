import type { KeyHost } from '../core/environment.ts';
import type { ModelSpec, SuiteCase } from '../core/suite.ts';
import { findProvider } from '../models/registry.ts';
import { judgesOf, modelsOf } from './modelsOf.ts';

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
  const found = modelsOf(cases).map(async (model) => {
    const variable = (await findProvider(model.provider)?.connect(model, host))?.missingKey;
    return variable === undefined ? [] : [{ model, variable, judges: judges.has(model.id) }];
  });
  return (await Promise.all(found)).flat();
}
