import type {
  ScriptTool,
  TargetFacts,
  TargetMessage,
  TargetReply,
  TargetUsage,
} from '../../types/index.d.ts';

/** One conversation with an agent: gets the new messages, and replies to them. */
export type Converse = (
  messages: readonly TargetMessage[],
  facts: TargetFacts,
) => Promise<TargetReply>;

/**
 * A target that keeps the state of each conversation in its framework's own form, so that nothing is lost between
 * turns; a process may serve several conversations.
 *
 * @param begin starts a conversation after the given messages, which nobody needs to answer
 */
export function adapter(begin: (history: readonly TargetMessage[]) => Converse): Converse {
  const conversations = new Map<string, Converse>();
  return async (messages, facts) => {
    const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
    const converse = conversations.get(facts.conversation) ?? begin(messages.slice(0, last + 1));
    conversations.set(facts.conversation, converse);
    return converse(messages.slice(last + 1), facts);
  };
}

/** The system texts of an agent that the conversation doesn't contain yet. */
export class SystemTexts {
  readonly #shown = new Set<string>();

  unshown(text: unknown): TargetMessage[] {
    if (typeof text !== 'string' || text.trim() === '' || this.#shown.has(text)) return [];
    this.#shown.add(text);
    return [{ role: 'system', content: text }];
  }
}

/** The definition of a tool, with the JSON Schema of its arguments if its library can write it. */
export function toolOf(name: string, description: unknown, schema: unknown): ScriptTool {
  const { jsonSchema = schema, '~standard': standard } = Object(schema);
  const parameters = standard?.jsonSchema?.input({ target: 'draft-2020-12' }) ?? jsonSchema;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(Object(parameters).type === 'object' && { parameters }),
  };
}

/** Usage of several requests to models, each in the words of its framework; undefined if one has none. */
export function sumUsage(usages: readonly (TargetUsage | undefined)[]): TargetUsage | undefined {
  const known = usages.filter((usage) => usage !== undefined);
  if (known.length === 0 || known.length < usages.length) return undefined;
  const sum = (key: keyof TargetUsage) =>
    known.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  return {
    calls: sum('calls'),
    input_tokens: sum('input_tokens'),
    cached_tokens: sum('cached_tokens'),
    output_tokens: sum('output_tokens'),
  };
}

/** Content of a tool message: text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
