import { isDeepStrictEqual } from 'node:util';
import type { Message, ToolCall } from '../core/message.ts';

/** A request to a model and its answer, from logs and traces. */
export interface Exchange {
  readonly input: readonly Message[];
  readonly output: readonly Message[];
  /** Messages of the request in which a framework repeats what another agent did. */
  readonly retold?: ReadonlySet<Message>;
}

/** Exchanges that continue each other. */
interface Thread<One extends Exchange = Exchange> {
  readonly messages: readonly Message[];
  readonly exchanges: readonly One[];
}

/** The messages with one more exchange; undefined if it belongs to another conversation. */
export function continueThread(thread: Thread, exchange: Exchange): readonly Message[] | undefined {
  return continueRepeating(thread.messages, exchange) ?? continueWithNew(thread, exchange);
}

/** As `continued`, for a request that repeats the messages. */
function continueRepeating(
  messages: readonly Message[],
  exchange: Exchange,
): readonly Message[] | undefined {
  const said = messages.filter((one) => !isInstruction(one));
  const given = exchange.input.filter((one) => !isInstruction(one));
  const covered = countRepeated(said, given, exchange.retold ?? new Set());
  return covered === undefined ? undefined : addExchange(messages, exchange, covered);
}

/** As `continued`, for a request with new messages only, to an endpoint that stores the rest. */
function continueWithNew(
  { messages, exchanges }: Thread,
  exchange: Exchange,
): readonly Message[] | undefined {
  const last = exchanges.at(-1);
  const repeats = exchange.input.some(({ role }) => role === 'assistant');
  const isNew = !repeats && last && hasInstructionsOf(last, exchange);
  return isNew ? addExchange(messages, exchange, 0) : undefined;
}

function hasInstructionsOf(one: Exchange, other: Exchange): boolean {
  const [a, b] = [one, other].map(({ input }) =>
    input.filter(isInstruction).map(({ content }) => content),
  );
  return isDeepStrictEqual(a, b);
}

/** @param covered number of the request's first messages, without instructions, that are repeated */
function addExchange(
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
  const start = messages.length === 0 ? [] : insertResults(messages, results);
  return [...start, ...instructions, ...makeIdsUnique([...fresh, ...output], start)];
}

interface Result {
  readonly callId: string;
  readonly content: string;
}

/** New results of calls, by the ids of the calls in the conversation. */
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

/** Inserts results, each after its call and the call's other results. */
export function insertResults(messages: readonly Message[], results: readonly Result[]): Message[] {
  const added = [...messages];
  for (const result of results) {
    const call = added.findLastIndex((one) =>
      callsIn([one]).some(({ id }) => id === result.callId),
    );
    if (call === -1) continue;
    const rest = added.slice(call + 1);
    // Parallel calls can be separate messages; their results follow all of them.
    const next = rest.findIndex((one) => one.role !== 'tool' && callsIn([one]).length === 0);
    const end = next === -1 ? added.length : call + 1 + next;
    added.splice(end, 0, { role: 'tool', ...result });
  }
  return added;
}

