import { toConversation } from '../../src/core/conversation.ts';
import type { ReadMessages } from '../../src/messages/readMessages.ts';

/** Contents of a conversation: its texts in order, the names of its calls, and the number of results. */
export interface Counted {
  readonly words: string;
  readonly calls: readonly string[];
  readonly results: number;
}

const RESULT = /^(tool_result|.*_output)$/;
const CALL = /^(tool_call|tool_use|function_call|openapi_call|custom_tool_call)$/;

/**
 * Counts texts, calls, and results in raw data, without using the dialects' code. Calls and results are recognized by
 * their type.
 */
export function countRaw(list: readonly unknown[]): Counted {
  const texts: string[] = [];
  const calls: string[] = [];
  let results = 0;
  const say = (text: unknown) => {
    if (typeof text === 'string' && text.trim() !== '') texts.push(text);
  };
  for (const item of list) {
    const { role, type, content, name, tool_calls, user, assistant } = record(item);
    say(user ?? assistant);
    if (role === 'tool' || RESULT.test(String(type))) {
      const parts = Array.isArray(content) ? content.map(record) : [];
      const approvals = parts.filter((part) => String(part.type).startsWith('mcp_approval'));
      if (approvals.length === 0 || approvals.length < parts.length) results += 1;
      continue;
    }
    if (CALL.test(String(type))) calls.push(String(name));
    if (typeof content === 'string') say(content);
    for (const part of Array.isArray(content) ? content.map(record) : []) {
      if (CALL.test(String(part.type))) calls.push(nameOf(part));
      else if (!RESULT.test(String(part.type))) say(part.text);
    }
    for (const call of Array.isArray(tool_calls) ? tool_calls.map(record) : []) {
      calls.push(nameOf({ tool_call: call }));
    }
  }
  return { words: texts.join('\n\n'), calls, results };
}

/** Counts the same in parsed messages, after splitting them into turns as for a judge. */
export function countRead({ messages }: Pick<ReadMessages, 'messages'>): Counted {
  const items = toConversation(messages).entries.flatMap((entry) =>
    entry.kind === 'turn' ? entry.items : [entry],
  );
  const calls = items.flatMap((item) => (item.kind === 'tool-call' ? [item] : []));
  return {
    words: items.flatMap((item) => ('text' in item ? [item.text] : [])).join('\n\n'),
    calls: calls.map(({ call }) => call.name),
    results: calls.filter(({ result }) => result !== undefined).length,
  };
}

function nameOf(part: Readonly<Record<string, unknown>>): string {
  const { function: called } = record(part.tool_call);
  return String(part.name ?? record(called).name);
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return { ...Object(value) };
}
