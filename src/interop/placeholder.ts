import type { Mapping } from '../core/data/data.ts';

const MODEL = 'openai:gpt-5-mini';

/** What a live case of another tool is asked of: it says so nowhere that could be read. */
export function placeholderTarget(name = 'agent', system?: string) {
  return {
    head: { targets: { [name]: chatTarget(system) }, target: name },
    comment: `The target "${name}" stands in for yours: write here what is tested.`,
  };
}

export function chatTarget(system?: string, model: string | Mapping = MODEL) {
  return { type: 'chat', model, ...(system !== undefined && { system }) };
}
