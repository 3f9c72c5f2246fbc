import { isDeepStrictEqual } from 'node:util';
import type { Message, ToolCall } from '../core/message.ts';
import { coveredBy } from './retelling.ts';

/** A request to a model and its answer, as logs and traces keep them. */
export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
  /** Messages of the request in which a framework retells what another agent did. */
  readonly retold?: ReadonlySet<Message>;
}

/** Exchanges of which each continues the one before. */
export interface Thread<One extends Exchange = Exchange> {
  readonly messages: readonly Message[];
  readonly exchanges: readonly One[];
}

/** What was said, with one more exchange; undefined if it belongs to another conversation. */
export function continued(thread: Thread, exchange: Exchange): readonly Message[] | undefined {
  return repeating(thread.messages, exchange) ?? adding(thread, exchange);
}

/** The same of a request that repeats what was said. */
export function repeating(
  messages: readonly Message[],
  exchange: Exchange,
): readonly Message[] | undefined {
  const said = messages.filter((one) => !isInstruction(one));
  const given = exchange.input.filter((one) => !isInstruction(one));
  const covered = coveredBy(said, given, exchange.retold ?? new Set());
  return covered === undefined ? undefined : withExchange(messages, exchange, covered);
}

/** The same of a request that holds what is new only, as where the endpoint remembers the rest. */
function adding(
  { messages, exchanges }: Thread,
  exchange: Exchange,
): readonly Message[] | undefined {
  const last = exchanges.at(-1);
  const repeats = exchange.input.some(({ role }) => role === 'assistant');
  const isNew = !repeats && last && hasInstructionsOf(last, exchange);
  return isNew ? withExchange(messages, exchange, 0) : undefined;
}

export function hasInstructionsOf(one: Exchange, other: Exchange): boolean {
  const [a, b] = [one, other].map(({ input }) =>
    input.filter(isInstruction).map(({ content }) => content),
  );
  return isDeepStrictEqual(a, b);
}

/** @param covered number of the request's first messages, without instructions, that were said before */
function withExchange(
  messages: readonly Message[],
  { input, output, retold = new Set() }: Exchange,
  covered: number,
): readonly Message[] {
  const given = input.filter((one) => !isInstruction(one));
  const known = new Set(messages.map(({ role, content }) => `${role} ${content}`));
  const instructions = input.filter(
    (one) => isInstruction(one) && !known.has(`${one.role} ${one.content}`),
  );
  const fresh = given.slice(covered).filter((one) => !retold.has(one));
  const results = newResults(messages, given.slice(0, covered));
  const start = messages.length === 0 ? [] : withResults(messages, results);
  return [...start, ...instructions, ...withOwnIds([...fresh, ...output], start)];
}

interface Result {
  readonly callId: string;
  readonly content: string;
}

/** Results of calls that had none yet, by the ids that the calls have in the conversation. */
function newResults(messages: readonly Message[], repeated: readonly Message[]): Result[] {
  const answered = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : [])));
  const calls = callsIn(repeated);
  const same = callsIn(messages).slice(-calls.length);
  return repeated.flatMap((one) => {
    if (one.role !== 'tool') return [];
    const callId = same[calls.findIndex(({ id }) => id === one.callId)]?.id ?? one.callId;
    return answered.has(callId) ? [] : [{ callId, content: one.content }];
  });
}

/** The conversation with results of its calls, each after the call and the results that it has. */
export function withResults(messages: readonly Message[], results: readonly Result[]): Message[] {
  const added = [...messages];
  for (const result of results) {
    const call = added.findLastIndex((one) =>
      callsIn([one]).some(({ id }) => id === result.callId),
    );
    if (call === -1) continue;
    const rest = added.slice(call + 1);
    // Parallel calls may be messages of their own; their results follow them all.
    const next = rest.findIndex((one) => one.role !== 'tool' && callsIn([one]).length === 0);
    const end = next === -1 ? added.length : call + 1 + next;
    added.splice(end, 0, { role: 'tool', ...result });
  }
  return added;
}

/** Calls that came without an id may have got one that another call has. */
function withOwnIds(fresh: readonly Message[], before: readonly Message[]): Message[] {
  const taken = new Set(callsIn(before).map(({ id }) => id));
  const names = new Map<string, string>();
  for (const { id } of callsIn(fresh)) {
    let name = id;
    for (let count = 2; taken.has(name); count += 1) name = `${id}_${count}`;
    taken.add(name);
    names.set(id, name);
  }
  const nameOf = (id: string) => names.get(id) ?? id;
  return fresh.map((one) => {
    if (one.role === 'tool') return { ...one, callId: nameOf(one.callId) };
    if (one.role !== 'assistant' || !one.toolCalls) return one;
    return { ...one, toolCalls: one.toolCalls.map((call) => ({ ...call, id: nameOf(call.id) })) };
  });
}

export function callsIn(messages: readonly Message[]): readonly ToolCall[] {
  return messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []) : []));
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}
