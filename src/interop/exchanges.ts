import { isDeepStrictEqual } from 'node:util';
import { addTo, freeNames, memoize } from '../core/data/data.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Message, ToolCall } from '../core/message.ts';

/** A request to a model and its answer, from logs and traces. */
export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
  /** Messages in the request with which a framework repeats another agent's actions. */
  readonly retold?: ReadonlySet<Message>;
}

/** A series of exchanges, each of which continues the previous one. */
interface Thread<One extends Exchange = Exchange> {
  readonly messages: readonly Message[];
  readonly exchanges: readonly One[];
}

/** Limits the work of finding the conversations of a file, or of an update. */
export class Comparisons {
  #left: number = LIMITS.importedComparisons;
  #allowed = 0;

  /** Allows half of what is left, so that something is left for the conversations after this one. */
  startConversation(): void {
    this.#allowed = this.#left / 2;
  }

  /** @throws TooManyComparisons */
  count(messages: number): void {
    this.#left -= messages;
    this.#allowed -= messages;
    if (this.#allowed < 0) throw new TooManyComparisons();
  }
}

class TooManyComparisons extends Error {}

/** Does not limit comparisons. */
const UNLIMITED: Pick<Comparisons, 'count'> = { count() {} };

/** Number of messages that can be copied in the time that it takes to compare one. */
const COPIES_PER_COMPARISON = 4;

/**
 * The thread's messages with one more exchange; undefined if the exchange belongs to another conversation.
 *
 * @throws TooManyComparisons
 */
export function continueThread(
  thread: Thread,
  exchange: Exchange,
  comparisons = UNLIMITED,
): readonly Message[] | undefined {
  const covered = countCovered(thread, exchange, comparisons);
  comparisons.count(thread.messages.length / COPIES_PER_COMPARISON);
  return covered === undefined ? undefined : addExchange(thread.messages, exchange, covered);
}

/**
 * Number of a request's first messages, not counting instructions, that a thread already has; undefined if the request
 * belongs to another thread.
 */
function countCovered(
  thread: Thread,
  exchange: Exchange,
  comparisons: typeof UNLIMITED,
): number | undefined {
  return (
    countRepeated(thread.messages, exchange, comparisons) ??
    (addsOnlyNew(thread, exchange) ? 0 : undefined)
  );
}

/** Whether a request contains only new messages, because the endpoint stores the earlier ones. */
function addsOnlyNew({ exchanges }: Thread, exchange: Exchange): boolean {
  const last = exchanges.at(-1);
  const repeats = exchange.input.some(({ role }) => role === 'assistant');
  return !repeats && last !== undefined && instructionsOf(last) === instructionsOf(exchange);
}

const instructionsOf = memoize(({ input }: Exchange): string =>
  JSON.stringify(input.filter(isInstruction).map(({ content }) => content)),
);

/** @param covered number of the request's first messages, not counting instructions, that the thread already has */
function addExchange(
  messages: readonly Message[],
  exchange: Exchange,
  covered: number,
): readonly Message[] {
  const { input, output, retold = new Set() } = exchange;
  const { given } = requestOf(exchange);
  const known = new Set(messages.filter(isInstruction).map(instructionKey));
  const instructions = input.filter((one) => isInstruction(one) && !known.has(instructionKey(one)));
  const fresh = given.slice(covered).filter((one) => !retold.has(one));
  const results = newResults(messages, given.slice(0, covered));
  const start = messages.length === 0 ? [] : insertResults(messages, results);
  return [...start, ...instructions, ...makeIdsUnique([...fresh, ...output], start)];
}

interface Result {
  readonly callId: string;
  readonly content: string;
}

/** New tool results, by their call's id in the conversation. */
function newResults(messages: readonly Message[], repeated: readonly Message[]): Result[] {
  if (!repeated.some(({ role }) => role === 'tool')) return [];
  const answered = new Set(messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : [])));
  const calls = callsIn(repeated);
  const same = callsIn(messages).slice(-calls.length);
  const ids = new Map(calls.map(({ id }, index) => [id, same[index]?.id] as const).toReversed());
  return repeated.flatMap((one) => {
    if (one.role !== 'tool') return [];
    const callId = ids.get(one.callId) ?? one.callId;
    return answered.has(callId) ? [] : [{ callId, content: one.content }];
  });
}

