const MODEL = 'openai:gpt-5-mini';

/** What a live case of another tool is asked of: it says so nowhere that could be read. */
export function placeholderTarget(name = 'agent') {
  return {
    head: { targets: { [name]: chatTarget() }, target: name },
    comment: `The target "${name}" stands in for yours: write here what is tested.`,
  };
}

export function chatTarget(system?: string) {
  return { type: 'chat', model: MODEL, ...(system !== undefined && { system }) };
}
