import type { Message } from '../core/message.ts';

/** A request to a model and its answer, as logs and traces keep them. */
export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/**
 * The conversation that exchanges are of, in their order. A request repeats what was said before,
 * or only the new words; instructions stand once.
 */
export function conversationOf(exchanges: readonly Exchange[]): Message[] {
  let said: Message[] = [];
  for (const { input, output } of exchanges) {
    const before = said.map(keyOf);
    const given = input.map(keyOf);
    const repeats = before.every((one, index) => one === given[index]);
    if (repeats) said = [...input];
    else {
      const known = new Set(before.filter((_key, index) => isInstruction(said[index])));
      const fresh = input.slice(overlap(before, given));
      said.push(...fresh.filter((one) => !isInstruction(one) || !known.has(keyOf(one))));
    }
    said.push(...output);
  }
  return said;
}

/** How many of the first messages given are the last ones that were said. */
function overlap(before: readonly string[], given: readonly string[]): number {
  for (let count = Math.min(before.length, given.length); count > 0; count -= 1) {
    if (before.slice(-count).every((one, index) => one === given[index])) return count;
  }
  return 0;
}

function isInstruction(message: Message | undefined): boolean {
  return message?.role === 'system' || message?.role === 'developer';
}

/** Ids of calls differ between logs of one call. */
function keyOf(message: Message): string {
  if (message.role === 'tool') return JSON.stringify(['tool', message.content]);
  if (message.role !== 'assistant') return JSON.stringify([message.role, message.content]);
  const calls = message.toolCalls?.map(({ name, arguments: given }) => [name, given]);
  return JSON.stringify(['assistant', message.content, calls]);
}