/** Inserts each result after its call and that call's earlier results. */
export function insertResults(messages: readonly Message[], results: readonly Result[]): Message[] {
  if (results.length === 0) return [...messages];
  // Parallel calls can be in separate messages; their results come after all of them.
  const ends = new Map<string, number>();
  let end = messages.length;
  for (const [index, one] of [...messages.entries()].reverse()) {
    const calls = callsIn([one]);
    for (const { id } of calls) if (!ends.has(id)) ends.set(id, end);
    if (one.role !== 'tool' && calls.length === 0) end = index;
  }
  // Results of unknown calls are dropped, because they have no place in the conversation.
  const added = new Map<number | undefined, Message[]>();
  for (const result of results) {
    addTo(added, ends.get(result.callId), { role: 'tool' as const, ...result });
  }
  const addedAt = (index: number) => added.get(index) ?? [];
  return [
    ...messages.flatMap((one, index) => [...addedAt(index), one]),
    ...addedAt(messages.length),
  ];
}

/** Makes generated call ids unique. */
function makeIdsUnique(fresh: readonly Message[], before: readonly Message[]): Message[] {
  if (callsIn(fresh).length === 0) return [...fresh];
  const taken = new Set(callsIn(before).map(({ id }) => id));
  const freeName = freeNames(taken, (id, number) => `${id}_${number}`);
  const names = new Map<string, string>();
  for (const { id } of callsIn(fresh)) {
    const name = taken.has(id) ? freeName(id) : id;
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

function instructionKey({ role, content }: Message): string {
  return `${role} ${content}`;
}

/** A text or a call. Parallel calls can be in one message or in several, so each call is a separate item. */
interface Item {
  readonly key: string;
  readonly role: Message['role'];
  readonly isCall: boolean;
}

/** An item of a request. */
interface GivenItem extends Item {
  /** The index of its message. */
  readonly at: number;
  /** Matches any item that isn't the user's. */
  readonly isRetold: boolean;
}

/** A request's messages without its instructions, and their items. */
const requestOf = memoize(({ input, retold = new Set() }: Exchange) => {
  const given = input.filter((one) => !isInstruction(one));
  const items = given.flatMap((one, at): GivenItem[] =>
    itemsOf(one).map((item) => ({ ...item, at, isRetold: retold.has(one) })),
  );
  return { given, items };
});

const itemsOf = memoize((message: Message): readonly Item[] => {
  const { role } = message;
  const item = (...words: unknown[]): Item => ({
    key: JSON.stringify([role, ...words]),
    role,
    isCall: words.length > 1,
  });
  if (role === 'tool' || isInstruction(message)) return [];
  if (role !== 'assistant') return [item(message.content)];
  const texts = message.content.trim() === '' ? [] : [item(message.content)];
  const calls = (message.toolCalls ?? []).map((call) => item(call.name, call.arguments));
  return [...texts, ...calls];
});

/** The last items: at least `least`, or all if there are fewer. */
function lastItems(messages: readonly Message[], least: number): Item[] {
  const found: Item[] = [];
  for (let index = messages.length - 1; index >= 0 && found.length < least; index -= 1) {
    const message = messages[index];
    for (const item of message ? itemsOf(message).toReversed() : []) found.push(item);
  }
  return found.reverse();
}

/**
 * Number of a request's first messages that repeat the conversation up to its end; undefined if they belong to another
 * conversation. A request can start partway through the conversation, or omit earlier agents' messages.
 */
function countRepeated(
  messages: readonly Message[],
  exchange: Exchange,
  comparisons: typeof UNLIMITED,
): number | undefined {
  const { given, items: now } = requestOf(exchange);
  // Only messages that repeat another agent's actions can match more items than they contain.
  const isShort = !now.some(({ isRetold }) => isRetold);
  const before = lastItems(messages, isShort ? now.length + 1 : Number.POSITIVE_INFINITY);
  comparisons.count(before.length);
  if (before.length === 0) return 0;
  const count =
    matchFromStart(before, now) ??
    matchEnd(before, now) ??
    matchExcerpt(messages, now, comparisons);
  if (count === undefined) return undefined;
  const next = now[count]?.at ?? given.length;
  const isWhole = count === 0 || now[count - 1]?.at !== next;
  if (!isWhole) return undefined;
  // Includes the results of the last repeated calls.
  const last = now[count - 1]?.at ?? -1;
  const after = given.findIndex((one, index) => index > last && one.role !== 'tool');
  return after === -1 ? given.length : after;
}

/** Matches all items from the start. */
function matchFromStart(before: readonly Item[], now: readonly GivenItem[]): number | undefined {
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

/** Matches the conversation's longest ending that the request starts with, by the Knuth–Morris–Pratt algorithm. */
function matchEnd(before: readonly Item[], now: readonly Item[]): number | undefined {
  const borders = bordersOf(now);
  const tail = before.slice(-now.length);
  const count = tail.reduce((length, { key }) => extended(now, borders, length, key), 0);
  return count === 0 ? undefined : count;
}

/** For each prefix of a request, its longest shorter prefix that is also its suffix. */
const bordersOf = memoize((now: readonly Item[]): readonly number[] => {
  const borders: number[] = [];
  for (const [index, { key }] of now.entries()) {
    borders.push(index === 0 ? 0 : extended(now, borders, borders[index - 1] ?? 0, key));
  }
  return borders;
});

/** Length of the longest prefix that ends with a key, given the longest one that ends before it. */
function extended(
  now: readonly Item[],
  borders: readonly number[],
  length: number,
  key: string,
): number {
  let count = length;
  while (count > 0 && now[count]?.key !== key) count = borders[count - 1] ?? 0;
  return now[count]?.key === key ? count + 1 : 0;
}

/** Matches parts that include all user messages, while the last call has no result. */
function matchExcerpt(
  messages: readonly Message[],
  now: readonly Item[],
  comparisons: typeof UNLIMITED,
): number | undefined {
  const users = now.filter(({ role }) => role === 'user').length;
  if (!lastItems(messages, 1).at(-1)?.isCall || questionsIn(messages) !== users) return undefined;
  const before = lastItems(messages, Number.POSITIVE_INFINITY);
  comparisons.count(before.length);
  let at = 0;
  for (const { key } of now) {
    while (at < before.length && before[at]?.key !== key) at += 1;
    if (at === before.length) return undefined;
    at += 1;
  }
  return now.length;
}

/** The conversation found in the exchanges, and the exchanges that aren't part of it. */
interface FoundConversation<One extends Exchange> extends Thread<One> {
  readonly branches: readonly One[];
  /** Why the conversation is left out, for example because either of two threads could be the conversation. */
  readonly refused?: string;
}

/** The first exchanges at which two threads differ. */
interface Rivals<One extends Exchange> {
  readonly pair: readonly [One, One];
  /** Whether both threads continue the same messages. If not, each one starts a conversation. */
  readonly isFork: boolean;
}

interface Path<One extends Exchange> extends Thread<One> {
  /** The messages after each of the most recent exchanges. */
  readonly states: readonly (readonly Message[])[];
  /** Exchanges that don't repeat any earlier messages and so could belong elsewhere. */
  readonly loose: ReadonlySet<One>;
}

/** Maximum number of exchanges to go back when looking for where a thread branches off. */
const MAX_BACK = 20;

/**
 * Finds the user's thread. Other threads, such as a guard's, are branches.
 *
 * @param nameOf returns, for example, `the span "chat" (1f)`
 */
export function findConversation<One extends Exchange>(
  exchanges: readonly One[],
  nameOf: (exchange: One) => string,
  comparisons: Comparisons,
): FoundConversation<One> {
  if (exchanges.length > LIMITS.importedExchanges) {
    return refusedAs(
      `it has ${readable(exchanges.length)} requests to models; the limit is ${readable(LIMITS.importedExchanges)}. Split it into several sessions.`,
    );
  }
  comparisons.startConversation();
  let paths: Path<One>[];
  try {
    paths = pathsOf(exchanges, comparisons);
  } catch (error) {
    if (!(error instanceof TooManyComparisons)) throw error;
    return refusedAs(
      'too many of its requests to models branch off. Split it into several sessions.',
    );
  }
  const order = new Map(exchanges.map((one, index) => [one, index]));
  const winner = (a: Path<One>, b: Path<One>) => mainOf(a, b, order);
  const [first] = paths;
  if (!first) return { messages: [], exchanges: [], branches: [] };
  const main = paths.reduce((best, one) => winner(best, one) ?? best, first);
  const rival = paths.find((one) => one !== main && winner(main, one) !== main);
  const { messages, exchanges: own } = main;
  const isOwn = new Set(own);
  const branches = exchanges.filter((one) => !isOwn.has(one));
  const refused = rival && rivalsMessage(rivalsOf(main, rival), nameOf);
  return { messages, exchanges: own, branches, ...(refused !== undefined && { refused }) };
}

function refusedAs(refused: string): FoundConversation<never> {
  return { messages: [], exchanges: [], branches: [], refused };
}

/**
 * All threads, in the order in which they start or branch off.
 *
 * @throws TooManyComparisons
 */
function pathsOf<One extends Exchange>(
  exchanges: readonly One[],
  comparisons: Comparisons,
): Path<One>[] {
  const paths: Path<One>[] = [];
  const loose = new Set<One>();
  for (const exchange of exchanges) {
    const at = paths.findIndex(
      (one) =>
        countCovered(one, exchange, comparisons) !== undefined && !isAskedAgain(one, exchange),
    );
    const from = paths[at] ?? branchPoint(exchange, paths, comparisons) ?? NOTHING;
    const isLoose = countRepeated(from.messages, exchange, comparisons) === undefined;
    if (isLoose) loose.add(exchange);
    const messages = continueThread(from, exchange, comparisons) ?? [];
    paths[at === -1 ? paths.length : at] = {
      messages,
      exchanges: [...from.exchanges, exchange],
      states: [...from.states, messages].slice(-MAX_BACK),
      loose,
    };
  }
  return paths;
}

/** Whether a path repeats the first question to get another answer. */
function isAskedAgain({ messages, exchanges }: Path<Exchange>, { input }: Exchange): boolean {
  return isDeepStrictEqual(exchanges[0]?.input, input) && questionsIn(messages) === 1;
}

const questionsIn = memoize(
  (messages: readonly Message[]): number => messages.filter(({ role }) => role === 'user').length,
);

const NOTHING: Path<never> = { messages: [], exchanges: [], states: [], loose: new Set<never>() };

/** The messages of a path that a request repeats before it diverges. */
function branchPoint<One extends Exchange>(
  exchange: One,
  paths: readonly Path<One>[],
  comparisons: Comparisons,
): Path<One> | undefined {
  const tried = new Set<readonly Message[]>();
  for (const { exchanges, states, loose } of paths) {
    for (let back = 1; back < states.length; back += 1) {
      const messages = states.at(-1 - back) ?? [];
      // Paths share the states before they branch off.
      if (tried.has(messages)) continue;
      tried.add(messages);
      if (countRepeated(messages, exchange, comparisons) === undefined) continue;
      return {
        messages,
        exchanges: exchanges.slice(0, -back),
        states: states.slice(0, -back),
        loose,
      };
    }
  }
  return undefined;
}

/** Which of two paths is the conversation; undefined if unknown. */
function mainOf<One extends Exchange>(
  a: Path<One>,
  b: Path<One>,
  order: ReadonlyMap<One, number>,
): Path<One> | undefined {
  const shared = sharedLength(a, b);
  if (shared === 0) return mainOfTwo(a, b, order);
  if (isDeepStrictEqual(a.messages, b.messages)) return a;
  const isMain = (one: Path<One>, other: Path<One>) => {
    const [next, another] = [one.exchanges[shared], other.exchanges[shared]];
    const [before] = one.exchanges.slice(shared - 1);
    if (!next || !another || !before || one.loose.has(next)) return false;
    const goesOn = one.exchanges.length > shared + 1;
    if (other.exchanges.length > shared + 1) return false;
    if (goesOn || other.loose.has(another)) return true;
    const instructions = instructionsOf(before);
    return instructions === instructionsOf(next) && instructions !== instructionsOf(another);
  };
  return [a, b].find((one) => isMain(one, one === a ? b : a));
}

/**
 * Like `mainOf`, for paths with different starts. Requests between agents, or to guards, have only a single question.
 */
function mainOfTwo<One extends Exchange>(
  a: Path<One>,
  b: Path<One>,
  order: ReadonlyMap<One, number>,
): Path<One> | undefined {
  const questions = ({ messages }: Path<One>) => questionsIn(messages);
  const at = ({ exchanges }: Path<One>, index: number) =>
    order.get(exchanges.at(index) as One) ?? 0;
  const isMain = (one: Path<One>, other: Path<One>) => {
    if (questions(other) > 1) return false;
    const isAround = at(one, 0) < at(other, 0) && at(other, -1) < at(one, -1);
    return questions(one) > questions(other) || isAround;
  };
  return [a, b].find((one) => isMain(one, one === a ? b : a));
}

/** Number of exchanges that two paths have in common. */
function sharedLength<One extends Exchange>(a: Path<One>, b: Path<One>): number {
  const count = a.exchanges.findIndex((one, index) => one !== b.exchanges[index]);
  return count === -1 ? a.exchanges.length : count;
}

function rivalsOf<One extends Exchange>(a: Path<One>, b: Path<One>): Rivals<One> {
  const shared = sharedLength(a, b);
  const [first, second] = [a, b].map(({ exchanges }) => exchanges[shared] as One);
  return { pair: [first as One, second as One], isFork: shared > 0 };
}

function rivalsMessage<One extends Exchange>(
  { pair, isFork }: Rivals<One>,
  nameOf: (exchange: One) => string,
): string {
  const [a, b] = pair.map(nameOf);
  return isFork
    ? `${a} and ${b} answer the same messages, and it is unclear which answer the user got.`
    : `${a} and ${b} start separate conversations, and it is unclear which one the user had. Give each its own session id.`;
}
