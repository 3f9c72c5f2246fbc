import type { KeyHost } from '../../core/environment.ts';
import type { ModelSpec } from '../../core/suite.ts';
import { findProvider } from '../registry.ts';

/** Whose key is used, how long it may take and what it costs: nothing that an answer depends on. */
const NO_MATTER = [
  'base_url',
  'api_key_env',
  'token_env',
  'timeout',
  'price',
  'max_input_tokens',
  'together',
] as const;

/**
 * What tells the answers of a model from those of others: its provider, the address where it is asked
 * and its keys as they are written, so that no value of a variable goes into it. Two accounts at one
 * address are one.
 */
export async function modelIdentity(spec: ModelSpec, host: KeyHost): Promise<object> {
  const { provider, params, written = params } = spec;
  const connection = await findProvider(provider)?.connect(spec, host);
  const keys = Object.entries(written).filter(([key]) => !NO_MATTER.some((one) => one === key));
  return { provider, endpoint: connection?.destination?.url, keys: Object.fromEntries(keys) };
}
