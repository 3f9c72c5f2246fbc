/** A message of a transcript, as much of it as can be told while it is being written. */
export interface SpokenMessage {
  readonly role: string;
  /** Empty where it is written in parts, or is no text. */
  readonly text: string;
  /** The number of the turn that it belongs to; absent outside of turns. */
  readonly turn?: number;
}

/** Numbers the turns of messages, right or wrong: a turn is what one side says until the other does. */
export function spokenMessages(list: readonly unknown[]): SpokenMessage[] {
  let number = 0;
  let side: string | undefined;
  return list.map((item) => {
    const { role, text } = roleAndText(item);
    const speaks = role === 'user' || role === 'assistant';
    if (speaks && role !== side) {
      side = role;
      number += 1;
    }
    const within = (speaks || role === 'tool') && number > 0;
    return { role, text, ...(within && { turn: number }) };
  });
}

function roleAndText(item: unknown): { role: string; text: string } {
  const given: Readonly<Record<string, unknown>> = { ...Object(item) };
  if (typeof given.role === 'string') {
    const { content } = given;
    return { role: given.role, text: typeof content === 'string' ? content : '' };
  }
  const [role = 'message', text] = Object.entries(given)[0] ?? [];
  return { role, text: typeof text === 'string' ? text : '' };
}
