import { mappingOf } from '../core/data.ts';
import { modelProviders } from './registry.ts';

/** Names of the variables that hold the keys of models which name no other. */
export const usualKeyVariables: readonly string[] = modelProviders.flatMap(
  ({ keyVariable = [] }) => keyVariable,
);

/** The variable that a model's mapping names for its key, if it names one. */
export function keyVariablesOf(model: unknown): string[] {
  const { api_key_env: named } = mappingOf(model);
  return typeof named === 'string' ? [named] : [];
}
