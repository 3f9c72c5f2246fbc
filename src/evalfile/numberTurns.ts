import { groupBy, mappingOf } from '../core/data/data.ts';
import type { Message } from '../core/message.ts';
import { readMessages } from '../messages/readMessages.ts';

/** A message of a transcript, which may be incomplete while it's being written. */
export interface NumberedMessage {
  readonly role: string;
  /** Empty if the message only calls tools, or can't be read. */
  readonly text: string;
  readonly calls: readonly string[];
  /** The number of its turn; absent outside turns. */
  readonly turn?: number;
}

/**
 * Assigns turn numbers to messages, valid or not: a turn is everything one side says until the other side speaks. An
 * unreadable message counts under its apparent role.
 */
export function numberTurns(list: readonly unknown[]): NumberedMessage[] {
  const read = groupBy(readMessages(list).messages, ({ index }) => index);
  let number = 0;
  let side: string | undefined;
  return list.map((item, index) => {
    const messages = read.get(index)?.map(({ message }) => message);
    const seen = messages ? spokenOf(messages) : seemsSpoken(item);
    let turn: number | undefined;
    for (const role of messages?.map((message) => message.role) ?? [seen.role]) {
      const speaks = role === 'user' || role === 'assistant';
      if (speaks && role !== side) {
        side = role;
        number += 1;
      }
      if ((speaks || role === 'tool') && number > 0) turn ??= number;
    }
    return { ...seen, ...(turn !== undefined && { turn }) };
  });
}

function spokenOf(messages: readonly Message[]): Omit<NumberedMessage, 'turn'> {
  const [first] = messages;
  const spoken = messages.filter(({ role }) => role === first?.role || role !== 'tool');
  return {
    role: first?.role ?? 'message',
    text: spoken
      .map(({ content }) => content)
      .filter((content) => content !== '')
      .join('\n\n'),
    calls: messages.flatMap((message) =>
      message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => name) : [],
    ),
  };
}

function seemsSpoken(item: unknown): Omit<NumberedMessage, 'turn'> {
  const given = mappingOf(item);
  const calls: string[] = [];
  if (typeof given.role === 'string') {
    const { content } = given;
    return { role: given.role, text: typeof content === 'string' ? content : '', calls };
  }
  if (typeof given.type === 'string') return { role: given.type, text: '', calls };
  const [role = 'message', text] = Object.entries(given)[0] ?? [];
  return { role, text: typeof text === 'string' ? text : '', calls };
}
