import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../core/message.ts';
import {
  continued,
  type Exchange,
  hasInstructionsOf,
  repeating,
  type Thread,
} from './exchanges.ts';

/** The conversation among exchanges, and those that are no part of it. */
export interface Found<One extends Exchange> extends Thread<One> {
  readonly branches: readonly One[];
  /** Set if nothing tells which of two threads is the conversation. */
  readonly rivals?: Rivals<One>;
}

/** The first exchanges of two threads in which they differ. */
export interface Rivals<One extends Exchange> {
  readonly pair: readonly [One, One];
  /** Whether both continue the same messages; else each begins a conversation. */
  readonly isFork: boolean;
}

interface Path<One extends Exchange> extends Thread<One> {
  /** What was said after each exchange. */
  readonly states: readonly (readonly Message[])[];
  /** Exchanges that repeat nothing of what was said before them, and so may belong elsewhere. */
  readonly loose: ReadonlySet<One>;
}

/** As many of the last exchanges of a thread may have had another answer. */
const MAX_BACK = 20;

/** The one thread of exchanges that the user can have had. Others, such as of a guard, are branches. */
export function conversationOf<One extends Exchange>(exchanges: readonly One[]): Found<One> {
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

/** All that can be told as one, in the order in which they begin or leave another. */
function pathsOf<One extends Exchange>(exchanges: readonly One[]): Path<One>[] {
  const paths: Path<One>[] = [];
  for (const exchange of exchanges) {
    const at = paths.findIndex(
      (one) => !isAskedAgain(one, exchange) && continued(one, exchange) !== undefined,
    );
    const from = paths[at] ?? leftBy(exchange, paths) ?? NOTHING;
    const messages = continued(from, exchange) ?? [];
    const isLoose = from.exchanges.length > 0 && !repeating(from.messages, exchange);
    paths[at === -1 ? paths.length : at] = {
      messages,
      exchanges: [...from.exchanges, exchange],
      states: [...from.states, messages],
      loose: isLoose ? new Set([...from.loose, exchange]) : from.loose,
    };
  }
  return paths;
}

/** Whether it asks the first question again, for another answer. */
function isAskedAgain({ messages, exchanges }: Path<Exchange>, { input }: Exchange): boolean {
  return questionsIn(messages) === 1 && isDeepStrictEqual(exchanges[0]?.input, input);
}

function questionsIn(messages: readonly Message[]): number {
  return messages.filter(({ role }) => role === 'user').length;
}

const NOTHING: Path<never> = { messages: [], exchanges: [], states: [], loose: new Set() };

/** The part of a path that a request repeats, where the path went on in another way. */
function leftBy<One extends Exchange>(
  exchange: One,
  paths: readonly Path<One>[],
): Path<One> | undefined {
  for (const path of paths) {
    const least = Math.max(1, path.states.length - MAX_BACK);
    for (let count = path.states.length - 1; count >= least; count -= 1) {
      const messages = path.states[count - 1] ?? [];
      if (!repeating(messages, exchange)) continue;
      const [exchanges, states] = [path.exchanges.slice(0, count), path.states.slice(0, count)];
      return { messages, exchanges, states, loose: path.loose };
    }
  }
  return undefined;
}

/** Which of two paths is the conversation, if that can be told. */
function mainOf<One extends Exchange>(
  a: Path<One>,
  b: Path<One>,
  order: ReadonlyMap<One, number>,
): Path<One> | undefined {
  const shared = sharedBy(a, b);
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

/** The same of two without a common beginning: what agents ask each other and guards has one question. */
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

/** Number of the exchanges that two paths have in common. */
function sharedBy<One extends Exchange>(a: Path<One>, b: Path<One>): number {
  const count = a.exchanges.findIndex((one, index) => one !== b.exchanges[index]);
  return count === -1 ? a.exchanges.length : count;
}

function rivalsOf<One extends Exchange>(a: Path<One>, b: Path<One>): Rivals<One> {
  const shared = sharedBy(a, b);
  const [first, second] = [a, b].map(({ exchanges }) => exchanges[shared] as One);
  return { pair: [first as One, second as One], isFork: shared > 0 };
}

/** Why a conversation with rivals is left out. @param nameOf such as `the span "chat" (1f)` */
export function rivalry<One extends Exchange>(
  { pair, isFork }: Rivals<One>,
  nameOf: (exchange: One) => string,
): string {
  const [a, b] = pair.map(nameOf);
  return isFork
    ? `${a} and ${b} answer the same messages, and nothing tells which answer the user got.`
    : `${a} and ${b} begin two conversations, and nothing tells which one the user had. Give each a session id of its own.`;
}
