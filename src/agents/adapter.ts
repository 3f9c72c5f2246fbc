import type { ScriptTool, TargetFacts, TargetMessage, TargetReply } from '../../types/index.d.ts';

/** One conversation with an agent: receives new messages and returns its reply to them. */
export type Converse = (
  messages: readonly TargetMessage[],
  facts: TargetFacts,
) => Promise<TargetReply>;

/**
 * A target that keeps each conversation's state in its framework's own format, so that nothing is lost between turns; a
 * process may serve several conversations.
 *
 * @param begin starts a conversation after the given messages, which need no reply
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

/** Reports a reply's texts piece by piece, with a blank line between two texts. */
export class TextStream {
  readonly #stream: TargetFacts['stream'];
  #separator = '';
  #isEmpty = true;

  constructor({ stream }: TargetFacts) {
    this.#stream = stream;
  }

  beginText(): void {
    if (!this.#isEmpty) this.#separator = '\n\n';
  }

  add(delta: string | undefined): void {
    if (!delta) return;
    this.#stream?.(this.#separator + delta);
    this.#separator = '';
    this.#isEmpty = false;
  }
}

/** Finds an agent's system texts that aren't in the conversation yet. */
export class SystemTexts {
  readonly #shown = new Set<string>();

  unshown(text: unknown): TargetMessage[] {
    if (typeof text !== 'string' || text.trim() === '' || this.#shown.has(text)) return [];
    this.#shown.add(text);
    return [{ role: 'system', content: text }];
  }
}

/** A tool's definition, including the JSON Schema of its arguments if its schema library can generate one. */
export function toolOf(name: string, description: unknown, schema: unknown): ScriptTool {
  const { jsonSchema = schema, '~standard': standard } = Object(schema);
  const parameters = standard?.jsonSchema?.input({ target: 'draft-2020-12' }) ?? jsonSchema;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(Object(parameters).type === 'object' && { parameters }),
  };
}
