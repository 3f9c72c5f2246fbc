import { mappingOf } from '../core/data/data.ts';
import { modelProviders } from './registry.ts';

/** Names of the variables that hold the keys of models which name no other. */
export const usualKeyVariables: readonly string[] = modelProviders.flatMap(
  ({ keyVariables = [] }) => keyVariables,
);

/** The variables that a model's mapping names for its keys. */
export function keyVariablesOf(model: unknown): string[] {
  const { api_key_env: key, token_env: token } = mappingOf(model);
  return [key, token].filter((named) => typeof named === 'string');
}
