import { type Message, type Tool, toolsSchema, unwrapTools } from '../../core/message.ts';
import { type Exchange, talkOf } from './exchanges.ts';
import type { Span } from './spans.ts';
import type { TraceInfo } from './wire.ts';

export const SESSION = 'mlflow.trace.session';

/** The traces of one session without their spans, the oldest first. */
export interface Session {
  readonly id: string;
  readonly traces: readonly TraceInfo[];
}

/** What was said in a session. */
export interface SessionTalk {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** By trace: the number of the turn that replies in it. */
  readonly turns: ReadonlyMap<string, number>;
  /** Traces in which nothing was said. */
  readonly silent: readonly string[];
}

/** Groups what comes page by page. */
export class Sessions {
  readonly #traces = new Map<string, Map<string, TraceInfo>>();
  /** Traces of no session. */
  lonely = 0;

  add(traces: readonly TraceInfo[]): void {
    for (const info of traces) {
      const id = info.trace_metadata[SESSION] ?? '';
      if (id === '') this.lonely += 1;
      else {
        const own = this.#traces.get(id) ?? new Map<string, TraceInfo>();
        this.#traces.set(id, own.set(info.trace_id, info));
      }
    }
  }

  /** By their first trace. */
  all(): Session[] {
    const sessions = [...this.#traces].map(([id, traces]) => ({
      id,
      traces: [...traces.values()].sort(byTime),
    }));
    return sessions.sort((a, b) => compare(timeOf(a), timeOf(b)) || compare(a.id, b.id));
  }
}

function timeOf({ traces }: Session): string {
  return traces[0]?.request_time ?? '';
}

function byTime(a: TraceInfo, b: TraceInfo): number {
  return compare(a.request_time, b.request_time) || compare(a.trace_id, b.trace_id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The session with its traces in the order in which they began: a server tells that only to the millisecond. */
export function inOrder(session: Session, spans: ReadonlyMap<string, readonly Span[]>): Session {
  const began = ({ trace_id: id }: TraceInfo) => spans.get(id)?.[0]?.start ?? 0;
  const traces = [...session.traces].sort(
    (a, b) => compare(a.request_time, b.request_time) || began(a) - began(b),
  );
  return { ...session, traces };
}

/** Puts together what the traces of a session say, each of which may repeat what was said before. */
export function talkOfSession(
  { traces }: Session,
  spans: ReadonlyMap<string, readonly Span[]>,
): SessionTalk {
  let said: Message[] = [];
  const replies = new Map<string, number>();
  const silent: string[] = [];
  let tools: readonly Tool[] = [];
  for (const { trace_id: id } of traces) {
    const talk = talkOf(spans.get(id) ?? []);
    if (talk.exchanges.length === 0) silent.push(id);
    for (const exchange of talk.exchanges) said = continued(said, exchange);
    said = withRetrieved(said, talk.retrieved);
    if (talk.exchanges.length > 0) replies.set(id, said.length);
    const offered = toolsSchema.safeParse(talk.tools).data;
    if (offered) tools = unwrapTools(offered);
  }
  return { messages: said, tools, turns: turnsAt(said, replies), silent };
}

/** A request repeats what was said before, or holds only the new words; instructions stand once. */
function continued(said: readonly Message[], { input, output }: Exchange): Message[] {
  const before = said.map(keyOf);
  const given = input.map(keyOf);
  if (before.every((one, index) => one === given[index])) {
    return [...said, ...input.slice(said.length), ...output];
  }
  const known = new Set(before);
  const lead = Math.max(
    0,
    input.findIndex((one) => !isInstruction(one)),
  );
  const shared = overlap(before, given.slice(lead));
  const fresh = [...input.slice(0, lead), ...input.slice(lead + shared)];
  const isNew = (one: Message) => !isInstruction(one) || !known.has(keyOf(one));
  return [...said, ...fresh.filter(isNew), ...output];
}

/** How many of the first messages given are the last that were said. */
function overlap(before: readonly string[], given: readonly string[]): number {
  for (let count = Math.min(before.length, given.length); count > 0; count -= 1) {
    if (before.slice(-count).every((one, index) => one === given[index])) return count;
  }
  return 0;
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** Ids of calls differ between logs of one call, and what was retrieved is in none. */
function keyOf(message: Message): string {
  const { role, content } = message;
  const calls =
    message.role === 'assistant'
      ? message.toolCalls?.map(({ name, arguments: given }) => [name, given])
      : undefined;
  return JSON.stringify([role, content, calls]);
}

function withRetrieved(said: Message[], retrieved: readonly string[]): Message[] {
  const last = said.at(-1);
  if (last?.role !== 'assistant' || retrieved.length === 0) return said;
  return [...said.slice(0, -1), { ...last, retrievalContext: [...retrieved] }];
}

/** The number of the turn that each count of messages ends in. */
function turnsAt(
  messages: readonly Message[],
  replies: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  let side: Message['role'] | undefined;
  let turn = 0;
  const numbers = [0];
  for (const { role } of messages) {
    if ((role === 'user' || role === 'assistant') && role !== side) {
      side = role;
      turn += 1;
    }
    numbers.push(turn);
  }
  return new Map([...replies].map(([id, count]) => [id, numbers[count] ?? turn]));
}
