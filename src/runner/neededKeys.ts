import type { ModelSpec, SuiteCase } from '../core/suite.ts';
import { keyVariablesOf } from '../models/keyVariables.ts';
import { findProvider } from '../models/registry.ts';
import { judgesOf, modelsOf } from './modelsOf.ts';

export interface NeededKey {
  readonly model: ModelSpec;
  /** The key's name: that of its environment variable. */
  readonly variable: string;
  /** False where the model plays the assistant alone. */
  readonly judges: boolean;
}

/** The keys of the models that cases ask; with an address of its own a model needs none unless it names one. */
export function neededKeys(cases: readonly SuiteCase[]): NeededKey[] {
  const judges = new Set(judgesOf(cases).map(({ id }) => id));
  return modelsOf(cases).flatMap((model) => {
    const [named] = keyVariablesOf(model.params);
    const usual = model.params.base_url === undefined;
    const variable = named ?? (usual ? findProvider(model.provider)?.keyVariable : undefined);
    return variable === undefined ? [] : [{ model, variable, judges: judges.has(model.id) }];
  });
}
