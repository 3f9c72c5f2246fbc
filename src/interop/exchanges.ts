import type { Message } from '../core/message.ts';

/** A request to a model and its answer, as logs and traces keep them. */
export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** The conversation that exchanges are of, in their order. */
export function conversationOf(exchanges: readonly Exchange[]): Message[] {
  return exchanges.reduce<Message[]>(continued, []);
}

/**
 * What was said, with one more exchange. Its request repeats what was said before, or the last of it,
 * or holds only the new words; instructions stand once.
 */
export function continued(said: readonly Message[], { input, output }: Exchange): Message[] {
  const before = said.map(keyOf);
  const given = input.map(keyOf);
  if (before.every((one, index) => one === given[index])) {
    return [...input.map((one, index) => withRetrieval(one, said[index])), ...output];
  }
  const known = new Set(before);
  const lead = Math.max(
    0,
    input.findIndex((one) => !isInstruction(one)),
  );
  const shared = overlap(before, given.slice(lead));
  const ids = callIds(input.slice(lead, lead + shared), shared > 0 ? said.slice(-shared) : []);
  const fresh = [...input.slice(0, lead), ...input.slice(lead + shared)];
  const isNew = (one: Message) => !isInstruction(one) || !known.has(keyOf(one));
  return [...said, ...fresh.filter(isNew).map((one) => withCallId(one, ids)), ...output];
}

/** A request that repeats a reply does not repeat what was retrieved for it. */
function withRetrieval(message: Message, before: Message | undefined): Message {
  if (message.role !== 'assistant' || before?.role !== 'assistant') return message;
  const { retrievalContext } = before;
  return retrievalContext ? { ...message, retrievalContext } : message;
}

/** How many of the first messages given are the last ones that were said. */
function overlap(before: readonly string[], given: readonly string[]): number {
  for (let count = Math.min(before.length, given.length); count > 0; count -= 1) {
    if (before.slice(-count).every((one, index) => one === given[index])) return count;
  }
  return 0;
}

/** What the calls of the same messages are called in another log. */
function callIds(from: readonly Message[], to: readonly Message[]): ReadonlyMap<string, string> {
  const callsOf = (message: Message | undefined) =>
    message?.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return new Map(
    from.flatMap((message, index) => {
      const same = callsOf(to[index]);
      return callsOf(message).flatMap(({ id }, place) => {
        const other = same[place];
        return other ? [[id, other.id] as const] : [];
      });
    }),
  );
}

function withCallId(message: Message, ids: ReadonlyMap<string, string>): Message {
  if (message.role !== 'tool') return message;
  return { ...message, callId: ids.get(message.callId) ?? message.callId };
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Ids of calls differ between logs of one call. */
function keyOf(message: Message): string {
  if (message.role === 'tool') return JSON.stringify(['tool', message.content]);
  if (message.role !== 'assistant') return JSON.stringify([message.role, message.content]);
  const calls = message.toolCalls?.map(({ name, arguments: given }) => [name, given]);
  return JSON.stringify(['assistant', message.content, calls]);
}