/** Makes generated ids of calls unique. */
function makeIdsUnique(fresh: readonly Message[], before: readonly Message[]): Message[] {
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

/** A text or a call. Parallel calls can be one message or several, so each call is an item. */
interface Item {
  readonly key: string;
  /** The index of its message. */
  readonly at: number;
  readonly role: Message['role'];
  readonly isCall: boolean;
  /** Matches anything that others than the user said and did. */
  readonly isRetold: boolean;
}

/**
 * Number of a request's first messages that repeat the conversation up to its end; undefined if they
 * belong to another one. A request can start later, or omit messages of earlier agents.
 *
 * @param retold messages that repeat what another agent did
 */
function countRepeated(
  said: readonly Message[],
  given: readonly Message[],
  retold: ReadonlySet<Message>,
): number | undefined {
  const before = itemsOf(said, new Set());
  const now = itemsOf(given, retold);
  if (before.length === 0) return 0;
  const count = matchFromStart(before, now) ?? matchEnd(before, now) ?? matchExcerpt(before, now);
  if (count === undefined) return undefined;
  const next = now[count]?.at ?? given.length;
  const isWhole = count === 0 || now[count - 1]?.at !== next;
  if (!isWhole) return undefined;
  // Include the results of the last repeated calls.
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

/** Matches everything from the start. */
function matchFromStart(before: readonly Item[], now: readonly Item[]): number | undefined {
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

/** Matches the end. */
function matchEnd(before: readonly Item[], now: readonly Item[]): number | undefined {
  for (let count = Math.min(before.length, now.length); count > 0; count -= 1) {
    if (before.slice(-count).every(({ key }, index) => key === now[index]?.key)) return count;
  }
  return undefined;
}

/** Matches parts of it with all user messages, while the last call has no result. */
function matchExcerpt(before: readonly Item[], now: readonly Item[]): number | undefined {
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

/** The conversation among exchanges, and the exchanges that aren't part of it. */
interface FoundConversation<One extends Exchange> extends Thread<One> {
  readonly branches: readonly One[];
  /** Set if two threads could be the conversation. */
  readonly rivals?: Rivals<One>;
}

/** The first exchanges where two threads differ. */
interface Rivals<One extends Exchange> {
  readonly pair: readonly [One, One];
  /** Whether both continue the same messages; otherwise each starts a conversation. */
  readonly isFork: boolean;
}

interface Path<One extends Exchange> extends Thread<One> {
  /** The messages after each exchange. */
  readonly states: readonly (readonly Message[])[];
  /** Exchanges that repeat no earlier messages, and so could belong elsewhere. */
  readonly loose: ReadonlySet<One>;
}

/** Maximum number of exchanges to go back to find where a thread branches off. */
const MAX_BACK = 20;

/** Finds the thread that the user had. Others, such as of a guard, are branches. */
export function findConversation<One extends Exchange>(
  exchanges: readonly One[],
): FoundConversation<One> {
  const paths = pathsOf(exchanges);
  const order = new Map(exchanges.map((one, index) => [one, index]));
  const winner = (a: Path<One>, b: Path<One>) => mainOf(a, b, order);
  const [first] = paths;
  if (!first) return { messages: [], exchanges: [], branches: [] };
  const main = paths.reduce((best, one) => winner(best, one) ?? best, first);
  const rival = paths.find((one) => one !== main && winner(main, one) !== main);
  const branches = exchanges.filter((one) => !main.exchanges.includes(one));
  const { messages, exchanges: own } = main;
  return { messages, exchanges: own, branches, ...(rival && { rivals: rivalsOf(main, rival) }) };
}

/** All threads, in the order in which they start or branch off. */
function pathsOf<One extends Exchange>(exchanges: readonly One[]): Path<One>[] {
  const paths: Path<One>[] = [];
  for (const exchange of exchanges) {
    const at = paths.findIndex(
      (one) => !isAskedAgain(one, exchange) && continueThread(one, exchange) !== undefined,
    );
    const from = paths[at] ?? branchPoint(exchange, paths) ?? NOTHING;
    const messages = continueThread(from, exchange) ?? [];
    const isLoose = from.exchanges.length > 0 && !continueRepeating(from.messages, exchange);
    paths[at === -1 ? paths.length : at] = {
      messages,
      exchanges: [...from.exchanges, exchange],
      states: [...from.states, messages],
      loose: isLoose ? new Set([...from.loose, exchange]) : from.loose,
    };
  }
  return paths;
}

/** Whether it repeats the first question to get another answer. */
function isAskedAgain({ messages, exchanges }: Path<Exchange>, { input }: Exchange): boolean {
  return questionsIn(messages) === 1 && isDeepStrictEqual(exchanges[0]?.input, input);
}

function questionsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'user').length;
}

const NOTHING: Path<never> = { messages: [], exchanges: [], states: [], loose: new Set() };

/** The start of a path that a request repeats and then leaves. */
function branchPoint<One extends Exchange>(
  exchange: One,
  paths: readonly Path<One>[],
): Path<One> | undefined {
  for (const path of paths) {
    const least = Math.max(1, path.states.length - MAX_BACK);
    for (let count = path.states.length - 1; count >= least; count -= 1) {
      const messages = path.states[count - 1] ?? [];
      if (!continueRepeating(messages, exchange)) continue;
      const [exchanges, states] = [path.exchanges.slice(0, count), path.states.slice(0, count)];
      return { messages, exchanges, states, loose: path.loose };
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
    return hasInstructionsOf(before, next) && !hasInstructionsOf(before, another);
  };
  return [a, b].find((one) => isMain(one, one === a ? b : a));
}

/** As `mainOf`, for paths without a common start: requests between agents and to guards have one question. */
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

/** Why a conversation with rivals is left out. @param nameOf such as `the span "chat" (1f)` */
export function rivalsMessage<One extends Exchange>(
  { pair, isFork }: Rivals<One>,
  nameOf: (exchange: One) => string,
): string {
  const [a, b] = pair.map(nameOf);
  return isFork
    ? `${a} and ${b} answer the same messages, and it is unknown which answer the user got.`
    : `${a} and ${b} start two conversations, and it is unknown which one the user had. Give each its own session id.`;
}
