import type { KeyHost } from '../core/environment.ts';
import type { ModelSpec, SuiteCase } from '../core/suite.ts';
import type { Connection } from '../models/model.ts';
import { findProvider } from '../models/registry.ts';
import { canonicalJson } from '../node/hashes.ts';
import { modelsOf } from './modelsOf.ts';

/** How each model of cases would be asked. Thousands of cases name the same few: each is looked up once. */
export async function connectionsOf(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<{ readonly model: ModelSpec; readonly connection: Connection }[]> {
  const known = new Map<string, Promise<Connection>>();
  const found = modelsOf(cases).map(async (model) => {
    const key = canonicalJson(model);
    const connecting = known.get(key) ?? findProvider(model.provider)?.connect(model, host);
    if (!connecting) return [];
    known.set(key, connecting);
    return [{ model, connection: await connecting }];
  });
  return (await Promise.all(found)).flat();
}
