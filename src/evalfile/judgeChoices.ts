import { mappingOf, uniqueBy } from '../core/data/data.ts';
import { OPENAI_KEY } from '../core/environment.ts';
import { findProvider, keyVariablesOf } from '../models/registry.ts';

export const DEFAULT_MODEL = 'openai:gpt-5-mini';

export interface JudgeHost {
  /** The editor's models, as `provider:model`. */
  editorModels(): Promise<readonly string[]>;
  /** The names of environment variables that have a value. */
  setVariables(names: readonly string[]): Promise<readonly string[]>;
}

/** Models to judge with, those whose keys are set first. @param models the file's `models` */
export async function judgeChoices(models: unknown, host: JudgeHost): Promise<string[]> {
  const declared = Object.entries(mappingOf(models));
  const choices = [
    ...declared.map(([name, model]) => ({ name, variables: variablesOf(model) })),
    { name: DEFAULT_MODEL, variables: [OPENAI_KEY] },
    ...(await host.editorModels()).map((name) => ({ name, variables: [] })),
  ];
  const variables = [...new Set(choices.flatMap((one) => one.variables))];
  const set = new Set(await host.setVariables(variables));
  const isReady = ({ variables }: { readonly variables: readonly string[] }) =>
    variables.length === 0 || variables.some((name) => set.has(name));
  const sorted = [...choices.filter(isReady), ...choices.filter((one) => !isReady(one))];
  return uniqueBy(sorted, ({ name }) => name).map(({ name }) => name);
}

/** The variables of which one contains the model's key; empty if it needs none. */
function variablesOf(model: unknown): readonly string[] {
  const { provider, base_url } = mappingOf(model);
  const own = keyVariablesOf(model);
  if (own.length > 0 || base_url !== undefined) return own;
  const name = typeof model === 'string' ? model.slice(0, model.indexOf(':')) : provider;
  return (typeof name === 'string' && findProvider(name)?.keyVariables) || [];
}
