import type { Message } from '../core/message.ts';

/** A text or a call; parallel calls may be one message or several, so each call is an item. */
interface Item {
  readonly key: string;
  /** The index of its message. */
  readonly at: number;
  readonly role: Message['role'];
  readonly isCall: boolean;
  /** Stands for anything that others than the user said and did. */
  readonly isRetold: boolean;
}

/**
 * How many of the first messages of a request repeat what was said, up to its last word; undefined if
 * they tell another conversation. A request may begin later, or leave out what agents before it did.
 *
 * @param retold messages that stand for what another agent did
 */
export function coveredBy(
  said: readonly Message[],
  given: readonly Message[],
  retold: ReadonlySet<Message>,
): number | undefined {
  const before = itemsOf(said, new Set());
  const now = itemsOf(given, retold);
  if (before.length === 0) return 0;
  const count = retelling(before, now) ?? lastWords(before, now) ?? excerpt(before, now);
  if (count === undefined) return undefined;
  const next = now[count]?.at ?? given.length;
  const isWhole = count === 0 || now[count - 1]?.at !== next;
  if (!isWhole) return undefined;
  // Results of the last calls that are repeated.
  const last = now[count - 1]?.at ?? -1;
  const after = given.findIndex((one, index) => index > last && one.role !== 'tool');
  return after === -1 ? given.length : after;
}

function itemsOf(messages: readonly Message[], retold: ReadonlySet<Message>): Item[] {
  return messages.flatMap((message, at) => {
    const { role } = message;
    const item = (...words: unknown[]): Item => ({
      key: JSON.stringify([role, ...words]),
      at,
      role,
      isCall: words.length > 1,
      isRetold: retold.has(message),
    });
    if (role === 'tool') return [];
    if (role !== 'assistant') return [item(message.content)];
    const texts = message.content.trim() === '' ? [] : [item(message.content)];
    const calls = (message.toolCalls ?? []).map((call) => item(call.name, call.arguments));
    return [...texts, ...calls];
  });
}

/** All from the beginning. */
function retelling(before: readonly Item[], now: readonly Item[]): number | undefined {
  let at = 0;
  let count = 0;
  while (at < before.length || now[count]?.isRetold) {
    const item = now[count];
    if (item?.isRetold) {
      while (now[count]?.isRetold) count += 1;
      const next = now[count]?.key;
      while (at < before.length && before[at]?.role !== 'user' && before[at]?.key !== next) at += 1;
    } else if (item && item.key === before[at]?.key) {
      at += 1;
      count += 1;
    } else return undefined;
  }
  return count;
}

/** The last of it. */
function lastWords(before: readonly Item[], now: readonly Item[]): number | undefined {
  for (let count = Math.min(before.length, now.length); count > 0; count -= 1) {
    if (before.slice(-count).every(({ key }, index) => key === now[index]?.key)) return count;
  }
  return undefined;
}

/** Some of it with all that the user said, while the last call waits for an answer. */
function excerpt(before: readonly Item[], now: readonly Item[]): number | undefined {
  const users = (items: readonly Item[]) => items.filter(({ role }) => role === 'user').length;
  if (!before.at(-1)?.isCall || users(before) !== users(now)) return undefined;
  let at = 0;
  for (const { key } of now) {
    while (at < before.length && before[at]?.key !== key) at += 1;
    if (at === before.length) return undefined;
    at += 1;
  }
  return now.length;
}
